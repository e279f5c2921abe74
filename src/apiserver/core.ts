import type { Admission } from './admission/admission.ts';
import type { EventBytes } from './handlers/event-bytes.ts';
import type { WatchGuard } from './overload/watch-guard.ts';
import type { ResourceRegistry } from './registry.ts';
import type { ObjectStore } from './store/store.ts';

/** What the handlers work with: the parts of a running server, passed in so that tests can build small ones. */
export interface ServerCore {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly admission: Admission;
  readonly events: EventBytes;
  /** What clients that do not read may let pile up. */
  readonly watches: WatchGuard;
  now(): Date;
  newUid(): string;
  /** Five characters for generateName. */
  newSuffix(): string;
}

/** The time as Kubernetes writes it: RFC 3339, whole seconds, UTC. */
export function kubeTime(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
