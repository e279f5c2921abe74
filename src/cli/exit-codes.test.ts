import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { KubeError } from '../kube/index.ts';
import { CliError, exitCodes, explainError } from './errors.ts';
import { runCommandLine } from './program.ts';
import { silentTerminal } from './reference-page.ts';
import { runServer } from './stop.ts';
import { packageRoot } from './version.ts';

describe('exit codes', () => {
  test('are one table, which the page about the command shows as it is', () => {
    const rows = Object.entries(exitCodes).map(([name, { code, about }]) => `| ${code} | \`${name}\` | ${about} |`);
    const page = readFileSync(join(packageRoot, 'docs', 'command.md'), 'utf8');
    const shown = page
      .slice(page.indexOf('## Exit codes'))
      .split('\n')
      .filter((line) => /^\| \d/.test(line));
    assert.deepEqual(shown, rows);
  });
  test('mean one thing each', () => {
    const codes = Object.values(exitCodes).map(({ code }) => code);
    assert.equal(new Set(codes).size, codes.length);
  });
  test('tell of an interruption by 130, whoever noticed it', () => {
    const aborted = new KubeError({ kind: 'Status', apiVersion: 'v1', reason: 'Aborted', message: 'aborted' });
    for (const error of [aborted, new DOMException('stopped', 'AbortError')]) {
      assert.equal(exitCodes[explainError(error).outcome].code, 130);
    }
  });
  test('of a wrong command line are 2', async () => {
    for (const words of [['no-such-command'], ['get'], ['completion', 'tcsh']]) {
      assert.equal(await runCommandLine(words, silentTerminal), 2, words.join(' '));
    }
  });
});

test('a server that is told to stop while it starts has ended well, and any other failure is one', async () => {
  const stop = new AbortController();
  const terminal = { ...silentTerminal, interrupted: stop.signal };
  const fail = () => Promise.reject(new CliError('in-use', 'taken'));
  await assert.rejects(runServer(terminal, fail), /taken/);
  const abort = () => Promise.reject(new DOMException('stopped', 'AbortError'));
  await assert.rejects(runServer(terminal, abort), /stopped/, 'nobody told it to stop');
  stop.abort();
  await runServer(terminal, abort);
  await assert.rejects(runServer(terminal, fail), /taken/);
});
