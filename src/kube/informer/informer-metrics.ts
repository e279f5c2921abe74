import type { Counter, Gauge, Metrics } from '../../telemetry/index.ts';

/** What informers report. */
export interface InformerMetrics {
  readonly relists: Counter;
  readonly silences: Counter;
  readonly failures: Counter;
  readonly events: Counter;
  readonly handlerErrors: Counter;
  readonly objects: Gauge;
  readonly lastHeard: Gauge;
}

/** Which informer: what it follows, and where; all namespaces are an empty one. */
export type InformerLabels = { readonly resource: string; readonly namespace: string };

/** Defines the metrics of informers, and shows the counters of this one at zero from the start. */
export function createInformerMetrics(metrics: Metrics, labels: InformerLabels): InformerMetrics {
  const counter = (name: string, help: string): Counter => {
    const made = metrics.counter({ name: `rackwright_informer_${name}`, help, labels: ['resource', 'namespace'] });
    made.add(0, labels);
    return made;
  };
  const gauge = (name: string, help: string): Gauge =>
    metrics.gauge({ name: `rackwright_informer_${name}`, help, labels: ['resource', 'namespace'] });
  return {
    relists: counter('relists_total', 'Complete listings.'),
    silences: counter('silent_restarts_total', 'Watches given up because nothing was heard of them.'),
    failures: counter('failures_total', 'Listings and watches that ended with an error.'),
    handlerErrors: counter('handler_errors_total', 'Exceptions thrown by change handlers.'),
    events: metrics.counter({
      name: 'rackwright_informer_events_total',
      help: 'Events received by type, bookmarks included.',
      labels: ['resource', 'namespace', 'type'],
    }),
    objects: gauge('objects', 'Objects held.'),
    lastHeard: gauge(
      'last_heard_timestamp_seconds',
      'When the server was last heard of: a listing, an event or a bookmark.',
    ),
  };
}
