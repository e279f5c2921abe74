import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { nodeOptions } from '../bin/node-options.mjs';
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

/**
 * Starts the embedded API server by the command that users type, on a machine where it ran before: what Node compiles is
 * kept from the first start on.
 */
export async function startEmbedded(dataDir: string): Promise<MeasuredServer> {
  const port = await freePortRange(1);
  const began = performance.now();
  const program = join(import.meta.dirname, '..', 'bin', 'rackwright.mjs');
  const args = [...nodeOptions, program, 'apiserver', '--data-dir', dataDir, '--port', String(port)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit');
    if (child.kill('SIGTERM')) await ended;
  };
  try {
    await untilListening(child.stdout);
    const endpoint = readEndpoint(join(dataDir, 'kubeconfig'), port);
    await untilReady(endpoint);
    const readyMs = performance.now() - began;
    const pid = child.pid ?? 0;
    return {
      name: 'embedded',
      endpoint,
      readyMs,
      residentMiB: () => residentMiB(pid),
      cpuMs: () => cpuMs(pid),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
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

/** The command says where it listens; what it says after that has to be read, or it would wait for a reader. */
async function untilListening(stream: NodeJS.ReadableStream): Promise<void> {
  const hasSpoken = await Promise.race([once(stream, 'data').then(() => true), once(stream, 'end').then(() => false)]);
  if (!hasSpoken) throw new Error('the embedded server ended before it was ready');
  stream.resume();
}

function readEndpoint(kubeconfig: string, port: number): Endpoint {
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as {
    clusters: { cluster: { 'certificate-authority-data': string } }[];
    users: { user: { token: string } }[];
  };
  const ca = clusters[0]?.cluster['certificate-authority-data'] ?? '';
  return { port, caPem: Buffer.from(ca, 'base64').toString(), token: users[0]?.user.token ?? '' };
}
