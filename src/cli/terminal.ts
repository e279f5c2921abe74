import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';

/** All that commands know of the world they were typed in. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted when the person, or the system, asks the command to stop. */
  readonly interrupted: AbortSignal;
  /** True when a person sees what is written as it is written. */
  readonly isInteractive?: boolean;
  /** True when kubectl runs the command, as `kubectl rackwright`. */
  readonly isKubectlPlugin?: boolean;
  /** Writes a result, exactly as given. */
  out(text: string): void;
  /** Writes a message about the work, exactly as given. */
  err(text: string): void;
  readInput(): Promise<string>;
  /** Runs an interactive shell command on this terminal and gives its exit code. */
  runInteractive(command: string): Promise<number>;
}

/** The terminal of this process. Call it once: it takes over SIGINT and SIGTERM. */
export function createProcessTerminal(): Terminal {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort());
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // Whoever read our output has seen enough, as in `rackwright get ... | head`.
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
  }
  return {
    env: process.env,
    cwd: process.cwd(),
    interrupted: interruption.signal,
    isInteractive: process.stdout.isTTY === true,
    isKubectlPlugin: basename(process.argv[1] ?? '').startsWith('kubectl-'),
    out: (line) => void process.stdout.write(line),
    err: (line) => void process.stderr.write(line),
    readInput: () => text(process.stdin),
    runInteractive,
  };
}

function runInteractive(command: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
