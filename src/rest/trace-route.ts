import type { FastifyRequest } from 'fastify';
import type { Tracer } from '../telemetry/index.ts';
import type { Answer } from './answer.ts';
import type { Route } from './route.ts';

/** Answers a request as a span: of the trace that it came with, or of one of its own. */
export async function traceRoute(
  tracer: Tracer,
  { route, request }: { readonly route: Route; readonly request: FastifyRequest },
  handle: () => Promise<Answer> | Answer,
): Promise<Answer> {
  // What is asked for every few seconds by machines would bury the rest.
  if (route.access === 'public' || route.path === '/metrics') return await handle();
  const { traceparent } = request.headers;
  const attributes = {
    'http.request.method': route.method,
    'http.route': route.path,
    'rackwright.request': request.id,
  };
  const parent = typeof traceparent === 'string' ? traceparent : undefined;
  const plan = { name: `${route.method} ${route.path}`, kind: 'server', attributes, parent } as const;
  return await tracer.trace(plan, async (span) => {
    const answer = await handle();
    span.set({ 'http.response.status_code': answer.status });
    return answer;
  });
}
