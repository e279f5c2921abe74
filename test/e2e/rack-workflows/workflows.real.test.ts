import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { realKubeBinaries, whyNoRealKube } from '../../real/kube/binaries.ts';
import type { Kubectl } from './stage.ts';
import { describeRackWorkflows } from './workflows.ts';

const whyNot = whyNoRealKube();

if (whyNot !== undefined) test('the workflows of hosts on the simulated rack, by kubectl', { skip: whyNot }, () => {});
else describeRackWorkflows('kubectl', kubectlOn);

async function kubectlOn(dataDir: string): Promise<Kubectl> {
  const { kubectl } = await realKubeBinaries();
  const env = { ...process.env, KUBECONFIG: join(dataDir, 'kubeconfig') };
  return async (words, input = '') => {
    const child = spawn(kubectl, words, { env });
    child.stdin.end(input);
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    assert.equal(code, 0, `kubectl ${words.join(' ')}: ${err}`);
    return out;
  };
}
