import {
  type DataCentre,
  fleetManifests,
  type PortName,
  startDataCentre,
  switchPortName,
} from '../../simulator/index.ts';
import { type BareMetalHost, type HardwareDetails, type HostPort, metal3ApiVersion } from '../../src/api/index.ts';
import { fabricPorts } from '../../src/cli/network/fabric-ports.ts';
import { createHostNetwork, startHostControllers } from '../../src/hosts/index.ts';
import {
  type AnyKubeObject,
  type ConnectionSpec,
  createClient,
  createResourceMapper,
  type KubeObject,
  type ResourceClient,
  systemClock,
} from '../../src/kube/index.ts';
import type { NetworkTables } from '../../src/network/index.ts';
import { type ApiRig, openApi, putNamespace, startControllers } from '../../src/network/testing/rig.ts';
import type { Outcome, Provisioners } from '../../src/provisioners/index.ts';
import { createDemoProvisioners } from '../../src/provisioners/testing/demo/index.ts';
import { createFixtureRack } from '../../src/switches/index.ts';

/** The namespace of switches and of what the infra team keeps. */
export const infra = 'infra';
/** The namespace of the hosts of one tenant. */
export const tenant = 'tenant';

/** A simulated data centre whose hosts and switches are looked after on a Kubernetes API. */
export interface PortsPlane {
  readonly api: Omit<ApiRig, 'connection'>;
  readonly dataCentre: DataCentre;
  /** The caches of the network controllers. */
  readonly tables: NetworkTables;
  /** What machines did that needs a boot server, and whether one answered: `r01-u01 inspect`. */
  readonly boots: string[];
  /** The NIC ports of a server, by its number from 0. */
  macsOf(server: number): readonly string[];
  /** Where a NIC is plugged in. */
  plugOf(mac: string): PortName;
  /** How a BareMetalHost says where a NIC is plugged in. */
  entryOf(mac: string, more?: Partial<HostPort>): HostPort;
  putHost(name: string, more: { readonly server: number; readonly ports?: HostPort[] }): Promise<BareMetalHost>;
  close(): Promise<void>;
}

/** Brings it up: the first server is whose ports are moved, the second one serves its boot, the others listen. */
export async function openPortsPlane(connection: ConnectionSpec): Promise<PortsPlane> {
  const dataCentre = await startDataCentre({
    seed: 4,
    servers: 4,
    addressing: 'port',
    isPlain: true,
    arePoweredOn: true,
  });
  const api = await openApi(connection);
  for (const name of [infra, tenant]) await putNamespace(api, name);
  await describeSwitches(api, dataCentre);
  const { fabric } = dataCentre;
  const rack = createFixtureRack({ clock: systemClock, portsOf: ({ name }) => fabricPorts(fabric, name) });
  const network = await startControllers(api, { rack });
  const client = await createClient(connection);
  const ways = createHostNetwork({ client, informers: network.controllers.informers });
  const boots: string[] = [];
  const hosts = startHostControllers({
    ...{ client, clock: systemClock, random: Math.random, network: ways },
    provisioners: createBootingProvisioners(machinesOf(dataCentre, boots)),
  });
  await hosts.whenSynced();
  const macsOf = (server: number) =>
    (dataCentre.bmcs[server]?.machine.hardware.nics ?? []).flatMap(({ ports }) => ports.map(({ mac }) => mac));
  const plugOf = (mac: string): PortName => fabric.portOf(mac) ?? { switchName: '', port: '' };
  return {
    ...{ api, dataCentre, tables: network.controllers.informers, boots, macsOf, plugOf },
    entryOf: (mac, more) => ({
      mac: mac.toLowerCase(),
      port: { name: switchPortName(plugOf(mac)), namespace: infra },
      ...more,
    }),
    putHost: (name, { server, ports }) => putHost(api, { name, server, ports }),
    async close() {
      await hosts.stop();
      ways.close();
      await network.stop();
      await client.close();
      await api.close();
      await dataCentre.close();
    },
  };
}

async function describeSwitches({ client }: Pick<ApiRig, 'client'>, { bmcs, fabric }: DataCentre): Promise<void> {
  const mapper = createResourceMapper(client);
  const manifests = [...fleetManifests({ namespace: infra, bmcs, fabric }).values()].flat();
  for (const manifest of manifests.filter(({ kind }) => kind === 'Switch' || kind === 'FixtureSwitch')) {
    const resource = client.resource<AnyKubeObject>(await mapper.byKind(manifest.apiVersion, manifest.kind));
    await resource.create(manifest as unknown as AnyKubeObject);
  }
}

/** What demo machines meet that boot over a network. */
export interface BootingMachines {
  /** What machines did that needs a boot server, and whether one answered. */
  readonly boots: string[];
  /** Whether a boot server answers a machine, by its number from 0. */
  isAnswered(server: number): boolean | Promise<boolean>;
  /** What the agent on a machine sees of its network. */
  nicsOf(server: number): NonNullable<HardwareDetails['nics']>;
}

/** Demo machines: what boots them over the network needs a boot server that answers. */
export function createBootingProvisioners({ boots, isAnswered, nicsOf }: BootingMachines): Provisioners {
  const demo = createDemoProvisioners({ pollMs: 50 });
  const booting = async <T>(server: number, step: string, go: () => Promise<Outcome<T>>): Promise<Outcome<T>> => {
    const hasBooted = await isAnswered(server);
    boots.push(`${step} ${hasBooted ? 'booted' : 'found no boot server'}`);
    return hasBooted ? go() : { kind: 'failed', message: 'it found no boot server' };
  };
  return {
    ...demo,
    of(host) {
      const machine = demo.of(host);
      const server = Number(/Systems\/(\d+)/.exec(host.bmc?.address ?? '')?.[1]);
      return {
        ...machine,
        inspect: (order) =>
          booting(server, 'inspect', async () => {
            const outcome = await machine.inspect(order);
            if (outcome.kind !== 'done') return outcome;
            return { kind: 'done', value: { ...outcome.value, nics: nicsOf(server) } };
          }),
        provision: (order) => booting(server, 'provision', () => machine.provision(order)),
        deprovision: (order) => booting(server, 'deprovision', () => machine.deprovision(order)),
      };
    },
  };
}

/** The machines of a simulated data centre; the second of them is the boot server. */
function machinesOf({ bmcs, fabric }: DataCentre, boots: string[]): BootingMachines {
  const bootMacOf = (server: number) => bmcs[server]?.machine.hardware.nics[0]?.ports[0]?.mac ?? '';
  return {
    boots,
    isAnswered(server) {
      const [own, boot] = [fabric.portOf(bootMacOf(server)), fabric.portOf(bootMacOf(1))];
      return own !== undefined && boot !== undefined && fabric.canTalk(own, boot);
    },
    nicsOf(server) {
      const machine = bmcs[server]?.machine;
      const ports = machine?.hardware.nics.flatMap((nic) => nic.ports) ?? [];
      return ports.map(({ mac }, index) => {
        const heard = machine?.neighbour(mac);
        const lldp = heard && { switchID: heard.chassisId, portID: heard.portId, switchSystemName: heard.systemName };
        return { name: `eno${index + 1}`, mac: mac.toLowerCase(), ...(lldp === undefined ? {} : { lldp }) };
      });
    },
  };
}

/** Makes a host of the tenant, with the Secret of its BMC. */
export async function putHost(
  { client, hosts }: Pick<ApiRig, 'client'> & { readonly hosts: ResourceClient<BareMetalHost & KubeObject> },
  { name, server, ports }: { readonly name: string; readonly server: number; readonly ports: HostPort[] | undefined },
): Promise<BareMetalHost> {
  const secrets = client.resource<AnyKubeObject>({ group: '', version: 'v1', resource: 'secrets', namespaced: true });
  const [username, password] = ['admin', 'secret'].map((text) => Buffer.from(text).toString('base64'));
  const metadata = { namespace: tenant, name };
  await secrets.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...metadata, name: `${name}-bmc` },
    data: { username, password },
  } as AnyKubeObject);
  const bmc = {
    address: `redfish://192.0.2.${server + 1}/redfish/v1/Systems/${server}`,
    credentialsName: `${name}-bmc`,
  };
  const spec = { online: true, bmc, ...(ports === undefined ? {} : { ports }) };
  return hosts.create({ apiVersion: metal3ApiVersion, kind: 'BareMetalHost', metadata, spec });
}
