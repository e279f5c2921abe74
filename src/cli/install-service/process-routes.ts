import { Type } from 'typebox';
import { defineRoute, type Route, restResources, Struct } from '../../rest/index.ts';
import type { MetricsRegistry } from '../../telemetry/index.ts';

const Health = Struct(
  { status: Type.Literal('ok', { description: 'The process answers.' }) },
  { title: 'ProcessHealth', description: 'That the process lives.' },
);

/** What every process of the install service serves besides what it is for. */
export function processRoutes(metrics: MetricsRegistry): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/healthz',
      operation: 'getHealth',
      summary: 'Whether the process answers; the same as /livez.',
      tag: 'service',
      access: 'public',
      answers: { 200: Health },
      handle: () => ({ status: 200, body: { status: 'ok' } }),
    }),
    defineRoute({
      method: 'GET',
      path: '/metrics',
      operation: 'getMetrics',
      summary: 'What the process counts, for Prometheus.',
      tag: 'service',
      access: { verb: 'get', resource: restResources.metrics },
      mediaType: metrics.contentType,
      answers: { 200: Type.String({ description: 'Metrics in the text format of Prometheus.' }) },
      handle: async () => ({ status: 200, body: await metrics.expose() }),
    }),
  ];
}
