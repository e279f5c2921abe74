import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { blocksFor } from '../../docs/pages.ts';
import { typePages } from '../../docs/type-pages.ts';
import { typeLines } from '../../docs/typed-commands.ts';
import { type CliProcess, startUp, temporaryFolder } from '../../e2e/cli-fixture.ts';
import { realKubeBinaries, whyNoRealKube } from './binaries.ts';

const whyNot = whyNoRealKube();
if (whyNot !== undefined) test('rackwright as a plug-in of kubectl', { skip: whyNot }, () => {});
else describe('rackwright as a plug-in of kubectl', usePlugin);

function usePlugin(): void {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  const bin = join(import.meta.dirname, '..', '..', '..', 'bin');
  let up: CliProcess;
  let kubectl: string;

  before(async () => {
    ({ kubectl } = await realKubeBinaries());
    // As npm puts them beside each other when the package is installed.
    symlinkSync(join(bin, 'rackwright.mjs'), join(folder.path, 'kubectl-rackwright'));
    symlinkSync(join(bin, 'kubectl-complete.sh'), join(folder.path, 'kubectl_complete-rackwright'));
    up = await startUp(dataDir, ['--simulate', '1']);
  });
  after(async () => {
    await up.end('SIGTERM');
    folder.remove();
  });

  function run(...words: string[]) {
    const path = [folder.path, dirname(process.execPath), process.env.PATH].join(delimiter);
    // In a folder without data of ours: what is asked is the server of kubectl.
    const env = { PATH: path, HOME: folder.path, KUBECONFIG: join(dataDir, 'kubeconfig') };
    return spawnSync(kubectl, words, { env, cwd: folder.path, encoding: 'utf8' });
  }

  test('is found by kubectl', () => {
    const { stdout, stderr } = run('plugin', 'list');
    assert.match(stdout, /kubectl-rackwright$/m, stderr);
    assert.doesNotMatch(stderr, /kubectl-rackwright is overshadowed|not executable/);
  });

  test('shows what kubectl shows, from the same server', () => {
    const words = ['get', 'switches', '-n', 'simulated', '-o', 'name'];
    const { stdout, stderr, status } = run('rackwright', ...words);
    assert.equal(status, 0, stderr);
    assert.equal(stdout, run(...words).stdout);
    assert.match(stdout, /^switch\.metal3\.io\/tor-r01-a$/m);
  });

  typePages(blocksFor(import.meta.filename), {
    'kubectl rackwright history r01-s01': {
      type: async (lines) => {
        const programs = { kubectl, 'kubectl-rackwright': join(bin, 'rackwright.mjs') };
        const desk = { folder: folder.path, env: { KUBECONFIG: join(dataDir, 'kubeconfig') }, programs };
        assert.match(await typeLines(desk, lines), / BareMetalHost simulated\/r01-s01 /);
      },
    },
  });

  test('tells how it is called, and ends with its own exit codes', () => {
    assert.match(run('rackwright', 'history', '--help').stdout, /^Usage: kubectl rackwright history \[options\]/);
    assert.equal(run('rackwright', 'get', 'switches', '-o', 'xml').status, 2);
  });

  test('completes what is typed after kubectl rackwright', () => {
    const { stdout, stderr } = run('__complete', 'rackwright', 'get', 'switches', '-n', 'simulated', 'tor-r01-');
    assert.match(stdout, /^tor-r01-a\ntor-r01-b\n:4$/m, stderr);
  });
}
