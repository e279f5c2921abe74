import type { ServerCore } from '../core.ts';
import { DisruptionController } from './disruption-controller.ts';
import { EventExpiry } from './event-expiry.ts';
import { EveryBucket } from './every-bucket.ts';
import { GarbageCollector } from './garbage-collector.ts';
import { NamespaceController } from './namespace-controller.ts';
import { NodeLifecycle } from './node-lifecycle.ts';

/** Which controllers run inside the server, and how. */
export interface ControllersOptions {
  readonly core: ServerCore;
  /** How long events are kept; an hour unless told. */
  readonly eventTtlMs?: number | undefined;
  /** How long a node may be silent before nothing is known of it; 40 seconds unless told, as in Kubernetes. */
  readonly nodeGraceMs?: number | undefined;
  /** False when something else keeps the numbers of pod disruption budgets. */
  readonly runsDisruption?: boolean | undefined;
  /** Told about what should never happen. */
  onFault(error: unknown): void;
}

/** Starts what kube-controller-manager does for the API itself: garbage, namespaces, budgets, silent nodes, old events. */
export function startControllers(options: ControllersOptions): { close(): Promise<void> } {
  const { core, onFault } = options;
  const buckets = new EveryBucket(core.store, core.registry);
  const running: { start(buckets: EveryBucket): void; close(): Promise<void> }[] = [
    new GarbageCollector(core, onFault),
    new NamespaceController(core, onFault),
    new NodeLifecycle({ core, graceMs: options.nodeGraceMs ?? 40_000, onFault }),
  ];
  if (options.runsDisruption !== false) running.push(new DisruptionController(core, onFault));
  for (const each of running) each.start(buckets);
  const events = new EventExpiry({ core, ttlMs: options.eventTtlMs ?? 3_600_000, onFault });
  buckets.start();
  events.start();
  return {
    async close() {
      buckets.close();
      events.close();
      await Promise.all(running.map((each) => each.close()));
    },
  };
}
