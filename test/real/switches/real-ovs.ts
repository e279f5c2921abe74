import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createCertificateAuthority, issueClientCertificate, issueServerCertificate } from '../../../src/kube/index.ts';
import type { TlsCredentials } from '../../../src/switches/index.ts';
import { freePortRange } from '../free-ports.ts';
import { holdAlone } from '../hold-alone.ts';
import { until } from '../ironic/until.ts';
import { type StartedProcess, startProcess } from '../processes.ts';
import { type FrameOrder, frameOf } from './frames.ts';
import { switchPrograms } from './programs.ts';

const execute = promisify(execFile);

/** The tags with which a frame came to hosts, by their place. */
type Arrivals = Readonly<Record<number, number | 'untagged'>>;

/** A running Open vSwitch with one bridge, and hosts in network namespaces plugged into it. */
export interface RealOvs {
  readonly root: string;
  readonly folder: string;
  readonly bridge: string;
  /** Addresses of the database and of OpenFlow, on the machine and by network. */
  readonly unixAddress: string;
  readonly tcpAddress: string;
  readonly sslAddress: string;
  /** What a client needs that the switch lets in, and an authority that it does not know. */
  readonly tls: TlsCredentials & { readonly foreign: TlsCredentials };
  readonly openflowAddress: string;
  /** Ports of the bridge; the host of the same place in `hosts` is plugged in. */
  readonly ports: readonly string[];
  readonly hosts: readonly string[];
  vsctl(...words: readonly string[]): Promise<string>;
  ofctl(...words: readonly string[]): Promise<string>;
  /** Checks which hosts, by their place, receive a frame that one sends, and with which tag. */
  checkFrame(from: number, order: FrameOrder, wanted: Arrivals, message?: string): Promise<void>;
  /** Stops and starts ovs-vswitchd, as an upgrade does. */
  restartSwitch(): Promise<void>;
  stop(): Promise<void>;
}

const hostCount = 4;

/** Starts Open vSwitch in user space, everything under one folder. */
export async function startOvs(folder: string): Promise<RealOvs> {
  const programs = await switchPrograms('ovs');
  // Its devices are the machine's: two of them do not go together.
  const giveBack = await holdAlone('open-vswitch');
  const root = join(programs, 'root');
  const run = join(folder, 'run');
  for (const each of ['run', 'log', 'db']) mkdirSync(join(folder, each), { recursive: true });
  const [port, flowPort] = await Promise.all([freePortRange(1), freePortRange(1)]);
  const env = environment(root, folder);
  const database = join(folder, 'db', 'conf.db');
  await execute(
    join(root, 'usr/bin/ovsdb-tool'),
    ['create', database, join(root, 'usr/share/openvswitch/vswitch.ovsschema')],
    { env },
  );
  const tls = await prepareTls(folder);
  const server = startProcess({
    name: 'ovsdb-server',
    file: join(root, 'usr/sbin/ovsdb-server'),
    args: [
      database,
      ...tls.words,
      `--remote=punix:${run}/db.sock`,
      `--remote=ptcp:${port}:127.0.0.1`,
      `--unixctl=${run}/ovsdb.ctl`,
    ],
    env,
    logPath: join(folder, 'log', 'ovsdb-server.log'),
  });
  await until({
    what: 'the database of the switch',
    timeoutMs: 120_000,
    look: async () => existsSync(join(run, 'db.sock')) || undefined,
    detail: () => server.tail(),
  });
  const vsctl = async (...words: readonly string[]) =>
    (await execute(join(root, 'usr/bin/ovs-vsctl'), [`--db=unix:${run}/db.sock`, '--timeout=120', ...words], { env }))
      .stdout;
  const ofctl = async (...words: readonly string[]) =>
    (await execute(join(root, 'usr/bin/ovs-ofctl'), ['-OOpenFlow14', ...words], { env })).stdout;
  await vsctl('--no-wait', 'init');
  const startSwitch = (): StartedProcess =>
    startProcess({
      name: 'ovs-vswitchd',
      file: join(root, 'usr/lib/openvswitch-switch/ovs-vswitchd'),
      args: [`unix:${run}/db.sock`, '--disable-system', '--disable-system-route', `--unixctl=${run}/vswitchd.ctl`],
      env,
      logPath: join(folder, 'log', 'ovs-vswitchd.log'),
    });
  let daemon = startSwitch();
  // The bridge is a device of this machine, so its name must be nobody else's.
  const mark = `rw${process.pid.toString(36)}`;
  const bridge = `${mark}b`;
  await vsctl('add-br', bridge, '--', 'set', 'bridge', bridge, 'datapath_type=netdev');
  await vsctl('set-controller', bridge, `ptcp:${flowPort}:127.0.0.1`);
  const { ports, hosts } = plugHosts(mark, env);
  for (const each of ports) await vsctl('add-port', bridge, each);
  return {
    root,
    folder,
    bridge,
    unixAddress: `unix:${run}/db.sock`,
    sslAddress: tls.address,
    tls: tls.credentials,
    tcpAddress: `tcp:127.0.0.1:${port}`,
    openflowAddress: `tcp:127.0.0.1:${flowPort}`,
    ports,
    hosts,
    vsctl,
    ofctl,
    async checkFrame(from, order, wanted, message) {
      const seen = await probe(hosts, { ...order, from, wanted: Object.keys(wanted).length });
      assert.deepEqual(seen, wanted, message);
    },
    async restartSwitch() {
      await daemon.stop();
      daemon = startSwitch();
      await vsctl('list-ports', bridge);
      await vsctl('set', 'bridge', bridge, 'other_config:restarted=true');
    },
    async stop() {
      // Devices of a bridge stay on the machine unless it is taken away first.
      if (daemon.isRunning()) await vsctl('del-br', bridge);
      await daemon.stop();
      await server.stop();
      for (const each of hosts) spawnSync('ip', ['netns', 'del', each]);
      await giveBack();
    },
  };
}

/** The switch takes clients of its own authority only. */
async function prepareTls(folder: string) {
  const now = new Date();
  const authority = await createCertificateAuthority({ now, commonName: 'switches' });
  const other = await createCertificateAuthority({ now, commonName: 'others' });
  const server = await issueServerCertificate(authority, { now, ips: ['127.0.0.1'] });
  const client = await issueClientCertificate(authority, { now, commonName: 'rackwright' });
  const stranger = await issueClientCertificate(other, { now, commonName: 'stranger' });
  const files = {
    'private-key': server.privateKeyPem,
    certificate: server.certificatePem,
    'ca-cert': authority.certificatePem,
  };
  const words = Object.entries(files).map(([name, text]) => {
    writeFileSync(join(folder, `${name}.pem`), text, { mode: 0o600 });
    return `--${name}=${join(folder, `${name}.pem`)}`;
  });
  const port = await freePortRange(1);
  const foreign = {
    authority: authority.certificatePem,
    certificate: stranger.certificatePem,
    privateKey: stranger.privateKeyPem,
  };
  return {
    words: [...words, `--remote=pssl:${port}:127.0.0.1`],
    address: `ssl:127.0.0.1:${port}`,
    credentials: {
      authority: authority.certificatePem,
      certificate: client.certificatePem,
      privateKey: client.privateKeyPem,
      foreign,
    },
  };
}

function environment(root: string, folder: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    LD_LIBRARY_PATH: `${root}/usr/lib/x86_64-linux-gnu:${root}/usr/lib/aarch64-linux-gnu`,
    OVS_RUNDIR: join(folder, 'run'),
    OVS_LOGDIR: join(folder, 'log'),
    OVS_DBDIR: join(folder, 'db'),
  };
}

/** Makes namespaces with one cable each; the short names keep within what the kernel takes. */
function plugHosts(
  mark: string,
  env: NodeJS.ProcessEnv,
): { readonly ports: readonly string[]; readonly hosts: readonly string[] } {
  const ip = (...words: readonly string[]): void => {
    const { status, stderr } = spawnSync('ip', words, { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`ip ${words.join(' ')}: ${stderr}`);
  };
  const numbers = Array.from({ length: hostCount }, (_, index) => index + 1);
  for (const each of numbers) {
    ip('netns', 'add', `${mark}h${each}`);
    ip('link', 'add', `${mark}p${each}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', `${mark}h${each}`);
    ip('link', 'set', `${mark}p${each}`, 'up');
    ip('-n', `${mark}h${each}`, 'link', 'set', 'eth0', 'up');
  }
  return { ports: numbers.map((each) => `${mark}p${each}`), hosts: numbers.map((each) => `${mark}h${each}`) };
}

async function probe(
  hosts: readonly string[],
  { from, wanted, ...order }: FrameOrder & { readonly from: number; readonly wanted: number },
): Promise<Arrivals> {
  const run = execute('python3', [join(import.meta.dirname, 'probe.py')]);
  const frame = frameOf(order).toString('hex');
  // What shall arrive gets the time it needs; what shall not is looked for a moment longer.
  run.child.stdin?.end(JSON.stringify({ hosts, from: hosts[from], frame, wanted, patienceMs: 60_000, waitMs: 400 }));
  const seen = JSON.parse((await run).stdout) as Record<string, number | null>;
  return Object.fromEntries(Object.entries(seen).map(([host, tag]) => [hosts.indexOf(host), tag ?? 'untagged']));
}
