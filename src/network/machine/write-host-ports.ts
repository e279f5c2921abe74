import type { BareMetalHost, HostPort } from '../../api/index.ts';
import { type KubeClient, type KubeObject, keyOf } from '../../kube/index.ts';
import { networkFieldManager, resources } from '../resources.ts';
import { configureNetwork, deconfigureNetwork, type MachineNetwork } from './machine-network.ts';

/** What came of writing to a host: as it is now, or why its machine cannot have it. */
export type PortsWritten =
  | { readonly kind: 'written'; readonly host: BareMetalHost & KubeObject }
  | { readonly kind: 'unfit'; readonly message: string };

/** Writes the network configurations of a machine into the host that it got; a host that changed meanwhile is refused. */
export async function writeMachineNetwork(
  client: KubeClient,
  { host, machine }: { readonly host: BareMetalHost & KubeObject; readonly machine: MachineNetwork },
  signal?: AbortSignal,
): Promise<PortsWritten> {
  const wanted = configureNetwork(host, machine);
  if (wanted.kind === 'unfit') return wanted;
  return { kind: 'written', host: await writePorts(client, { host, ports: wanted.ports }, signal) };
}

/** Takes the network configurations of a machine out of its host again. */
export function clearMachineNetwork(
  client: KubeClient,
  host: BareMetalHost & KubeObject,
  signal?: AbortSignal,
): Promise<BareMetalHost & KubeObject> {
  return writePorts(client, { host, ports: deconfigureNetwork(host) }, signal);
}

async function writePorts(
  client: KubeClient,
  { host, ports }: { readonly host: BareMetalHost & KubeObject; readonly ports: readonly HostPort[] | undefined },
  signal?: AbortSignal,
): Promise<BareMetalHost & KubeObject> {
  if (ports === undefined) return host;
  const { resourceVersion, uid } = host.metadata ?? {};
  const body = { metadata: { resourceVersion, uid }, spec: { ports } };
  const options = { fieldManager: networkFieldManager, ...(signal === undefined ? {} : { signal }) };
  return client
    .resource<BareMetalHost & KubeObject>(resources.hosts)
    .patch(keyOf(host), { type: 'merge', body }, options);
}
