import { once } from 'node:events';
import { CliError, explainError } from './errors.ts';
import type { Terminal } from './terminal.ts';

/** Runs a server. Being told to stop while it starts is as good an end as later. */
export async function runServer(terminal: Terminal, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!terminal.interrupted.aborted || explainError(error).outcome !== 'interrupted') throw error;
    terminal.err('Stopped before it was ready.\n');
  }
}

const stopWithinMs = 15_000;

/** Waits for Ctrl-C or SIGTERM, then closes; a close that hangs ends the command with an error instead. */
export async function runUntilInterrupted(terminal: Terminal, close: () => Promise<void>): Promise<void> {
  const { interrupted } = terminal;
  if (!interrupted.aborted) await once(interrupted, 'abort');
  terminal.out('Stopping ...\n');
  const late = new Promise<never>((_, reject) => {
    const text = `it did not stop within ${stopWithinMs / 1000} s and was ended; nothing that was answered is lost`;
    setTimeout(() => reject(new CliError('failed', text)), stopWithinMs).unref();
  });
  await Promise.race([close(), late]);
  terminal.out('Stopped.\n');
}
