import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ClientTarget } from '../e2e/apiserver-client.ts';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** An API server in a process of its own, started as users start it. */
export interface ApiServerProcess {
  readonly target: ClientTarget;
  /** Ends it without any warning, and waits until it is gone. */
  kill(): Promise<void>;
}

/** Starts `rackwright apiserver` on a data directory and waits until it says where it is. */
export async function startApiServerProcess(dataDir: string): Promise<ApiServerProcess> {
  const child = launch(dataDir);
  const exit = once(child, 'exit');
  if (child.stdout === null) throw new Error('the process has no output');
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    url ??= /^Kubernetes API\s+(\S+)/.exec(line)?.[1];
    if (url === undefined || !line.startsWith('Admin token')) continue;
    const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
    const target = { url, token, caPem: readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8') };
    return { target, kill: () => killed(child, exit) };
  }
  throw new Error(`the API server ended with ${String(await exit)} before it was ready`);
}

/** Starts the server and kills it while it is starting. */
export async function killWhileStarting(dataDir: string, afterMs: number): Promise<void> {
  const child = launch(dataDir);
  const exit = once(child, 'exit');
  await Promise.race([exit, new Promise((resolve) => setTimeout(resolve, afterMs))]);
  await killed(child, exit);
}

function launch(dataDir: string): ChildProcess {
  const args = [main, 'apiserver', '--data-dir', dataDir, '--port', '0'];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function killed(child: ChildProcess, exit: Promise<unknown>): Promise<void> {
  child.kill('SIGKILL');
  const [code, signal] = (await exit) as [number | null, string | null];
  if (signal !== 'SIGKILL') throw new Error(`the API server ended by itself with ${code ?? signal}`);
}
