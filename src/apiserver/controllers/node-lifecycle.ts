import { type Clock, systemClock, type Timer } from '../../kube/index.ts';
import { type Node, nodeBucket } from '../builtins/nodes.ts';
import type { ServerCore } from '../core.ts';
import { systemContext, systemWrite } from '../handlers/system-context.ts';
import { updateObject } from '../handlers/update.ts';
import { ApiError } from '../status.ts';
import type { Stored } from '../store/store.ts';
import type { EveryBucket } from './every-bucket.ts';

/** When a node counts as dead. */
export interface NodeLifecycleOptions {
  readonly core: ServerCore;
  /** How long a node may be silent. */
  readonly graceMs: number;
  readonly clock?: Clock;
  onFault(error: unknown): void;
}

interface Heard {
  /** By the clock that never jumps. */
  at: number;
  /** True once its silence was written down. */
  isSilent: boolean;
}

const leaseBucket = 'coordination.k8s.io/leases';
const leaseNamespace = 'kube-node-lease';

/**
 * Sets the conditions of nodes to Unknown whose kubelet has neither renewed its Lease nor posted a status for a while,
 * as the node controller of Kubernetes does. Only a kubelet makes its node ready again.
 */
export class NodeLifecycle {
  readonly #options: NodeLifecycleOptions;
  readonly #clock: Clock;
  readonly #heard = new Map<string, Heard>();
  #timer: Timer | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: NodeLifecycleOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Listens; `buckets` is started by the caller. A node that is there already is given the whole time once more. */
  start(buckets: EveryBucket): void {
    buckets.listen({
      set: (current, previous) => {
        if (current.bucket === nodeBucket) {
          if (previous === undefined || isNewsOfKubelet(current, previous)) this.#hear(current.name);
        } else if (current.bucket === leaseBucket && current.namespace === leaseNamespace) {
          if (this.#heard.has(current.name)) this.#hear(current.name);
        }
      },
      remove: ({ bucket, name }) => void (bucket === nodeBucket && this.#heard.delete(name)),
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#writing;
  }

  #hear(name: string): void {
    this.#heard.set(name, { at: this.#clock.monotonic(), isSilent: false });
    this.#arm();
  }

  /** Looks an eighth of the time later, as long as there are nodes that may fall silent. */
  #arm(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    if (![...this.#heard.values()].some(({ isSilent }) => !isSilent)) return;
    this.#timer = this.#clock.after(this.#options.graceMs / 8, () => {
      this.#timer = undefined;
      this.#writing = this.#sweep().then(() => this.#arm());
    });
  }

  async #sweep(): Promise<void> {
    for (const [name, heard] of [...this.#heard]) {
      if (!heard.isSilent && this.#isOverdue(heard)) await this.#writeSilence(name, heard);
    }
  }

  #isOverdue({ at }: Heard): boolean {
    return this.#clock.monotonic() - at >= this.#options.graceMs;
  }

  async #writeSilence(name: string, heard: Heard): Promise<void> {
    const { core, onFault } = this.#options;
    const served = core.registry.storage(nodeBucket);
    if (served === undefined || this.#isClosed) return;
    const context = systemContext(core, served, { verb: 'update', name, subresource: 'status' });
    heard.isSilent = true;
    try {
      await updateObject(core, context, served, {
        key: { bucket: nodeBucket, namespace: '', name },
        subresource: 'status',
        options: systemWrite('UpdateOptions', 'kube-controller-manager'),
        isManaged: false,
        // It may have been heard of while this waited for its turn.
        transform: (node: Node) => (this.#heard.get(name) === heard ? withSilence(node, core.now()) : node),
      });
    } catch (error) {
      heard.isSilent = false;
      if (!(error instanceof ApiError)) onFault(error);
    }
  }
}

/** A heartbeat in the status, or a readiness that only a kubelet tells of. */
function isNewsOfKubelet(current: Stored, previous: Stored): boolean {
  const [now, before] = [readyOf(current), readyOf(previous)];
  if (now === undefined || now.status === 'Unknown') return false;
  return now.lastHeartbeatTime !== before?.lastHeartbeatTime || now.status !== before?.status;
}

function readyOf({ json }: Stored) {
  return (JSON.parse(json) as Node).status?.conditions?.find(({ type }) => type === 'Ready');
}

/** Nothing is known any more of what the kubelet has told. */
export function withSilence(node: Node, now: Date): Node {
  const { conditions = [] } = node.status ?? {};
  const lastTransitionTime = now.toISOString().replace(/\.\d+Z$/, 'Z');
  const silence = { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' };
  const told = conditions.map((each) =>
    each.status === 'Unknown' ? each : { ...each, ...silence, status: 'Unknown', lastTransitionTime },
  );
  const never = { reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' };
  const isTold = conditions.some(({ type }) => type === 'Ready');
  const all = isTold ? told : [...told, { type: 'Ready', status: 'Unknown', ...never, lastTransitionTime }];
  return { ...node, status: { ...node.status, conditions: all } };
}
