import * as prom from 'prom-client';

/** Label values of one sample. */
export type Labels = Readonly<Record<string, string>>;

/** What a metric is: its name, what it means, and its label names. */
export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/** A number that only grows. */
export interface Counter {
  add(by?: number, labels?: Labels): void;
}

/** A number that goes up and down. */
export interface Gauge {
  set(value: number, labels?: Labels): void;
  /** Forgets the sample of these labels, so that a gone thing is not reported for ever. */
  remove(labels: Labels): void;
}

/** A distribution. */
export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

/** Where metrics are defined. Asking twice for one name gives the same metric. */
export interface Metrics {
  counter(definition: MetricDefinition): Counter;
  gauge(definition: MetricDefinition): Gauge;
  histogram(definition: MetricDefinition & { readonly buckets?: readonly number[] }): Histogram;
}

/** Metrics that can be scraped. */
export interface MetricsRegistry extends Metrics {
  readonly contentType: string;
  /** The Prometheus text format of everything defined here. */
  expose(): Promise<string>;
}

/** How a registry is made. */
export interface MetricsOptions {
  /** Also report memory, CPU and event-loop lag of this process. */
  readonly process?: boolean;
}

const secondsBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300];

/** A registry of its own: two of them in one process do not see each other. */
export function createMetrics(options: MetricsOptions = {}): MetricsRegistry {
  const registry = new prom.Registry();
  if (options.process === true) prom.collectDefaultMetrics({ register: registry });
  return {
    contentType: registry.contentType,
    expose: () => registry.metrics(),
    counter: (definition) => defineCounter(registry, definition),
    gauge: (definition) => defineGauge(registry, definition),
    histogram: (definition) => defineHistogram(registry, definition),
  };
}

function configuration(registry: prom.Registry, definition: MetricDefinition) {
  const { name, help, labels } = definition;
  return { name, help, labelNames: [...(labels ?? [])], registers: [registry] };
}

function existing<M>(registry: prom.Registry, name: string, type: new (...args: never[]) => M): M | undefined {
  const found = registry.getSingleMetric(name);
  if (found === undefined) return undefined;
  if (found instanceof type) return found;
  throw new TypeError(`the metric ${name} is already defined as another type`);
}

function defineCounter(registry: prom.Registry, definition: MetricDefinition): Counter {
  const counter =
    existing(registry, definition.name, prom.Counter<string>) ?? new prom.Counter(configuration(registry, definition));
  return { add: (by = 1, labels = {}) => counter.inc({ ...labels }, by) };
}

function defineGauge(registry: prom.Registry, definition: MetricDefinition): Gauge {
  const gauge =
    existing(registry, definition.name, prom.Gauge<string>) ?? new prom.Gauge(configuration(registry, definition));
  return {
    set: (value, labels = {}) => gauge.set({ ...labels }, value),
    remove: (labels) => gauge.remove({ ...labels }),
  };
}

function defineHistogram(
  registry: prom.Registry,
  definition: MetricDefinition & { readonly buckets?: readonly number[] },
): Histogram {
  const histogram =
    existing(registry, definition.name, prom.Histogram<string>) ??
    new prom.Histogram({
      ...configuration(registry, definition),
      buckets: [...(definition.buckets ?? secondsBuckets)],
    });
  return { observe: (value, labels = {}) => histogram.observe({ ...labels }, value) };
}

const ignore = (): void => {};

/** Metrics that go nowhere. */
export const noMetrics: Metrics = {
  counter: () => ({ add: ignore }),
  gauge: () => ({ set: ignore, remove: ignore }),
  histogram: () => ({ observe: ignore }),
};
