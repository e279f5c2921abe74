import {
  clusterApiVersion,
  clusterLabels,
  type Machine,
  type MachineSet,
  type MachineSetStatus,
  type Metal3Machine,
} from '../../api/index.ts';
import {
  type Controller,
  type ControllerOptions,
  defineController,
  isAlreadyExists,
  isBeingDeleted,
  isNotFound,
  type KubeObject,
  keyOf,
  ok,
  patchStatus,
  type Watch,
} from '../../kube/index.ts';
import { type MachineTables, setKind } from '../objects.ts';
import { besideKey, nameOf, namespaceOf, ownerOf } from '../references.ts';
import { coreResources, machinesFieldManager, resources } from '../resources.ts';
import type { BuiltinParts } from './builtin-controllers.ts';
import { type BuiltinSetEffect, type BuiltinSetSeen, decideBuiltinSet } from './decide-set.ts';
import { newMachine, newMetal3Machine } from './new-objects.ts';
import { unlessGone } from './unless-gone.ts';

const core = coreResources('v1beta2');

/** Keeps as many Machines as MachineSets ask for, each with its Metal3Machine. */
export function createBuiltinSetController(
  { client, informers, isOurs, watches }: BuiltinParts & { readonly watches: readonly Watch[] },
  options: ControllerOptions,
): Controller<BuiltinSetEffect, MachineSetStatus> {
  const sets = client.resource<MachineSet & KubeObject>(core.sets);
  const machines = client.resource<Machine & KubeObject>(core.machines);
  const infrastructures = client.resource<Metal3Machine & KubeObject>(resources.metal3Machines);
  const write = { fieldManager: machinesFieldManager };
  const complete = (seen: BuiltinSetSeen, machine: Machine, signal: AbortSignal) =>
    unlessGone(async () => {
      if (seen.template === undefined) return;
      await infrastructures.create(newMetal3Machine(machine, seen.template), { ...write, signal });
    });
  return defineController<BuiltinSetSeen, BuiltinSetEffect, MachineSetStatus>(
    {
      name: 'machine-set',
      watches,
      read: (key) => (isOurs() ? readSet(informers, key) : undefined),
      decide: decideBuiltinSet,
      statusOf: ({ object }) => object.status,
      writeStatus: ({ object }, status, { signal }) => patchStatus(sets, object, status, { ...write, signal }),
      subjectOf: ({ object }) => ({ ...object, apiVersion: clusterApiVersion, kind: 'MachineSet' }),
      effects: {
        'create-machines': async ({ names }, { seen, signal }) => {
          // A cache that is behind must not make machines twice.
          const present = await membersOf(seen.object, signal);
          const missing = Math.max(0, (seen.object.spec.replicas ?? 1) - present.length);
          for (const name of names.slice(0, missing)) await create(seen, name, signal);
          return ok();
        },
        'create-infrastructure': ({ machine }, { seen, signal }) => complete(seen, machine, signal),
        'delete-machine': async ({ name }, { seen, signal }) => {
          if (!(await isTooMany(seen.object, name, signal))) return ok();
          return unlessGone(() => machines.delete({ namespace: namespaceOf(seen.object), name }, { signal }));
        },
      },
    },
    options,
  );

  async function create(seen: BuiltinSetSeen, name: string, signal: AbortSignal): Promise<void> {
    try {
      const made = await machines.create(newMachine(seen.object, name), { ...write, signal });
      await complete(seen, made, signal);
    } catch (error) {
      // Another process made it for the same version of the set, or it is somebody else's: the watch tells which.
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async function membersOf(set: MachineSet & KubeObject, signal: AbortSignal): Promise<readonly Machine[]> {
    const labelSelector = `${clusterLabels.setName}=${nameOf(set)}`;
    const { items } = await machines.list({ namespace: namespaceOf(set), labelSelector, signal });
    return items.filter((each) => isOwnedBy(each, set));
  }

  /** Asks the server: a cache that is behind must not cost a machine. */
  async function isTooMany(set: MachineSet & KubeObject, name: string, signal: AbortSignal): Promise<boolean> {
    try {
      const { spec } = await sets.get(keyOf(set), { signal });
      const active = (await membersOf(set, signal)).filter((each) => !isBeingDeleted(each));
      return active.length > (spec.replicas ?? 1) && active.some((each) => nameOf(each) === name);
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }
}

function isOwnedBy(machine: Machine, set: MachineSet): boolean {
  return ownerOf(machine, setKind)?.uid === set.metadata.uid;
}

function readSet(tables: MachineTables, key: string): BuiltinSetSeen | undefined {
  const object = tables.sets.get(key);
  if (object === undefined) return undefined;
  const { kind, name } = object.spec.template.spec.infrastructureRef;
  const own = tables.machines.byIndex('set', key).filter((machine) => isOwnedBy(machine, object));
  return {
    object,
    cluster: tables.clusters.get(besideKey(object, object.spec.clusterName)),
    template: kind === 'Metal3MachineTemplate' ? tables.templates.get(besideKey(object, name)) : undefined,
    members: own.map((machine) => {
      return {
        machine,
        infrastructure: tables.metal3Machines.get(besideKey(machine, machine.spec.infrastructureRef.name)),
      };
    }),
    isTaken: (wanted) => tables.machines.get(besideKey(object, wanted)) !== undefined,
  };
}
