import type { Metrics } from '../../../src/telemetry/index.ts';
import { noMetrics } from '../../../src/telemetry/index.ts';

/** How often each operation was answered how. */
export interface AnswerTally {
  /** For the REST server. */
  readonly metrics: Metrics;
  /** Statuses by method and path, as `GET /api/v1/servers/:uuid`. */
  statusesOf(operation: string): ReadonlyMap<number, number>;
}

/** Counts answers by what the REST server reports of itself. */
export function createAnswerTally(): AnswerTally {
  const counts = new Map<string, Map<number, number>>();
  const count = (by: number, labels: Readonly<Record<string, string>>): void => {
    const operation = `${labels.method} ${labels.route}`;
    const statuses = counts.get(operation) ?? new Map<number, number>();
    const status = Number(labels.code);
    statuses.set(status, (statuses.get(status) ?? 0) + by);
    counts.set(operation, statuses);
  };
  return {
    metrics: {
      ...noMetrics,
      counter: (definition) =>
        definition.name === 'rackwright_rest_requests_total'
          ? { add: (by = 1, labels = {}) => count(by, labels as Readonly<Record<string, string>>) }
          : noMetrics.counter(definition),
    },
    statusesOf: (operation) => counts.get(operation) ?? new Map(),
  };
}
