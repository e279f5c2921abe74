import type { Metrics } from '../telemetry/index.ts';

/** One request that was answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** The declared path, never the one that was asked for: those are without number. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** Counts requests by route. */
export function createRestMetrics(metrics: Metrics): (request: AnsweredRequest) => void {
  const requests = metrics.counter({
    name: 'rackwright_rest_requests_total',
    help: 'Requests to the REST services by route and HTTP code.',
    labels: ['method', 'route', 'code'],
  });
  const seconds = metrics.histogram({
    name: 'rackwright_rest_request_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labels: ['method', 'route'],
  });
  return ({ method, route, status, seconds: taken }) => {
    requests.add(1, { method, route, code: String(status) });
    seconds.observe(taken, { method, route });
  };
}
