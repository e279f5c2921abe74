import { type BareMetalHost, type BareMetalHostDiscovery, metal3ApiVersion } from '../../src/api/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { fleet, refs } from '../hosts/scene.ts';

const namePrefix = 'bench-';

/** A machine that is switched on. */
export interface BenchMachine {
  readonly hostname: string;
  readonly mac: string;
}

/** So many machines, none like another; the lot tells those of one measurement from those of another. */
export function machinesOf(lot: string, count: number): readonly BenchMachine[] {
  const first = lot === 'warm' ? 0xf0_00_00 : 0;
  return Array.from({ length: count }, (_, index) => {
    const hex = (first + index).toString(16).padStart(6, '0');
    const mac = `52:54:00:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4)}`;
    return { hostname: `${lot}-${index}`, mac };
  });
}

/** The name that the host of a machine has to get. */
export function hostNameOf({ hostname }: BenchMachine): string {
  return `${namePrefix}${hostname}`;
}

/** What the agent of a machine tells. */
export function introductionOf({ hostname, mac }: BenchMachine): object {
  return {
    inventory: {
      hostname,
      interfaces: [{ name: 'eno1', mac_address: mac, ipv4_address: '192.0.2.7', speed_mbps: 25_000 }],
      disks: [{ name: '/dev/sda', size: 960e9, rotational: false, serial: `D${hostname}` }],
      cpu: { model_name: 'CPU', architecture: 'x86_64', frequency: '3000.0', count: 32, flags: ['aes'] },
      memory: { physical_mb: 131_072 },
      system_vendor: { manufacturer: 'Maker', product_name: 'Server', serial_number: `S${hostname}` },
      boot: { pxe_interface: mac },
    },
  };
}

/** More than any run makes: what is measured is discovery, not how it is held back. */
const unbound = 100_000;

/** Asks for discovery, as fast as it can. */
export async function putDiscovery(client: KubeClient): Promise<void> {
  const ref = { group: 'metal3.io', version: 'v1alpha1', resource: 'baremetalhostdiscoveries', namespaced: true };
  await client.resource<BareMetalHostDiscovery & KubeObject>(ref).create({
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHostDiscovery',
    metadata: { namespace: fleet, name: 'all' },
    spec: {
      resourceNameTemplate: { prefix: namePrefix, hardwareDetails: 'hostname' },
      pollIntervalSeconds: 5,
      rateLimit: { hostsPerMinute: unbound, burst: unbound },
      maxUnusedHosts: unbound,
    },
  });
}

/** What became of machines. */
export interface Outcome {
  /** Machines with a host of the right name, that boots from their MAC and is available. */
  readonly right: number;
  /** Hosts beyond one a machine, or of no machine. */
  readonly wrong: number;
}

/** Compares hosts with the machines that they are to be of. Pure. */
export function judgeHosts(machines: readonly BenchMachine[], hosts: readonly BareMetalHost[]): Outcome {
  const named = new Map(machines.map((machine) => [hostNameOf(machine), machine.mac]));
  const right = hosts.filter(
    ({ metadata, spec, status }) =>
      named.get(metadata.name ?? '') === spec?.bootMACAddress?.toLowerCase() &&
      status?.provisioning.state === 'available',
  ).length;
  return { right, wrong: hosts.length - right };
}

/** Reads what became of machines. */
export async function readOutcome(client: KubeClient, machines: readonly BenchMachine[]): Promise<Outcome> {
  const { items } = await client.resource<BareMetalHost & KubeObject>(refs.hosts).list({ namespace: fleet });
  return judgeHosts(machines, items);
}
