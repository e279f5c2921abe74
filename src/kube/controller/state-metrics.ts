import type { Metrics } from '../../telemetry/index.ts';
import type { FactDomain, Position, StateTable, Step } from './state-table.ts';

/** Reports how machines of one table move. */
export interface StateMetrics<S extends string, A extends string> {
  /** Tells of a step that was taken from a position. */
  took(from: Position<S>, step: Step<S, A>): void;
}

const buckets = [1, 10, 60, 300, 900, 1800, 3600, 7200, 21_600, 86_400];

/** Defines the metrics of state machines: time spent in a state, by where it went, and visits past the limit. */
export function createStateMetrics<S extends string, D extends FactDomain, A extends string>(
  metrics: Metrics,
  table: StateTable<S, D, A>,
): StateMetrics<S, A> {
  const spent = metrics.histogram({
    name: 'rackwright_state_seconds',
    help: 'Time spent in a state before it was left.',
    labels: ['machine', 'from', 'to'],
    buckets,
  });
  const overdue = metrics.counter({
    name: 'rackwright_state_overdue_total',
    help: 'Looks at a state that was past its limit and could not be left.',
    labels: ['machine', 'state'],
  });
  return {
    took(from, step) {
      const to = step.position;
      if (to.state !== from.state) {
        spent.observe((to.since - from.since) / 1000, { machine: table.name, from: from.state, to: to.state });
      } else if (step.isOverdue) overdue.add(1, { machine: table.name, state: from.state });
    },
  };
}

/** Counts objects by the state they are in. */
export interface StateCounts {
  /** An object is in a state now. */
  at(key: string, state: string): void;
  /** An object is gone. */
  gone(key: string): void;
  /** Nobody counts here any more. */
  clear(): void;
}

/** Defines the gauge of objects by state; every state of the table is told, also those nobody is in. */
export function createStateCounts(
  metrics: Metrics,
  { name: machine, states }: { readonly name: string; readonly states: readonly string[] },
): StateCounts {
  const gauge = metrics.gauge({
    name: 'rackwright_state_objects',
    help: 'Objects by the state they are in, as last decided.',
    labels: ['machine', 'state'],
  });
  const found = new Map<string, string>();
  const counts = new Map(states.map((state) => [state, 0]));
  const add = (state: string | undefined, more: number): void => {
    if (state === undefined) return;
    const count = (counts.get(state) ?? 0) + more;
    counts.set(state, count);
    gauge.set(count, { machine, state });
  };
  for (const state of states) add(state, 0);
  return {
    at(key, state) {
      const before = found.get(key);
      if (before === state) return;
      add(before, -1);
      found.set(key, state);
      add(state, 1);
    },
    gone(key) {
      add(found.get(key), -1);
      found.delete(key);
    },
    clear() {
      found.clear();
      for (const [state, count] of counts) add(state, -count);
    },
  };
}
