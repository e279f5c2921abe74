import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePortRange } from '../free-ports.ts';
import { until } from '../ironic/until.ts';
import { startProcess } from '../processes.ts';
import type { RealOvs } from './real-ovs.ts';

/** An SSH server on the machine that Open vSwitch runs on. */
export interface RealSsh {
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly privateKey: string;
  /** The server's public host key, as in a known_hosts file without the name. */
  readonly hostKey: string;
  stop(): Promise<void>;
}

// What a template, a shell or YAML would make something else of.
const password = `p{{ 7*7 }}'"$HOME #: %s`;

/** Starts sshd with one user who may use sudo, by password or key. */
export async function startSsh(ovs: RealOvs): Promise<RealSsh> {
  const folder = join(ovs.folder, 'ssh');
  mkdirSync(folder, { recursive: true });
  chmodSync(ovs.folder, 0o755);
  writeFileSync(join(folder, 'password'), `${password}\n`, { mode: 0o600 });
  for (const name of ['host-key', 'user-key']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', join(folder, name)]);
  }
  writeFileSync(join(folder, 'authorized_keys'), readFileSync(join(folder, 'user-key.pub')));
  const port = await freePortRange(1);
  const script = join(import.meta.dirname, 'ssh-machine.sh');
  const server = startProcess({
    name: 'sshd',
    file: 'unshare',
    args: ['-m', '--propagation', 'private', 'bash', script, ovs.root, folder, join(ovs.folder, 'run'), String(port)],
    logPath: join(ovs.folder, 'log', 'sshd.log'),
  });
  await until({
    what: 'sshd',
    timeoutMs: 120_000,
    look: async () => (await answers(port)) || undefined,
    detail: () => server.tail(),
  });
  return {
    port,
    username: 'swadmin',
    password,
    privateKey: readFileSync(join(folder, 'user-key'), 'utf8'),
    hostKey: readFileSync(join(folder, 'host-key.pub'), 'utf8').trim(),
    stop: () => server.stop(),
  };
}

/** True when something greets on the port. */
export function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const leave = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('data', () => leave(true));
    socket.once('error', () => leave(false));
    socket.once('close', () => leave(false));
  });
}
