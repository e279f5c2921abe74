import type { Metrics } from '../telemetry/index.ts';
import type { Condition } from './condition.ts';

/** What the engine counts. */
export interface EngineMetrics {
  created(kind: string): void;
  refused(code: string): void;
  leased(condition: Condition): void;
  finalized(condition: Condition): void;
  leaseExpired(kind: string): void;
  workerLost(): void;
  staleWrite(what: string): void;
  hintLost(): void;
  standing(counts: { readonly pending: number; readonly active: number }): void;
}

/** Defines the metrics of an engine. */
export function createEngineMetrics(metrics: Metrics): EngineMetrics {
  const counter = (name: string, help: string, labels: string[] = []) =>
    metrics.counter({ name: `rackwright_engine_${name}_total`, help, labels });
  const created = counter('conditions_created', 'Conditions that were created.', ['kind']);
  const refused = counter('orders_refused', 'Orders that were refused.', ['code']);
  const leases = counter('leases', 'Leases given to workers.', ['kind']);
  const finalized = counter('conditions_finalized', 'Conditions that ended.', ['kind', 'state', 'reason']);
  const expired = counter('leases_expired', 'Leases that ended without an end of the work.', ['kind']);
  const lost = counter('workers_lost', 'Workers that went silent.');
  const stale = counter('stale_writes_refused', 'Writes with an old token or lock that were refused.', ['what']);
  const hints = counter('hints_lost', 'Hints that the bus did not take.');
  const standing = metrics.gauge({
    name: 'rackwright_engine_conditions',
    help: 'Conditions that are not final, at the last sweep.',
    labels: ['state'],
  });
  const waited = metrics.histogram({
    name: 'rackwright_engine_wait_seconds',
    help: 'Time from creation to the first lease.',
    labels: ['kind'],
  });
  const took = metrics.histogram({
    name: 'rackwright_engine_condition_seconds',
    help: 'Time from creation to the end.',
    labels: ['kind', 'state'],
  });
  return {
    created: (kind) => created.add(1, { kind }),
    refused: (code) => refused.add(1, { code }),
    leased({ kind, leases: times, updatedAt, createdAt }) {
      leases.add(1, { kind });
      if (times === 1) waited.observe((updatedAt - createdAt) / 1000, { kind });
    },
    finalized({ kind, state, reason, finalizedAt = 0, createdAt }) {
      finalized.add(1, { kind, state, reason: reason?.code ?? '' });
      took.observe((finalizedAt - createdAt) / 1000, { kind, state });
    },
    leaseExpired: (kind) => expired.add(1, { kind }),
    workerLost: () => lost.add(),
    staleWrite: (what) => stale.add(1, { what }),
    hintLost: () => hints.add(),
    standing({ pending, active }) {
      standing.set(pending, { state: 'pending' });
      standing.set(active, { state: 'active' });
    },
  };
}
