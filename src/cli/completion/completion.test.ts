import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import type { Command } from 'commander';
import { createProgram, runCommandLine } from '../program.ts';
import { silentTerminal } from '../reference-page.ts';
import { completeWords } from './complete-words.ts';
import { shellScripts } from './shell-scripts.ts';
import { argumentSources, optionSources, shells } from './sources.ts';

const program = createProgram(silentTerminal);

function wordsAfter(...typed: string[]): string[] {
  const completion = completeWords(program, typed);
  assert.equal(completion.kind, 'words');
  return completion.kind === 'words' ? completion.words.map(({ word }) => word) : [];
}

describe('completion', () => {
  test('offers commands, and the parts of commands', () => {
    assert.deepEqual(wordsAfter('hist'), ['history']);
    assert.deepEqual(wordsAfter('plan', ''), ['firmware', 'network']);
    assert.deepEqual(wordsAfter('simulate', '--data-dir', 'x', 'st'), ['status']);
  });
  test('offers the options of the command, and the values of options', () => {
    assert.deepEqual(wordsAfter('get', '--out'), ['--output']);
    assert.ok(wordsAfter('history', '-').includes('--limit'));
    assert.deepEqual(wordsAfter('get', 'bmh', '-o', 'j'), ['json', 'jsonpath=']);
    assert.deepEqual(wordsAfter('get', '--output=y'), ['--output=yaml']);
    assert.deepEqual(wordsAfter('delete', 'bmh', '--cascade', ''), ['background', 'foreground', 'orphan']);
  });
  test('leaves files to the shell', () => {
    assert.deepEqual(completeWords(program, ['apply', '-f', '']), { kind: 'files' });
  });
  test('looks up kinds and names with the flags that were typed', () => {
    assert.deepEqual(completeWords(program, ['get', '-n', 'lab', '--data-dir=d', 'bmh', 'r0']), {
      kind: 'look-up',
      order: { source: 'objects', begun: 'r0', earlier: ['bmh'], flags: { namespace: 'lab', dataDir: 'd' } },
    });
    assert.deepEqual(completeWords(program, ['get', '--namespace=la']), {
      kind: 'look-up',
      order: { source: 'namespaces', begun: 'la', earlier: [], flags: {}, prefix: '--namespace=' },
    });
  });
  test('of what no server can be asked about ends quietly', async () => {
    let out = '';
    const write = (text: string): void => {
      out += text;
    };
    const terminal = { ...silentTerminal, cwd: tmpdir(), out: write, err: assert.fail };
    const words = ['__complete', 'get', '--data-dir', join(tmpdir(), 'there-is-no-such-folder'), 'b'];
    assert.equal(await runCommandLine(words, terminal), 0);
    assert.equal(out, ':4\n');
  });
  test('knows only commands and options that there are', () => {
    const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
    const commands = all(program);
    const paths = commands.map((one) => (one.parent?.parent ? `${one.parent.name()} ${one.name()}` : one.name()));
    const options = new Set(commands.flatMap((one) => one.options.map(({ long }) => long)));
    assert.deepEqual(
      Object.keys(argumentSources).filter((path) => !paths.includes(path)),
      [],
    );
    assert.deepEqual(
      Object.keys(optionSources).filter((flag) => !options.has(flag)),
      [],
    );
  });
});

describe('the script of a shell', () => {
  test('is there for each, and asks the command', () => {
    for (const shell of shells) assert.match(shellScripts[shell], / __complete /);
  });
  test('makes bash complete, also behind an equals sign', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rackwright-completion-'));
    try {
      symlinkSync(join(import.meta.dirname, '..', '..', '..', 'bin', 'rackwright.mjs'), join(folder, 'rackwright'));
      writeFileSync(join(folder, 'script.bash'), shellScripts.bash);
      const ask = (line: string): string =>
        `COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=($COMP_LINE); _rackwright; echo "\${COMPREPLY[*]}"`;
      const lines = ['rackwright hist', 'rackwright plan ', 'rackwright get --output=y'];
      const text = [`source ${join(folder, 'script.bash')}`, ...lines.map(ask)].join('\n');
      const path = [folder, dirname(process.execPath), process.env.PATH].join(delimiter);
      const { stdout, stderr } = spawnSync('bash', ['-c', text], { encoding: 'utf8', env: { PATH: path } });
      assert.equal(stdout, 'history\nfirmware network\nyaml\n', stderr);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
