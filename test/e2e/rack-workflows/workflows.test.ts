import assert from 'node:assert/strict';
import { runCli } from '../cli-fixture.ts';
import { describeRackWorkflows } from './workflows.ts';

describeRackWorkflows('the verbs of rackwright', (dataDir) => async (words, input = '') => {
  const { code, out, err } = await runCli([...words, '--data-dir', dataDir], { input });
  assert.equal(code, 0, `${words.join(' ')}: ${err}`);
  return out;
});
