import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';

const launcher = new URL('../bin/launch.mjs', import.meta.url).href;

/** A launcher of a program, whose output both share: it ends when both are gone. */
function start(t: TestContext, program: string) {
  const code = `import { launch } from '${launcher}'; launch(process.execPath, ['-e', process.argv[1]]);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGTERM'));
  return child;
}

test('a program ends with its launcher, also when that is killed', async (t) => {
  const child = start(t, `console.log('started'); setInterval(() => {}, 1000);`);
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child.stdout, 'close');
});

test('the launcher ends as its program did, and keeps none from ending', async (t) => {
  const [code] = await once(start(t, 'process.exitCode = 3'), 'exit');
  assert.equal(code, 3);
  const [killed] = await once(start(t, `process.kill(process.pid, 'SIGKILL')`), 'exit');
  assert.equal(killed, 137);
});
