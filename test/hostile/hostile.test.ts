import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHostile } from './run-hostile.ts';

// `npm run bench -- hostile` sends a hundred thousand, and judges how long /livez took.
test('hostile requests to all ports crash nothing, store nothing and meet no error that the docs do not know', async (t) => {
  const report = await runHostile({ requests: 400, seed: 1, atOnce: 16, servers: 2 });
  t.diagnostic(JSON.stringify(report.codes));
  assert.deepEqual(report.undocumented, []);
  assert.deepEqual(report.stored, []);
  assert.equal(report.exitCode, 0);
  assert.equal(report.loaded.failures, 0);
  assert.ok(report.loaded.times.length > 0);
  for (const port of ['api', 'rest', 'console', 'agents']) {
    const refused = Object.keys(report.codes[port] ?? {}).filter((code) => code.startsWith('4'));
    assert.ok(refused.length > 1, `${port} was answered ${JSON.stringify(report.codes[port])}`);
  }
});
