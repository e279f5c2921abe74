import type { Metrics } from '../../telemetry/index.ts';

/** How work on a key ended. */
export type WorkKind = 'done' | 'again' | 'retry';

/** What a work queue reports. */
export interface QueueMetrics {
  added(): void;
  depth(keys: number): void;
  running(keys: number): void;
  waited(seconds: number): void;
  worked(seconds: number, outcome: WorkKind): void;
  /** Work threw, which it never should. */
  threw(): void;
}

const results = { done: 'success', again: 'requeue_after', retry: 'error' } as const satisfies Record<WorkKind, string>;

/** Defines the metrics of work queues and of what works on them, named as those of client-go and controller-runtime. */
export function createQueueMetrics(metrics: Metrics, queue: string, concurrency: number): QueueMetrics {
  const ofQueue = createWaitMetrics(metrics, queue);
  const ofWork = createReconcileMetrics(metrics, queue, concurrency);
  return {
    ...{ added: ofQueue.added, depth: ofQueue.depth, waited: ofQueue.waited },
    ...{ running: ofWork.running, threw: ofWork.threw },
    worked(seconds, outcome) {
      ofQueue.worked(seconds, outcome);
      ofWork.worked(seconds, outcome);
    },
  };
}

function createWaitMetrics(metrics: Metrics, name: string) {
  const labels = { name };
  const define = (part: string, help: string) => ({ name: `workqueue_${part}`, help, labels: ['name'] });
  const adds = metrics.counter(define('adds_total', 'Requests for work on a key.'));
  const depth = metrics.gauge(define('depth', 'Keys that wait for a worker.'));
  const waited = metrics.histogram(define('queue_duration_seconds', 'How long keys waited for a worker.'));
  const worked = metrics.histogram(define('work_duration_seconds', 'How long work on a key took.'));
  const retries = metrics.counter(define('retries_total', 'Keys that are worked on again since it went wrong.'));
  retries.add(0, labels);
  return {
    added: () => adds.add(1, labels),
    depth: (keys: number) => depth.set(keys, labels),
    waited: (seconds: number) => waited.observe(seconds, labels),
    worked(seconds: number, outcome: WorkKind) {
      worked.observe(seconds, labels);
      if (outcome === 'retry') retries.add(1, labels);
    },
  };
}

function createReconcileMetrics(metrics: Metrics, controller: string, concurrency: number) {
  const labels = { controller };
  const define = (part: string, help: string, more: readonly string[] = []) => ({
    name: `controller_runtime_${part}`,
    help,
    labels: ['controller', ...more],
  });
  const total = metrics.counter(define('reconcile_total', 'Looks at a key by how they ended.', ['result']));
  const errors = metrics.counter(define('reconcile_errors_total', 'Looks at a key that went wrong.'));
  const panics = metrics.counter(define('reconcile_panics_total', 'Looks at a key that threw.'));
  const seconds = metrics.histogram(define('reconcile_time_seconds', 'How long a look at a key took.'));
  const active = metrics.gauge(define('active_workers', 'Keys that are worked on.'));
  const most = metrics.gauge(define('max_concurrent_reconciles', 'How many keys are worked on at once at most.'));
  most.set(concurrency, labels);
  active.set(0, labels);
  for (const counter of [errors, panics]) counter.add(0, labels);
  return {
    running: (keys: number) => active.set(keys, labels),
    threw: () => panics.add(1, labels),
    worked(took: number, outcome: WorkKind) {
      total.add(1, { ...labels, result: results[outcome] });
      seconds.observe(took, labels);
      if (outcome === 'retry') errors.add(1, labels);
    },
  };
}
