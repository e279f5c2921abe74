import {
  type BareMetalHost,
  clusterFinalizers,
  clusterLabels,
  infrastructureApiVersion,
  type Metal3Machine,
  type Metal3MachineStatus,
} from '../../api/index.ts';
import {
  type Controller,
  type ControllerOptions,
  defineController,
  isBeingDeleted,
  isNotFound,
  type KubeClient,
  type KubeObject,
  keyOf,
  type ObjectKey,
  ok,
  patchStatus,
  type ResourceClient,
  type Result,
  removeFinalizer,
  type Watch,
} from '../../kube/index.ts';
import type { WorkloadNodes } from '../nodes/workload-nodes.ts';
import { nameOf, namespaceOf } from '../references.ts';
import { type CoreVersion, coreResources, machinesFieldManager, resources } from '../resources.ts';
import { decideMetal3Machine, type Metal3MachineEffect } from './decide-machine.ts';
import type { Metal3MachineSeen } from './machine-seen.ts';
import { machineTable } from './machine-table.ts';
import { type MachineReader, readMachineSeen } from './read-machine.ts';
import { behind, claimHost, type HostDesk, noteHost } from './take-host.ts';

/** What the controller of Metal3Machines works with. */
export interface Metal3MachineControllerParts {
  readonly client: KubeClient;
  readonly reader: Omit<MachineReader, 'nodes'>;
  readonly nodes: WorkloadNodes;
  readonly coreVersion: CoreVersion;
  readonly watches: readonly Watch[];
  /** False: somebody else looks after these objects. */
  readonly isOurs: () => boolean;
}

/** Finds hosts for machines, has them provisioned, and gives them back. */
export function createMetal3MachineController(
  parts: Metal3MachineControllerParts,
  options: ControllerOptions,
): Controller<Metal3MachineEffect, Metal3MachineStatus> {
  const { client, nodes } = parts;
  const machines = client.resource<Metal3Machine & KubeObject>(resources.metal3Machines);
  const hosts = client.resource<BareMetalHost & KubeObject>(resources.hosts);
  const core = coreResources(parts.coreVersion);
  const secrets = client.resource<KubeObject>(resources.secrets);
  const reader = { ...parts.reader, nodes };
  const retry = { clock: options.clock, random: options.random, fieldManager: machinesFieldManager };
  return defineController<Metal3MachineSeen, Metal3MachineEffect, Metal3MachineStatus>(
    {
      name: 'metal3-machine',
      table: machineTable,
      watches: parts.watches,
      read: (key) => (parts.isOurs() ? readMachineSeen(reader, key) : undefined),
      decide: decideMetal3Machine,
      statusOf: ({ object }) => object.status,
      writeStatus: ({ object }, status, { signal }) =>
        patchStatus(machines, object, status, { fieldManager: machinesFieldManager, signal }),
      subjectOf: ({ object }) => ({ ...object, apiVersion: infrastructureApiVersion, kind: 'Metal3Machine' }),
      effects: {
        choose: (effect, { seen, signal }) => noteHost(deskOf(signal), seen.object, effect),
        'claim-host': (effect, { seen, signal }) => claimHost(deskOf(signal), seen.object, effect),
        'check-keeper': async ({ keeper }, { seen, signal }) => {
          const key = { namespace: namespaceOf(seen.object), name: keeper.name };
          const isThere = await isStaying(client.resource<KubeObject>(core[keeper.resource]), key, signal);
          return isThere ? ok() : behind(`${keeper.name} is gone`);
        },
        'write-host': async ({ host, patch }, { seen, signal }) => {
          const key = { namespace: namespaceOf(seen.object), name: host };
          await hosts.patch(key, { type: 'merge', body: patch }, { fieldManager: machinesFieldManager, signal });
          return ok();
        },
        'label-secret': async ({ secret, cluster }, { seen, signal }) => {
          const body = { metadata: { labels: { [clusterLabels.clusterName]: cluster } } };
          const key = { namespace: namespaceOf(seen.object), name: secret };
          return gently(() =>
            secrets.patch(key, { type: 'merge', body }, { fieldManager: machinesFieldManager, signal }),
          );
        },
        'name-node': async ({ node, providerId }, { seen }) => {
          if (seen.cluster === undefined) return ok();
          const cluster = { namespace: namespaceOf(seen.cluster), name: nameOf(seen.cluster) };
          return ok(await nodes.name(cluster, node, providerId));
        },
        'set-provider-id': async ({ providerId }, { seen, signal }) => {
          const { resourceVersion, uid } = seen.object.metadata;
          const body = { metadata: { resourceVersion, uid }, spec: { providerID: providerId } };
          await machines.patch(
            keyOf(seen.object),
            { type: 'merge', body },
            { fieldManager: machinesFieldManager, signal },
          );
          return ok();
        },
        'remove-finalizer': async (_, { seen, signal }) =>
          ok(await removeFinalizer(machines, seen.object, clusterFinalizers.metal3Machine, { ...retry, signal })),
      },
    },
    options,
  );

  function deskOf(signal: AbortSignal): HostDesk {
    const write = { fieldManager: machinesFieldManager, signal };
    return {
      machine: (key) => unlessMissing(machines.get(key, { signal })),
      host: (key) => unlessMissing(hosts.get(key, { signal })),
      patchMachine: async (key, body) => void (await machines.patch(key, { type: 'merge', body }, write)),
      patchHost: async (key, body) => void (await hosts.patch(key, { type: 'merge', body }, write)),
    };
  }
}

async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function isStaying(client: ResourceClient<KubeObject>, key: ObjectKey, signal: AbortSignal): Promise<boolean> {
  const found = await unlessMissing(client.get(key, { signal }));
  return found !== undefined && !isBeingDeleted(found);
}

async function gently(write: () => Promise<unknown>): Promise<Result> {
  try {
    await write();
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return ok();
}
