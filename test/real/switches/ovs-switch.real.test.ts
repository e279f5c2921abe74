import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../../src/kube/index.ts';
import { switchContract } from '../../../src/switches/contract/switch-contract.ts';
import {
  cleanSettings,
  openOvsSwitch,
  type PortSettings,
  type SwitchDevice,
  type SwitchEvent,
  type TlsCredentials,
  vlanSetOf,
} from '../../../src/switches/index.ts';
import { describeFlowDrift } from './flow-drift.ts';
import { describeHostPortLife, type SwitchToLiveOn } from './host-port-life.ts';
import { describeInterleavings, interleavingsMs } from './interleavings.ts';
import { whyNoRealSwitches } from './programs.ts';
import { type RealOvs, startOvs } from './real-ovs.ts';

/** The switch shares a busy machine with the test. */
const patience = { timeoutMs: 120_000, probeMs: 60_000 };

const access = (untaggedVlan: number): PortSettings => ({ isDisabled: false, untaggedVlan, taggedVlans: [], acl: [] });

describe('a real Open vSwitch by OVSDB and OpenFlow', {
  skip: whyNoRealSwitches() ?? false,
  timeout: 1_200_000 + interleavingsMs,
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'ovs-'));
  let ovs: RealOvs;
  before(async () => {
    ovs = await startOvs(folder);
  });
  after(async () => {
    await ovs?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = (more: { readonly address?: string; readonly openflowAddress?: string } = {}): SwitchDevice =>
    openOvsSwitch({
      clock: systemClock,
      random: Math.random,
      ...patience,
      spec: { address: ovs.unixAddress, bridge: ovs.bridge, ...more },
    });

  for (const way of ['unix sockets', 'TCP'] as const) {
    switchContract({
      name: `a real Open vSwitch over ${way}`,
      async open() {
        const [one = '', other = ''] = ovs.ports;
        return {
          device: way === 'TCP' ? open({ address: ovs.tcpAddress, openflowAddress: ovs.openflowAddress }) : open(),
          ports: [one, other],
          setUntaggedVlan: async (port, vlan) => void (await ovs.vsctl('set', 'port', port, `tag=${vlan}`)),
          unreachable: open({ address: 'tcp:127.0.0.1:9' }),
          close: async () => undefined,
        };
      },
    });
  }

  async function set(device: SwitchDevice, settings: readonly PortSettings[]): Promise<void> {
    const results = await device.apply(settings.map((wanted, index) => ({ port: ovs.ports[index] ?? '', wanted })));
    for (const result of results.values()) assert.equal(result.kind, 'done', JSON.stringify(result));
  }

  const toLiveOn = (): SwitchToLiveOn => ({
    kind: 'OVSSwitch',
    spec: { address: ovs.tcpAddress, openflowAddress: ovs.openflowAddress, bridge: ovs.bridge },
    providers: {
      open(access) {
        assert.ok(access.kind === 'OVSSwitch');
        return openOvsSwitch({ clock: systemClock, random: Math.random, ...patience, ...access });
      },
    },
  });
  describeHostPortLife(() => ovs, toLiveOn);
  describeFlowDrift(() => ovs, toLiveOn);
  describeInterleavings(() => ovs, toLiveOn, { count: 2, settleMs: 3000, pauseMs: 400 });

  it('is reached by TLS both ways, and tells a strange certificate of the switch from one of ours', async () => {
    const { foreign, ...tls } = ovs.tls;
    const kindOf = async (credentials: TlsCredentials): Promise<string> => {
      const spec = { address: ovs.sslAddress, bridge: ovs.bridge };
      const device = openOvsSwitch({ clock: systemClock, random: Math.random, ...patience, spec, credentials });
      const result = await device.verify();
      await device.close();
      return result.kind;
    };
    assert.equal(await kindOf(tls), 'done');
    assert.equal(await kindOf(foreign), 'denied');
    assert.equal(await kindOf({ ...tls, authority: foreign.certificate }), 'untrusted');
    assert.equal(await kindOf({ ...tls, privateKey: 'no key' }), 'denied');
  });

  it('carries frames where the VLANs say, and nowhere else', async (context) => {
    const device = open();
    context.after(() => device.close());
    await set(device, [access(10), access(10), access(20), { ...access(99), taggedVlans: vlanSetOf([10, 20]) }]);
    await ovs.checkFrame(0, {}, { 1: 'untagged', 3: 10 });
    await ovs.checkFrame(2, {}, { 3: 20 });
    await ovs.checkFrame(3, { tag: 10 }, { 0: 'untagged', 1: 'untagged' });
    await ovs.checkFrame(3, { tag: 30 }, {});
    await set(device, [access(10), access(10), access(10), access(20)]);
    await ovs.checkFrame(0, {}, { 1: 'untagged', 2: 'untagged' });
    await ovs.checkFrame(3, { tag: 10 }, {});
  });

  it('keeps clean ports apart, also when their hosts send tags', async (context) => {
    const device = open();
    context.after(() => device.close());
    await set(device, [cleanSettings(), cleanSettings(), cleanSettings(999), access(10)]);
    for (const tag of [undefined, 0, 10, 999, 4095]) {
      for (const from of [0, 1]) {
        await ovs.checkFrame(from, tag === undefined ? {} : { tag }, {}, `host ${from} with tag ${tag}`);
      }
    }
  });

  it('drops what an access list denies, and all of a port that is shut down', async (context) => {
    const device = open();
    context.after(() => device.close());
    const deny = {
      family: 'ipv4',
      action: 'deny',
      protocol: 'tcp',
      source: '10.9.0.0/24',
      sourcePorts: [],
      destinationPorts: [{ first: 22, last: 30 }],
    } as const;
    const allow = { family: 'ipv4', action: 'allow', protocol: 'tcp', sourcePorts: [], destinationPorts: [] } as const;
    await set(device, [{ ...access(10), acl: [deny, allow] }, access(10), cleanSettings(), cleanSettings()]);
    const packet = { source: '10.9.0.1', destination: '10.9.0.2', protocol: 'tcp' } as const;
    await ovs.checkFrame(0, { packet: { ...packet, destinationPort: 22 } }, {});
    await ovs.checkFrame(0, { packet: { ...packet, destinationPort: 30 } }, {});
    await ovs.checkFrame(0, { packet: { ...packet, destinationPort: 31 } }, { 1: 'untagged' });
    await ovs.checkFrame(0, { packet: { ...packet, source: '10.8.0.1', destinationPort: 22 } }, { 1: 'untagged' });
    await ovs.checkFrame(0, { packet: { ...packet, protocol: 'udp', destinationPort: 53 } }, {}, 'no rule matches');
    await ovs.checkFrame(0, {}, { 1: 'untagged' }, 'not IP');
    await set(device, [access(10), { ...access(10), isDisabled: true }]);
    await ovs.checkFrame(0, {}, {});
    await set(device, [access(10), access(10)]);
    await ovs.checkFrame(0, { packet: { ...packet, destinationPort: 22 } }, { 1: 'untagged' });
  });

  it('tells that the switch restarted and lost its access lists, and sets them again', async (context) => {
    const device = open();
    context.after(() => device.close());
    const acl = [{ family: 'ipv4', action: 'deny', protocol: 'all', sourcePorts: [], destinationPorts: [] }] as const;
    const wanted = { ...access(10), acl };
    await set(device, [wanted]);
    const [port = ''] = ovs.ports;
    const events: SwitchEvent['kind'][] = [];
    let look = (): void => undefined;
    const watch = device.watch(({ kind }) => {
      events.push(kind);
      look();
    });
    context.after(() => watch?.close());
    const told = (kinds: string): Promise<void> =>
      new Promise((resolve) => {
        look = () => {
          if (events.filter((kind) => kind !== 'changed').join(' ') === kinds) resolve();
        };
        look();
      });
    await told('restarted');
    await ovs.restartSwitch();
    await told('restarted lost restarted');
    const seen = (await device.readPorts([port])).get(port);
    assert.equal(seen?.kind === 'done' && seen.value.acl.length, 0);
    assert.equal(seen?.kind === 'done' && seen.value.untaggedVlan, 10);
    await set(device, [wanted]);
    assert.match(await ovs.ofctl('dump-flows', ovs.bridge), /priority=45000,ip,in_port=/);
  });

  it('sees flows of ours that somebody took away or added', async (context) => {
    const device = open();
    context.after(() => device.close());
    const [port = ''] = ovs.ports;
    const acl = [{ family: 'ipv4', action: 'deny', protocol: 'all', sourcePorts: [], destinationPorts: [] }] as const;
    const change = { port, wanted: { ...access(10), acl } };
    await set(device, [change.wanted]);
    await ovs.ofctl('--strict', 'del-flows', ovs.bridge, 'priority=40000,ipv6,in_port=1');
    const plan = (await device.plan([change])).get(port);
    assert.match(
      plan?.kind === 'done' ? (plan.value.differences[0]?.seen ?? '') : '',
      /1 flows of the access list .* missing/,
    );
    await set(device, [change.wanted]);
    const again = (await device.plan([change])).get(port);
    assert.deepEqual(again?.kind === 'done' && again.value.differences, []);
  });

  it('moves the access list with a port that is taken away and added again', async (context) => {
    const device = open();
    context.after(() => device.close());
    const [port = '', other = ''] = ovs.ports;
    const acl = [{ family: 'ipv4', action: 'deny', protocol: 'all', sourcePorts: [], destinationPorts: [] }] as const;
    await set(device, [{ ...access(10), acl }, access(10)]);
    await ovs.vsctl('del-port', ovs.bridge, port);
    assert.equal((await device.readPorts([port])).get(port)?.kind, 'no-port');
    await ovs.vsctl('add-port', ovs.bridge, port, '--', 'set', 'interface', port, 'ofport_request=77');
    await set(device, [{ ...access(10), acl }]);
    assert.equal((await device.readPorts([other])).get(other)?.kind, 'done');
    const flows = await ovs.ofctl('dump-flows', ovs.bridge);
    assert.match(flows, /in_port=(77|"?\w+p1"?)/);
    assert.equal(flows.split('\n').filter((line) => line.includes('priority=40000')).length, 2, flows);
  });
});
