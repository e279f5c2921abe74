import { isEngineError } from '../engine/index.ts';
import type { Metrics } from '../telemetry/index.ts';

/**
 * What conditionOrc counts itself. The rest of what operators watch comes from below: requests and their latency by
 * route from the REST layer, ends of conditions, expired leases and lost hints from the engine.
 */
export interface OrcMetrics {
  queued(kind: string, outcome: 'created' | 'existing'): void;
  completed(kind: string, state: string): void;
  /** An end that the history can never take. */
  endRefused(kind: string): void;
  /** Counts a failure of something we depend on, and hands it on. */
  watchDependency<T>(dependency: string, operation: string, work: Promise<T>): Promise<T>;
  dependencyFailed(dependency: string, operation: string): void;
  publishFailed(): void;
  stale(count: number): void;
  notice(type: string): void;
  delivered(outcome: 'delivered' | 'retried' | 'given-up'): void;
  /** How many are online, by what they can do. */
  workers(count: number, byKind: ReadonlyMap<string, number>): void;
}

/** Defines the metrics of conditionOrc. */
export function createOrcMetrics(metrics: Metrics): OrcMetrics {
  const counter = (name: string, help: string, labels: string[] = []) =>
    metrics.counter({ name: `conditionorc_${name}`, help, labels });
  const gauge = (name: string, help: string, labels: string[] = []) =>
    metrics.gauge({ name: `conditionorc_${name}`, help, labels });
  const queued = counter('condition_queued', 'Conditions that were asked for and taken.', ['conditionKind', 'outcome']);
  const completed = counter('condition_completed', 'Conditions that ended.', ['conditionKind', 'state']);
  const refusedEnds = counter('ends_refused_total', 'Ends of conditions that the history can never take.', [
    'conditionKind',
  ]);
  const failures = counter('dependencies_errors_total', 'Failures of what conditionOrc depends on.', [
    'dependency_name',
    'operation',
  ]);
  const unpublished = counter('publish_errors', 'Hints of un-finalized conditions that the bus did not take.');
  const stale = gauge('condition_active_stale', 'Active conditions whose lease had ended, at the last round.');
  const notices = counter('notices_total', 'Notices to operators.', ['type']);
  const deliveries = counter('notice_deliveries_total', 'Attempts to deliver notices to a webhook.', ['outcome']);
  const workers = gauge('workers_online', 'Workers that are online, at the last round.');
  const workersOfKind = gauge('workers_of_kind', 'Workers that are online, by kind, at the last round.', ['kind']);
  const dependencyFailed = (dependency: string, operation: string): void =>
    failures.add(1, { dependency_name: dependency, operation });
  return {
    queued: (kind, outcome) => queued.add(1, { conditionKind: kind, outcome }),
    completed: (kind, state) => completed.add(1, { conditionKind: kind, state }),
    endRefused: (kind) => refusedEnds.add(1, { conditionKind: kind }),
    dependencyFailed,
    async watchDependency(dependency, operation, work) {
      try {
        return await work;
      } catch (error) {
        if (!isRefusal(error)) dependencyFailed(dependency, operation);
        throw error;
      }
    },
    publishFailed: () => unpublished.add(1),
    stale: (count) => stale.set(count),
    notice: (type) => notices.add(1, { type }),
    delivered: (outcome) => deliveries.add(1, { outcome }),
    workers(count, byKind) {
      workers.set(count);
      for (const [kind, able] of byKind) workersOfKind.set(able, { kind });
    },
  };
}

/** A refusal is an answer, not a failure of whoever gave it. */
function isRefusal(error: unknown): boolean {
  if (isEngineError(error)) return error.status < 500;
  return error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500;
}
