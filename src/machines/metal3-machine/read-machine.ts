import {
  type BareMetalHost,
  clusterAnnotations,
  clusterLabels,
  type Machine,
  type Metal3Machine,
} from '../../api/index.ts';
import { isBeingDeleted, type KubeObject } from '../../kube/index.ts';
import { chooseHost, type HostPreference } from '../choice/choose-host.ts';
import { judgeHost } from '../choice/judge-host.ts';
import type { NodeSearch, WorkloadNodes } from '../nodes/workload-nodes.ts';
import { chosenHostOf, type MachineTables, machineKind } from '../objects.ts';
import type { MachineNetwork } from '../ports.ts';
import { besideKey, consumerKey, controllerOf, nameOf, namespaceOf, objectKey, ownerOf } from '../references.ts';
import type { MachineSettings } from '../settings.ts';
import { isPaused, type Metal3MachineSeen, type Reuse } from './machine-seen.ts';
import { providerIdOf } from './machine-situation.ts';

/** What a Metal3Machine is read with. */
export interface MachineReader {
  readonly tables: MachineTables;
  readonly nodes: Pick<WorkloadNodes, 'find'>;
  readonly network: MachineNetwork;
  readonly settings: MachineSettings;
}

/** Puts together what the controller looks at; undefined when the machine is gone. */
export async function readMachineSeen(reader: MachineReader, key: string): Promise<Metal3MachineSeen | undefined> {
  const { tables, network, settings } = reader;
  const object = tables.metal3Machines.get(key);
  if (object === undefined) return undefined;
  const machine = machineOf(tables, object);
  const clusterName = machine?.spec.clusterName ?? object.metadata.labels?.[clusterLabels.clusterName];
  const cluster = clusterName === undefined ? undefined : tables.clusters.get(besideKey(object, clusterName));
  const infrastructure = cluster?.spec?.infrastructureRef?.name;
  const clonedFrom = object.metadata.annotations?.[clusterAnnotations.clonedFromName];
  const template = clonedFrom === undefined ? undefined : tables.templates.get(besideKey(object, clonedFrom));
  const reuse = machine === undefined ? undefined : reuseOf(machine);
  const preference = preferenceOf(object, machine, { network, reuse: reuse?.name });
  const host = hostOf(tables, object);
  const choice = chosenHostOf(object);
  const candidate = choice === undefined ? undefined : tables.hosts.get(besideKey(object, choice));
  const canTake = host === undefined && candidate !== undefined && judgeHost(candidate, preference) === undefined;
  const isKept = template?.spec.nodeReuse === true && !isEnding(tables, object, { machine, reuse });
  const seen = {
    ...{ object, machine, cluster, template, host, network, settings },
    metal3Cluster:
      infrastructure === undefined ? undefined : tables.metal3Clusters.get(besideKey(object, infrastructure)),
    chosen: canTake ? candidate : undefined,
    choose: () => chooseHost(preference, tables.hosts.byIndex('namespace', namespaceOf(object))),
    reuse: isKept ? reuse : undefined,
  };
  return { ...seen, nodes: await searchNode(reader, seen) };
}

/** What a machine asks of a host. */
export function preferenceOf(
  object: Metal3Machine,
  machine: Machine | undefined,
  { network, reuse }: { readonly network: MachineNetwork; readonly reuse: string | undefined },
): HostPreference {
  const { hostSelector, networkConfiguration = [], failureDomain } = object.spec;
  return {
    ...{ selector: hostSelector, networkConfiguration, network, reuse },
    seed: object.metadata.uid ?? nameOf(object),
    failureDomain: machine?.spec.failureDomain ?? failureDomain,
  };
}

function machineOf(tables: MachineTables, object: Metal3Machine): (Machine & KubeObject) | undefined {
  const owner = ownerOf(object, machineKind);
  return owner === undefined ? undefined : tables.machines.get(besideKey(object, owner.name));
}

/** Of several hosts that name it as their consumer, the one that it has chosen comes first. */
function hostOf({ hosts }: MachineTables, object: Metal3Machine): (BareMetalHost & KubeObject) | undefined {
  const own = hosts
    .byIndex('consumer', objectKey(object))
    .filter((host) => namespaceOf(host) === namespaceOf(object) && consumerKey(host) === objectKey(object));
  return (
    own.find((host) => nameOf(host) === chosenHostOf(object)) ??
    own.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))[0]
  );
}

/** For whom hosts of a machine are kept: machines of the same control plane, deployment or set. */
export function reuseOf(machine: Machine): Reuse | undefined {
  const labels = machine.metadata.labels ?? {};
  const controller = controllerOf(machine);
  if (labels[clusterLabels.controlPlane] !== undefined) {
    return controller === undefined ? undefined : { name: `cp-${controller.name}`, keeper: undefined };
  }
  const deployment = labels[clusterLabels.deploymentName];
  if (deployment !== undefined) {
    return { name: `md-${deployment}`, keeper: { resource: 'deployments', name: deployment } };
  }
  if (controller?.kind !== 'MachineSet') return undefined;
  return { name: `ms-${controller.name}`, keeper: { resource: 'sets', name: controller.name } };
}

/** Nothing is kept for machines that will not come: their cluster, deployment or set is on its way out. */
function isEnding(
  tables: MachineTables,
  object: Metal3Machine,
  { machine, reuse }: { readonly machine: Machine | undefined; readonly reuse: Reuse | undefined },
): boolean {
  if (machine === undefined || reuse === undefined) return true;
  if (isGoing(tables.clusters.get(besideKey(object, machine.spec.clusterName)))) return true;
  const { keeper } = reuse;
  return keeper !== undefined && isGoing(tables[keeper.resource].get(besideKey(object, keeper.name)));
}

function isGoing(object: KubeObject | undefined): boolean {
  return object === undefined || isBeingDeleted(object);
}

type Unsearched = Omit<Metal3MachineSeen, 'nodes'>;

async function searchNode({ nodes }: MachineReader, seen: Unsearched): Promise<NodeSearch> {
  const { object, cluster, host } = seen;
  const state = host?.status?.provisioning.state;
  const isUp = state === 'provisioned' || state === 'externally provisioned';
  const isLookedFor =
    isUp && object.spec.providerID === undefined && !isBeingDeleted(object) && !isPaused(object, cluster);
  if (!isLookedFor || host === undefined || cluster === undefined) return { kind: 'skipped' };
  const hardware = host.status?.hardware?.hostname;
  const hostnames = [nameOf(object), nameOf(host), ...(isTelling(hardware) ? [hardware] : [])];
  return nodes.find(
    { namespace: namespaceOf(cluster), name: nameOf(cluster) },
    { providerId: providerIdOf(seen, host), hostUid: host.metadata.uid ?? '', hostnames },
  );
}

/** Machines that have not been named yet all go by the same few names. */
function isTelling(hostname: string | undefined): hostname is string {
  return hostname !== undefined && hostname !== '' && !hostname.startsWith('localhost');
}
