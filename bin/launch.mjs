// Runs a program on another Node than that of this process, which waits for it.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const endWithLauncher = new URL('./end-with-launcher.mjs', import.meta.url).href;

/** Runs a program to its end and ends as it did. The program ends, too, when this process is killed. */
export function launch(node, words) {
  const child = spawn(node, ['--import', endWithLauncher, ...words], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to both of us already.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  // As a shell has it: one that was ended by signal 2 ends with 130.
  child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 128 + constants.signals[signal]));
}
