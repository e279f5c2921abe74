import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePortRange } from '../free-ports.ts';
import { type StartedProcess, startProcess } from '../processes.ts';
import { realS3Server } from './binaries.ts';

/** A running S3 server on a folder, with one bucket. */
export interface RealS3 {
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  stop(): Promise<void>;
}

/** Starts versitygw on loopback and resolves when it answers. */
export async function startS3(dataDir: string): Promise<RealS3> {
  const file = await realS3Server();
  const login = { accessKeyId: 'rackwright', secretAccessKey: 'not-a-real-secret' };
  const bucket = 'firmware';
  for (const each of ['root', 'sidecar']) mkdirSync(join(dataDir, each), { recursive: true });
  // A folder in the root is a bucket.
  mkdirSync(join(dataDir, 'root', bucket));
  const port = await freePortRange(1);
  const server = startProcess({
    name: 'versitygw',
    file,
    // What is known of objects goes beside them: not every file system has extended attributes.
    args: ['--port', `127.0.0.1:${port}`, 'posix', '--sidecar', join(dataDir, 'sidecar'), join(dataDir, 'root')],
    env: { ...process.env, ROOT_ACCESS_KEY: login.accessKeyId, ROOT_SECRET_KEY: login.secretAccessKey },
    cwd: dataDir,
    logPath: join(dataDir, 'versitygw.log'),
  });
  const endpoint = `http://127.0.0.1:${port}`;
  await waitUntilReady(server, endpoint);
  return { endpoint, bucket, ...login, stop: () => server.stop() };
}

async function waitUntilReady(server: StartedProcess, endpoint: string): Promise<void> {
  for (;;) {
    if (!server.isRunning()) throw new Error(`versitygw ended: ${server.tail()}`);
    const answer = await fetch(endpoint).catch(() => undefined);
    if (answer !== undefined) return;
    await delay(50);
  }
}
