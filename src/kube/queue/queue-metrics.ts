import type { Metrics } from '../../telemetry/index.ts';

/** What a work queue reports. */
export interface QueueMetrics {
  added(): void;
  depth(keys: number): void;
  running(keys: number): void;
  waited(seconds: number): void;
  worked(seconds: number, outcome: string): void;
}

/** Defines the metrics of work queues. */
export function createQueueMetrics(metrics: Metrics, queue: string): QueueMetrics {
  const labels = { queue };
  const define = (name: string, help: string, more: string[] = []) => ({
    name: `rackwright_queue_${name}`,
    help,
    labels: ['queue', ...more],
  });
  const adds = metrics.counter(define('adds_total', 'Requests for work on a key.'));
  const depth = metrics.gauge(define('depth', 'Keys that wait for a worker.'));
  const running = metrics.gauge(define('running', 'Keys that are worked on.'));
  const waited = metrics.histogram(define('wait_seconds', 'How long keys waited for a worker.'));
  const worked = metrics.histogram(define('work_seconds', 'How long work on a key took.', ['outcome']));
  return {
    added: () => adds.add(1, labels),
    depth: (keys) => depth.set(keys, labels),
    running: (keys) => running.set(keys, labels),
    waited: (seconds) => waited.observe(seconds, labels),
    worked: (seconds, outcome) => worked.observe(seconds, { ...labels, outcome }),
  };
}
