import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePortRange } from '../test/real/free-ports.ts';
import { startRealKube } from '../test/real/kube/real-kube.ts';
import { type Endpoint, HttpConnection } from './http-connection.ts';
import { cpuMs, residentMiB } from './processes.ts';

/** A server under measurement. */
export interface MeasuredServer {
  readonly name: 'embedded' | 'real';
  readonly endpoint: Endpoint;
  /** From the start of the processes to the first answer that says ready. */
  readonly readyMs: number;
  /** Resident memory of all its processes. */
  residentMiB(): number;
  /** Processor time that all its processes have used so far. */
  cpuMs(): number;
  stop(): Promise<void>;
}

/** Starts the embedded API server in a process of its own, as users run it. */
export async function startEmbedded(dataDir: string): Promise<MeasuredServer> {
  const began = performance.now();
  const entry = join(import.meta.dirname, 'embedded-process.ts');
  const child = spawn(process.execPath, [entry, dataDir, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await firstLine(child.stdout);
  const facts = JSON.parse(line) as { url: string; caPem: string; token: string };
  const endpoint = { port: Number(new URL(facts.url).port), caPem: facts.caPem, token: facts.token };
  await untilReady(endpoint);
  const readyMs = performance.now() - began;
  return {
    name: 'embedded',
    endpoint,
    readyMs,
    residentMiB: () => residentMiB(child.pid ?? 0),
    cpuMs: () => cpuMs(child.pid ?? 0),
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Starts etcd and kube-apiserver without controllers, so that nothing else writes. */
export async function startReal(dataDir: string): Promise<MeasuredServer> {
  const port = await freePortRange(4);
  const kube = await startRealKube({ dataDir, port, withoutControllers: true });
  return {
    name: 'real',
    endpoint: { port, caPem: kube.caPem, token: kube.adminToken },
    readyMs: kube.startupMs,
    residentMiB: () => Object.values(kube.pids).reduce((sum, pid) => sum + residentMiB(pid), 0),
    cpuMs: () => Object.values(kube.pids).reduce((sum, pid) => sum + cpuMs(pid), 0),
    stop: () => kube.stop(),
  };
}

async function untilReady(endpoint: Endpoint): Promise<void> {
  const connection = await HttpConnection.open(endpoint);
  const deadline = Date.now() + 30_000;
  while ((await connection.request('GET', '/readyz')).body.toString() !== 'ok') {
    if (Date.now() > deadline) throw new Error('the embedded server was not ready within 30 s');
    await new Promise((done) => setTimeout(done, 10));
  }
  connection.close();
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  const [line = ''] = text.split('\n');
  if (line === '') throw new Error('the embedded server ended before it was ready');
  return line;
}
