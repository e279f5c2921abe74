import { clusterAnnotations, clusterLabels, type Metal3Machine, type Metal3MachineTemplate } from '../../api/index.ts';
import { isBeingDeleted, type KubeObject } from '../../kube/index.ts';
import { deploymentKind, type MachineTables } from '../objects.ts';
import type { MachineNetwork } from '../ports.ts';
import { besideKey, consumerKey, controllerOf, namespaceOf, objectKey, ownerOf } from '../references.ts';
import { followsHosts } from '../watches.ts';
import type { Rival, ScaleSeen, ScaleTarget } from './decide-scale.ts';

/** The key of a target: its kind, so that a set and a deployment of one name are told apart, and its own key. */
export function scaleKey(object: ScaleTarget & KubeObject): string {
  return `${object.kind}/${objectKey(object)}`;
}

/** Every set and deployment of a namespace that follows its hosts. A set that a deployment owns has that one scaled. */
export function targetsIn(tables: MachineTables, namespace: string): (ScaleTarget & KubeObject)[] {
  const sets = tables.sets.byIndex('namespace', namespace);
  const owners = sets.filter(followsHosts).flatMap((set) => deploymentOf(tables, set) ?? []);
  const deployments = tables.deployments.byIndex('namespace', namespace).filter(followsHosts);
  const alone = sets.filter((set) => followsHosts(set) && ownerOf(set, deploymentKind) === undefined);
  return [...new Set<ScaleTarget & KubeObject>([...deployments, ...owners, ...alone])];
}

function deploymentOf(tables: MachineTables, set: ScaleTarget & KubeObject): (ScaleTarget & KubeObject) | undefined {
  const owner = ownerOf(set, deploymentKind);
  return owner === undefined ? undefined : tables.deployments.get(besideKey(set, owner.name));
}

/** Puts together what the controller looks at; undefined when it is gone, or follows nothing. */
export function readScaleSeen(tables: MachineTables, network: MachineNetwork, key: string): ScaleSeen | undefined {
  const [kind, ...rest] = key.split('/');
  const table = kind === 'MachineDeployment' ? tables.deployments : tables.sets;
  const object = table.get(rest.join('/'));
  if (object === undefined) return undefined;
  const targets = targetsIn(tables, namespaceOf(object));
  if (!targets.includes(object)) return undefined;
  const hosts = tables.hosts.byIndex('namespace', namespaceOf(object));
  const own = membersOf(tables, object);
  const keys = new Set(own.map(objectKey));
  const held = new Set(hosts.flatMap((host) => consumerKey(host) ?? []));
  const seekers = tables.metal3Machines
    .list()
    .filter(
      (each) =>
        namespaceOf(each) === namespaceOf(object) &&
        !keys.has(objectKey(each)) &&
        !held.has(objectKey(each)) &&
        each.spec.providerID === undefined &&
        !isBeingDeleted(each),
    );
  return {
    ...{ object, hosts, seekers, network },
    master: masterOf(object),
    isDownAllowed: modeOf(tables, object) === 'both',
    cluster: tables.clusters.get(besideKey(object, object.spec.clusterName)),
    template: templateOf(tables, object),
    members: own.filter((each) => !isBeingDeleted(each)),
    rivals: targets.filter((each) => each !== object).flatMap((each) => rivalOf(tables, each)),
    isThere: (machine) => tables.metal3Machines.get(machine) !== undefined,
    isStaying: (machine) => {
      const found = tables.metal3Machines.get(machine);
      return found !== undefined && !isBeingDeleted(found);
    },
  };
}

/** Whoever owns a set without a deployment scales it; so does the topology of a Cluster. */
function masterOf(object: ScaleTarget & KubeObject): string | undefined {
  const controller = controllerOf(object);
  if (controller !== undefined) return `The ${controller.kind} ${controller.name}`;
  const isOfTopology = object.metadata.labels?.['topology.cluster.x-k8s.io/owned'] !== undefined;
  return isOfTopology ? 'The topology of its Cluster' : undefined;
}

/** Up only, unless the annotation says `both`. */
function modeOf(tables: MachineTables, object: ScaleTarget & KubeObject): string | undefined {
  const own = object.metadata.annotations?.[clusterAnnotations.autoscaleToHosts];
  if (own !== undefined || object.kind !== 'MachineDeployment') return own;
  const sets = tables.sets.byIndex('deployment', objectKey(object));
  return sets
    .map(({ metadata }) => metadata.annotations?.[clusterAnnotations.autoscaleToHosts])
    .find((each) => each !== undefined);
}

function templateOf(tables: MachineTables, object: ScaleTarget & KubeObject): Metal3MachineTemplate | undefined {
  const { kind, name } = object.spec.template.spec.infrastructureRef;
  return kind === 'Metal3MachineTemplate' ? tables.templates.get(besideKey(object, name)) : undefined;
}

function rivalOf(tables: MachineTables, object: ScaleTarget & KubeObject): Rival[] {
  const spec = templateOf(tables, object)?.spec.template.spec;
  return spec === undefined ? [] : [{ object, spec }];
}

function membersOf(tables: MachineTables, object: ScaleTarget & KubeObject): (Metal3Machine & KubeObject)[] {
  const index = object.kind === 'MachineDeployment' ? 'deployment' : 'set';
  return tables.machines
    .byIndex(index, objectKey(object))
    .filter((machine) => index === 'set' || machine.metadata.labels?.[clusterLabels.deploymentName] !== undefined)
    .flatMap((machine) => tables.metal3Machines.get(besideKey(machine, machine.spec.infrastructureRef.name)) ?? []);
}
