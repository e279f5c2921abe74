import type { BareMetalHost } from '../../api/index.ts';
import {
  isConflict,
  isNotFound,
  isTooManyRequests,
  type KubeClient,
  type KubeObject,
  keyOf,
} from '../../kube/index.ts';
import { type NodeOfMachine, pickNode } from '../../machines/index.ts';
import { fieldManager } from '../resources.ts';
import { type DrainNote, drainNote, readDrainNote } from './drain-note.ts';
import type { DrainOrder, DrainOutcome, NodeFound, NodeReturn } from './nodes-seen.ts';

interface Pod extends KubeObject {
  status?: { phase?: string };
}

const nodesRef = { group: '', version: 'v1', resource: 'nodes', namespaced: false, kind: 'Node' } as const;
const podsRef = { group: '', version: 'v1', resource: 'pods', namespaced: true, kind: 'Pod' } as const;

/** The Nodes behind hosts. None of these throws: what cannot be done now is an answer too. */
export interface HostNodes {
  find(host: BareMetalHost): Promise<NodeFound>;
  /** One step of draining; asked again until nothing is in the way. */
  drain(order: DrainOrder): Promise<DrainOutcome>;
  /** Undoes the cordon where it was ours; a Node that is gone is fine. */
  giveBack(order: Pick<DrainOrder, 'node' | 'host'>): Promise<NodeReturn>;
}

/** Nodes and pods of the API server that the hosts are in. */
export function createHostNodes(client: KubeClient): HostNodes {
  const nodes = client.resource<NodeOfMachine>(nodesRef);
  const pods = client.resource<Pod>(podsRef);
  const write = { fieldManager };

  const note = async (
    node: NodeOfMachine,
    change: { note: DrainNote | undefined; spec?: object },
  ): Promise<NodeOfMachine> => {
    const { resourceVersion, uid } = node.metadata;
    const annotations = { [drainNote]: change.note === undefined ? null : JSON.stringify(change.note) };
    const body = {
      metadata: { resourceVersion, uid, annotations },
      ...(change.spec === undefined ? {} : { spec: change.spec }),
    };
    return nodes.patch(keyOf(node), { type: 'merge', body }, write);
  };

  const evict = async (pod: Pod): Promise<string | undefined> => {
    const { namespace = '', name = '', uid, deletionTimestamp } = pod.metadata ?? {};
    if (deletionTimestamp !== undefined) return `${namespace}/${name} (is ending)`;
    const deleteOptions = uid === undefined ? {} : { preconditions: { uid } };
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name }, deleteOptions };
    try {
      await pods.subresource('eviction').create({ namespace, name }, body);
      return `${namespace}/${name} (is ending)`;
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return undefined;
      const why = isTooManyRequests(error) ? 'its disruption budget does not let it go' : messageOf(error);
      return `${namespace}/${name} (${why})`;
    }
  };

  return {
    async find(host) {
      try {
        const node = pickNode((await nodes.list()).items, wishOf(host));
        return node === undefined ? { kind: 'none' } : { kind: 'found', name: node.metadata.name ?? '' };
      } catch (error) {
        return { kind: 'unreadable', message: `the Nodes cannot be read: ${messageOf(error)}` };
      }
    },
    async drain({ node: name, host, ticket }) {
      try {
        const node = await nodes.get({ name });
        const known = readDrainNote(node.metadata.annotations?.[drainNote]);
        if (known !== undefined && known.host !== host) {
          return { kind: 'waits', message: `it is drained for the host ${known.host} already` };
        }
        if (known?.drainedFor === ticket) return { kind: 'drained' };
        const isCordonedByUs = known?.isCordonedByUs ?? node.spec?.unschedulable !== true;
        const isOpen = node.spec?.unschedulable !== true;
        const cordoned =
          known === undefined || isOpen
            ? await note(node, {
                note: { host, isCordonedByUs: isCordonedByUs || isOpen },
                spec: { unschedulable: true },
              })
            : node;
        const left = (await pods.list({ fieldSelector: `spec.nodeName=${name}` })).items.filter(isInTheWay);
        if (left.length === 0) {
          await note(cordoned, { note: { host, isCordonedByUs: isCordonedByUs || isOpen, drainedFor: ticket } });
          return { kind: 'drained' };
        }
        const reasons = (await Promise.all(left.map(evict))).filter((each) => each !== undefined);
        return { kind: 'waits', message: tellPods(reasons) };
      } catch (error) {
        if (isNotFound(error)) return { kind: 'drained' };
        return { kind: 'waits', message: messageOf(error) };
      }
    },
    async giveBack({ node: name, host }) {
      try {
        const node = await nodes.get({ name });
        const known = readDrainNote(node.metadata.annotations?.[drainNote]);
        if (known?.host !== host) return { kind: 'done' };
        await note(node, { note: undefined, ...(known.isCordonedByUs ? { spec: { unschedulable: null } } : {}) });
        return { kind: 'done' };
      } catch (error) {
        return isNotFound(error) ? { kind: 'done' } : { kind: 'failed', message: messageOf(error) };
      }
    },
  };
}

/** Named as the node of a Metal3Machine is: by its id, by the label with the uid of the host, by a name. */
function wishOf({ metadata, spec, status }: BareMetalHost) {
  const { namespace = '', name = '', uid = '' } = metadata;
  const machine = spec?.consumerRef?.name;
  const hostname = status?.hardware?.hostname ?? '';
  const isTelling = hostname !== '' && !hostname.startsWith('localhost');
  return {
    providerId: `metal3://${namespace}/${name}/${machine ?? ''}`,
    hostUid: uid,
    hostnames: [...(machine === undefined ? [] : [machine]), name, ...(isTelling ? [hostname] : [])],
  };
}

/** Mirror pods cannot be evicted, those of DaemonSets would come back, and those that have ended disturb nobody. */
function isInTheWay({ metadata, status }: Pod): boolean {
  if ('kubernetes.io/config.mirror' in (metadata?.annotations ?? {})) return false;
  if ((metadata?.ownerReferences ?? []).some(({ kind, controller }) => controller === true && kind === 'DaemonSet')) {
    return false;
  }
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

const mostTold = 5;

function tellPods(reasons: readonly string[]): string {
  const more = reasons.length > mostTold ? ` and ${reasons.length - mostTold} more` : '';
  return reasons.length === 0 ? 'it is looked at again' : `waits for ${reasons.slice(0, mostTold).join(', ')}${more}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
