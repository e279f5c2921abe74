import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunnerOrder } from './runner-order.ts';
import { createAnsibleRunner } from './runner-process.ts';

const order: RunnerOrder = {
  host: '192.0.2.1',
  port: 22,
  user: 'admin',
  password: 'secret-word',
  knownHosts: '',
  timeoutSeconds: 5,
  vars: {},
  tasks: [],
};
const never = new AbortController().signal;

/** Runs with a program in place of Python that does what its lines say. */
async function withProgram(
  lines: readonly string[],
  run: (runner: ReturnType<typeof createAnsibleRunner>) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'runner-'));
  const python = join(folder, 'python');
  writeFileSync(python, ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(python, 0o755);
  const runner = createAnsibleRunner({ python });
  try {
    await run(runner);
  } finally {
    await runner.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

test('an order goes in by stdin, and its secret is in neither the arguments nor the environment', () =>
  withProgram(
    [
      'read line',
      'echo "noise"',
      `printf '{"id":1,"error":"%s"}\\n' "$*$(env | grep -c secret-word)"`,
      'cat >/dev/null',
    ],
    async (runner) => {
      const { error = '' } = await runner.run(order, never);
      assert.match(error, /runner\.py0$/);
    },
  ));

test('a runner that dies is told about with its last words, and started anew for the next order', () =>
  withProgram(['echo "no such module" >&2', 'exit 3'], async (runner) => {
    for (const attempt of [1, 2]) {
      const { error = '' } = await runner.run(order, never);
      assert.match(error, /exit code 3 no such module/, `attempt ${attempt}`);
    }
  }));

test('an order that is given up is left at once', () =>
  withProgram(['cat >/dev/null'], async (runner) => {
    const caller = new AbortController();
    const answer = runner.run(order, caller.signal);
    caller.abort();
    assert.equal((await answer).error, 'given up');
  }));
