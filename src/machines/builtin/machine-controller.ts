import {
  clusterApiVersion,
  clusterFinalizers,
  type Machine,
  type MachineStatus,
  type Metal3Machine,
} from '../../api/index.ts';
import {
  addFinalizer,
  type Controller,
  type ControllerOptions,
  defineController,
  type KubeObject,
  keyOf,
  ok,
  patchStatus,
  removeFinalizer,
  type Watch,
} from '../../kube/index.ts';
import type { NodeSearch } from '../nodes/workload-nodes.ts';
import { besideKey, namespaceOf } from '../references.ts';
import { coreResources, machinesFieldManager, resources } from '../resources.ts';
import type { BuiltinParts } from './builtin-controllers.ts';
import { type BuiltinMachineEffect, type BuiltinMachineSeen, decideBuiltinMachine } from './decide-machine.ts';
import { adoptPatch, ownerReference } from './owner-patch.ts';
import { unlessGone } from './unless-gone.ts';

/** Brings Machines from their Metal3Machine to a running node, and back. */
export function createBuiltinMachineController(
  parts: BuiltinParts & { readonly watches: readonly Watch[] },
  options: ControllerOptions,
): Controller<BuiltinMachineEffect, MachineStatus> {
  const { client, nodes } = parts;
  const machines = client.resource<Machine & KubeObject>(coreResources('v1beta2').machines);
  const infrastructures = client.resource<Metal3Machine & KubeObject>(resources.metal3Machines);
  const write = { fieldManager: machinesFieldManager };
  const retry = { clock: options.clock, random: options.random, ...write };
  return defineController<BuiltinMachineSeen, BuiltinMachineEffect, MachineStatus>(
    {
      name: 'machine',
      watches: parts.watches,
      read: (key) => (parts.isOurs() ? readMachine(parts, key) : undefined),
      decide: decideBuiltinMachine,
      statusOf: ({ object }) => object.status,
      writeStatus: ({ object }, status, { signal }) => patchStatus(machines, object, status, { ...write, signal }),
      subjectOf: ({ object }) => ({ ...object, apiVersion: clusterApiVersion, kind: 'Machine' }),
      effects: {
        'add-finalizer': async (_, { seen, signal }) =>
          ok(await addFinalizer(machines, seen.object, clusterFinalizers.machine, { ...retry, signal })),
        'remove-finalizer': async (_, { seen, signal }) =>
          ok(await removeFinalizer(machines, seen.object, clusterFinalizers.machine, { ...retry, signal })),
        adopt: async ({ object }, { seen, signal }) => {
          const body = adoptPatch(object, ownerReference(seen.object, 'Machine'), seen.object.spec.clusterName);
          return ok(await infrastructures.patch(keyOf(object), { type: 'merge', body }, { ...write, signal }));
        },
        'set-provider-id': async ({ providerId }, { seen, signal }) => {
          const body = { spec: { providerID: providerId } };
          return ok(await machines.patch(keyOf(seen.object), { type: 'merge', body }, { ...write, signal }));
        },
        'delete-infrastructure': ({ name }, { seen, signal }) =>
          unlessGone(() => infrastructures.delete({ namespace: namespaceOf(seen.object), name }, { signal })),
        cordon: async ({ node }, { seen }) => ok(await nodes.cordon(clusterOf(seen.object), node)),
        'remove-node': async ({ node }, { seen }) => ok(await nodes.remove(clusterOf(seen.object), node)),
      },
    },
    options,
  );
}

function clusterOf(object: Machine) {
  return { namespace: namespaceOf(object), name: object.spec.clusterName };
}

async function readMachine(
  { informers, nodes, settings }: BuiltinParts,
  key: string,
): Promise<BuiltinMachineSeen | undefined> {
  const object = informers.machines.get(key);
  if (object === undefined) return undefined;
  const { infrastructureRef, providerID } = object.spec;
  const isMetal3 = infrastructureRef.kind === 'Metal3Machine';
  const found: NodeSearch =
    providerID === undefined
      ? { kind: 'skipped' }
      : await nodes.find(clusterOf(object), {
          ...{ providerId: providerID, hostUid: '', hostnames: [] },
          name: object.status?.nodeRef?.name,
        });
  return {
    object,
    cluster: informers.clusters.get(besideKey(object, object.spec.clusterName)),
    infrastructure: isMetal3 ? informers.metal3Machines.get(besideKey(object, infrastructureRef.name)) : undefined,
    nodes: found,
    settings,
  };
}
