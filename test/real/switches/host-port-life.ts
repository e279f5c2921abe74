import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type BareMetalHost, metal3ApiVersion, type ProviderSwitchKind } from '../../../src/api/index.ts';
import { createHostNetwork, startHostControllers } from '../../../src/hosts/index.ts';
import { type AnyKubeObject, createClient, type KubeObject, systemClock } from '../../../src/kube/index.ts';
import { providerResources } from '../../../src/network/resources.ts';
import {
  type ApiRig,
  openApi,
  putConfiguration,
  putLimit,
  putNamespace,
  startControllers,
  until,
  untilGone,
  untilState,
} from '../../../src/network/testing/rig.ts';
import type { SwitchProviders } from '../../../src/switches/index.ts';
import { embeddedConnection } from '../../e2e/embedded-connection.ts';
import { createBootingProvisioners, infra, putHost, tenant } from '../../e2e/ports-plane.ts';
import type { RealOvs } from './real-ovs.ts';

/** How the switch is named and reached. */
export interface SwitchToLiveOn {
  readonly kind: ProviderSwitchKind;
  readonly spec: object;
  /** What the Secret `login` holds; undefined where none is needed. */
  readonly secret?: Readonly<Record<string, string>> | undefined;
  readonly providers: Pick<SwitchProviders, 'open'>;
}

const mac = '02:00:00:00:00:01';
const at = { namespace: tenant, name: 'h1' };
const port = `${infra}/socket-1`;
const packet = { source: '10.9.0.1', destination: '10.9.0.2', protocol: 'tcp' } as const;

/**
 * The life of a host's port on a real Open vSwitch, from BareMetalHost to frames: the first machine is the host, the second
 * serves boots on VLAN 100, the third is of the same tenant on VLAN 10, the fourth of another one on VLAN 20.
 */
export function describeHostPortLife(ovs: () => RealOvs, open: () => SwitchToLiveOn): void {
  describe('the port of a host', () => {
    const boots: string[] = [];
    const embedded = embeddedConnection();
    const ends: (() => Promise<void> | void)[] = [];
    let api: Pick<ApiRig, 'hosts' | 'ports' | 'switches' | 'client' | 'configurations' | 'limits'>;
    const inState = (state: string) =>
      until(
        api.hosts,
        at,
        ({ status }: BareMetalHost & KubeObject) =>
          status?.provisioning.state === state &&
          status.conditions?.find(({ type }) => type === 'NetworkConfigured')?.status === 'True',
      );
    const edit = (spec: object) => api.hosts.patch(at, { type: 'merge', body: { spec } });

    before(async () => {
      const connection = await embedded.connect();
      const rig = await openApi(connection);
      ends.push(rig.close);
      api = rig;
      for (const name of [infra, tenant]) await putNamespace(rig, name);
      for (const [place, vlan] of [100, 10, 20].entries()) {
        await ovs().vsctl('set', 'port', ovs().ports[place + 1] ?? '', `tag=${vlan}`, 'vlan_mode=access');
      }
      const { providers, ...described } = open();
      await describeSwitch(rig, { ...described, sockets: ovs().ports.slice(0, 1) });
      const network = await startControllers(rig, { providers, settings: { callMs: 120_000 } });
      ends.push(network.stop);
      const client = await createClient(connection);
      const ways = createHostNetwork({ client, informers: network.controllers.informers });
      const machines = { boots, isAnswered: () => hasBootServer(ovs()), nicsOf: () => [{ name: 'eth0', mac }] };
      const hosts = startHostControllers({
        ...{ client, clock: systemClock, random: Math.random, network: ways },
        provisioners: createBootingProvisioners(machines),
      });
      ends.push(
        () => client.close(),
        () => ways.close(),
        () => hosts.stop(),
      );
      await hosts.whenSynced();
      await putConfiguration(rig, `${infra}/pxe`, { untaggedVLAN: 100 });
      await putConfiguration(rig, `${tenant}/blue`, {
        untaggedVLAN: 10,
        acl: [
          { type: 'ipv4', action: 'deny', protocol: 'TCP', desPortRange: '22' },
          { type: 'ipv4', action: 'allow', protocol: 'ALL' },
        ],
      });
      await putLimit(rig, tenant, '10-19');
    });
    after(async () => {
      for (const end of ends.reverse()) await end();
      await embedded.stop();
    });

    it('is not written to before a host names it', async () => {
      await ovs().vsctl('set', 'port', ovs().ports[0] ?? '', 'tag=30', 'vlan_mode=access');
      await untilState(api, port, 'Idle');
      assert.equal((await ovs().vsctl('get', 'port', ovs().ports[0] ?? '', 'tag')).trim(), '30');
    });

    it('is on the provisioning network before the machine is inspected', async () => {
      const provisioningConfiguration = { name: 'pxe', namespace: infra };
      const entry = { mac, port: { name: 'socket-1', namespace: infra }, provisioningConfiguration };
      await putHost(api, { name: 'h1', server: 0, ports: [{ ...entry, configuration: { name: 'blue' } }] });
      await inState('available');
      assert.deepEqual([...new Set(boots.splice(0))], ['inspect booted']);
      await ovs().checkFrame(0, {}, { 1: 'untagged' });
    });

    it('is on the network of its tenant alone once the machine is deployed, with the access list', async () => {
      await edit({ image: { url: 'http://images.example/a.qcow2', checksum: 'abc' } });
      await inState('provisioned');
      assert.deepEqual([...new Set(boots.splice(0))], ['provision booted']);
      await ovs().checkFrame(0, {}, { 2: 'untagged' });
      await ovs().checkFrame(3, {}, {});
      await ovs().checkFrame(0, { packet: { ...packet, destinationPort: 22 } }, {});
      await ovs().checkFrame(0, { packet: { ...packet, destinationPort: 443 } }, { 2: 'untagged' });
    });

    it('is on the provisioning network again before the machine is deprovisioned', async () => {
      await edit({ image: null });
      await inState('available');
      assert.deepEqual([...new Set(boots.splice(0))], ['deprovision booted']);
      await ovs().checkFrame(0, { packet: { ...packet, destinationPort: 22 } }, { 1: 'untagged' });
    });

    it('is clean when the host is gone', async () => {
      await api.hosts.delete(at);
      await untilGone(api.hosts, `${tenant}/h1`);
      await untilState(api, port, 'Idle');
      for (const from of [0, 1, 2, 3]) await ovs().checkFrame(from, {}, {});
    });
  });
}

/** Makes a Switch of these ports of a bridge: `socket-1` and so on. */
export async function describeSwitch(
  { client, switches }: Pick<ApiRig, 'client' | 'switches'>,
  { kind, spec, secret, sockets }: Omit<SwitchToLiveOn, 'providers'> & { readonly sockets: readonly string[] },
): Promise<void> {
  const metadata = { namespace: infra, name: 'lab' };
  if (secret !== undefined) {
    const secrets = client.resource<AnyKubeObject>({ group: '', version: 'v1', resource: 'secrets', namespaced: true });
    const login = { metadata: { namespace: infra, name: 'login' }, stringData: secret };
    await secrets.create({ apiVersion: 'v1', kind: 'Secret', ...login } as AnyKubeObject);
  }
  const provider = client.resource<AnyKubeObject>(providerResources[kind]);
  await provider.create({ apiVersion: metal3ApiVersion, kind, metadata, spec } as AnyKubeObject);
  await switches.create({
    ...{ apiVersion: metal3ApiVersion, kind: 'Switch', metadata },
    spec: {
      provider: { kind, name: 'lab' },
      ports: Object.fromEntries(sockets.map((name, at) => [`socket-${at + 1}`, { name }])),
    },
  });
}

/** Whether a frame of the first machine reaches the boot server, and nobody else. */
async function hasBootServer(ovs: RealOvs): Promise<boolean> {
  try {
    await ovs.checkFrame(0, {}, { 1: 'untagged' });
    return true;
  } catch (error) {
    if (error instanceof assert.AssertionError) return false;
    throw error;
  }
}
