import type { Metrics } from '../../telemetry/index.ts';

/** What a worker counts. */
export interface WorkerMetrics {
  running(conditions: number): void;
  ended(work: { readonly kind: string; readonly outcome: string }, seconds: number): void;
}

/** Defines the metrics of workers. */
export function createWorkerMetrics(metrics: Metrics): WorkerMetrics {
  const running = metrics.gauge({
    name: 'rackwright_worker_running',
    help: 'Conditions that this process works on.',
  });
  const seconds = metrics.histogram({
    name: 'condition_duration_seconds',
    help: 'How long work on a condition took, by how it ended.',
    labels: ['condition', 'state'],
  });
  return {
    running: (conditions) => running.set(conditions),
    ended: (work, took) => seconds.observe(took, { condition: work.kind, state: work.outcome }),
  };
}
