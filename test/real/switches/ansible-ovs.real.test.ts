import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../../src/kube/index.ts';
import { switchContract } from '../../../src/switches/contract/switch-contract.ts';
import {
  type AnsibleRunner,
  createAnsibleRunner,
  createMemoryHostKeys,
  openAnsibleSwitch,
  type PortSettings,
  type SshCredentials,
  type SwitchDevice,
} from '../../../src/switches/index.ts';
import { describeHostPortLife, type SwitchToLiveOn } from './host-port-life.ts';
import { describeInterleavings, interleavingsMs } from './interleavings.ts';
import { switchPrograms, whyNoRealSwitches } from './programs.ts';
import { type RealOvs, startOvs } from './real-ovs.ts';
import { type RealSsh, startSsh } from './real-ssh.ts';

const access = (untaggedVlan: number): PortSettings => ({ isDisabled: false, untaggedVlan, taggedVlans: [], acl: [] });

describe('a real Open vSwitch by Ansible', {
  skip: whyNoRealSwitches() ?? false,
  timeout: 1_800_000 + interleavingsMs,
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'ans-'));
  let ovs: RealOvs;
  let ssh: RealSsh;
  let runner: AnsibleRunner;
  before(async () => {
    const programs = await switchPrograms('ansible');
    ovs = await startOvs(folder);
    ssh = await startSsh(ovs);
    runner = createAnsibleRunner({
      python: join(programs, 'venv', 'bin', 'python'),
      collections: [join(programs, 'collections')],
    });
  });
  after(async () => {
    await runner?.close();
    await ssh?.stop();
    await ovs?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  interface Wish {
    readonly os?: 'openvswitch' | 'cumulus';
    readonly credentials?: Partial<SshCredentials>;
    readonly port?: number;
    readonly hostKey?: string;
    readonly hostKeys?: ReturnType<typeof createMemoryHostKeys>;
  }
  const open = ({
    os = 'openvswitch',
    credentials,
    port = ssh.port,
    hostKey = ssh.hostKey,
    hostKeys = createMemoryHostKeys(),
  }: Wish = {}): SwitchDevice =>
    openAnsibleSwitch({
      clock: systemClock,
      runner,
      object: { namespace: 'default', name: 'leaf' },
      hostKeys,
      spec: {
        os,
        ip: '127.0.0.1',
        port,
        ...(os === 'openvswitch' ? { bridge: ovs.bridge } : {}),
        credentialsSecret: { name: 'login' },
        hostKey,
      },
      credentials: { username: ssh.username, password: ssh.password, ...credentials },
    });

  switchContract({
    name: 'a real Open vSwitch by Ansible',
    async open() {
      const [one = '', other = ''] = ovs.ports;
      return {
        device: open(),
        ports: [one, other],
        setUntaggedVlan: async (port, vlan) => void (await ovs.vsctl('set', 'port', port, `tag=${vlan}`)),
        unreachable: open({ port: 9 }),
        denied: open({ credentials: { password: 'wrong' } }),
        close: async () => undefined,
      };
    },
  });

  const toLiveOn = (): SwitchToLiveOn => ({
    kind: 'AnsibleSwitch',
    spec: {
      ...{ os: 'openvswitch', ip: '127.0.0.1', port: ssh.port, bridge: ovs.bridge },
      ...{ credentialsSecret: { name: 'login' }, hostKey: ssh.hostKey },
    },
    secret: { username: ssh.username, password: ssh.password },
    providers: {
      open(access) {
        assert.ok(access.kind === 'AnsibleSwitch');
        const hostKeys = createMemoryHostKeys();
        return openAnsibleSwitch({ clock: systemClock, runner, hostKeys, object: access, ...access });
      },
    },
  });
  describeHostPortLife(() => ovs, toLiveOn);
  describeInterleavings(() => ovs, toLiveOn, { count: 1, settleMs: 20_000, pauseMs: 4000 });

  it('takes a private key instead of a password, and proves its work by frames', async (context) => {
    const device = open({ credentials: { password: undefined, privateKey: ssh.privateKey } });
    context.after(() => device.close());
    const [one = '', other = '', third = '', fourth = ''] = ovs.ports;
    const deny = {
      family: 'ipv4',
      action: 'deny',
      protocol: 'tcp',
      sourcePorts: [],
      destinationPorts: [{ first: 22, last: 30 }],
    } as const;
    const allow = { family: 'ipv4', action: 'allow', protocol: 'all', sourcePorts: [], destinationPorts: [] } as const;
    const results = await device.apply([
      { port: one, wanted: { ...access(10), acl: [deny, allow] } },
      { port: other, wanted: access(10) },
      { port: third, wanted: access(20) },
      { port: fourth, wanted: { isDisabled: false, taggedVlans: [{ first: 10, last: 10 }], acl: [] } },
    ]);
    for (const result of results.values()) assert.equal(result.kind, 'done', JSON.stringify(result));
    await ovs.checkFrame(0, {}, { 1: 'untagged', 3: 10 });
    const packet = { source: '10.9.0.1', destination: '10.9.0.2', protocol: 'tcp' } as const;
    await ovs.checkFrame(0, { packet: { ...packet, destinationPort: 22 } }, {});
    await ovs.checkFrame(0, { packet: { ...packet, destinationPort: 80 } }, { 1: 'untagged', 3: 10 });
    const cleared = await device.clear([{ port: one }, { port: other }]);
    for (const result of cleared.values()) assert.equal(result.kind, 'done', JSON.stringify(result));
    await ovs.checkFrame(0, {}, {});
  });

  it('logs in where nothing is read, too: a wrong password and a switch that is away are told', async () => {
    const blind = { os: 'cumulus' } as const;
    const verified = await open(blind).verify();
    assert.equal(verified.kind, 'done', JSON.stringify(verified));
    assert.equal((await open({ ...blind, credentials: { password: 'wrong' } }).verify()).kind, 'denied');
    assert.equal((await open({ ...blind, port: 9 }).verify()).kind, 'unreachable');
    // The role is found where pip puts it; the collection of this system is not installed here.
    const set = (await open(blind).apply([{ port: 'swp1', wanted: access(10) }])).get('swp1');
    assert.match(set?.kind === 'uncertain' ? set.message : JSON.stringify(set), /nclu/);
  });

  it('sends no credentials to a switch with another host key', async () => {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'other')]);
    const device = open({ hostKey: readFileSync(join(folder, 'other.pub'), 'utf8') });
    const result = await device.verify();
    assert.equal(result.kind, 'untrusted', JSON.stringify(result));
    await device.close();
  });

  it('keeps the first host key it sees, and refuses another one later', async () => {
    const hostKeys = createMemoryHostKeys();
    const device = open({ hostKey: '', hostKeys });
    assert.equal((await device.verify()).kind, 'done');
    const place = `[127.0.0.1]:${ssh.port}`;
    assert.match(hostKeys.keys.get(place) ?? '', new RegExp(ssh.hostKey.split(' ')[1]?.slice(0, 20) ?? 'x'));
    hostKeys.keys.set(place, `${place} ${readFileSync(join(folder, 'other.pub'), 'utf8')}`);
    assert.equal((await device.verify()).kind, 'untrusted');
    await device.close();
  });

  it('shows secrets in no command line, no environment, no message, and leaves none in files', async (context) => {
    const seen = new Set<string>();
    const look = (): void => {
      for (const pid of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
        for (const file of ['cmdline', 'environ']) {
          try {
            seen.add(readFileSync(`/proc/${pid}/${file}`, 'latin1'));
          } catch {
            // The process is gone.
          }
        }
      }
    };
    const timer = setInterval(look, 15);
    context.after(() => clearInterval(timer));
    const device = open();
    assert.equal((await device.verify()).kind, 'done');
    const denied = await open({ credentials: { password: 'a-wrong-secret' } }).verify();
    clearInterval(timer);
    assert.equal(JSON.stringify(denied).includes('a-wrong-secret'), false);
    assert.ok(
      [...seen].some((text) => text.includes('UserKnownHostsFile')),
      'ssh was looked at',
    );
    for (const text of seen) assert.equal(text.includes('p{{ 7*7') || text.includes('a-wrong-secret'), false);
    await device.close();
    const left = spawnSync(
      'grep',
      [
        '-rlF',
        '--',
        'p{{ 7*7',
        ...readdirSync(tmpdir())
          .filter((each) => each.startsWith('rwa-'))
          .map((each) => join(tmpdir(), each)),
        '/dev/null',
      ],
      { encoding: 'utf8' },
    ).stdout.trim();
    assert.equal(left, '');
  });
});
