import type { IncomingMessage } from 'node:http';
import type { Tracer } from '../../telemetry/index.ts';
import type { RequestInfo } from './request-info.ts';

const readVerbs = new Set(['get', 'list', 'watch']);

/** A request on its way to its answer. */
export interface TracedRequest {
  readonly request: IncomingMessage;
  readonly info: RequestInfo;
}

/** Answers a request as a span. Reads, of which controllers make many, are spans only of traces that they came with; watches never. */
export function traceRequest(
  tracer: Tracer,
  { request, info }: TracedRequest,
  answer: () => Promise<number>,
): Promise<number> {
  const given = request.headers.traceparent;
  const parent = typeof given === 'string' ? given : undefined;
  if (info.verb === 'watch' || !info.isResource || (parent === undefined && readVerbs.has(info.verb))) return answer();
  const { verb, group, resource, subresource, namespace } = info;
  const attributes = {
    'http.request.method': info.method,
    'k8s.verb': verb,
    'k8s.group': group,
    'k8s.resource': subresource === '' ? resource : `${resource}/${subresource}`,
    'k8s.namespace.name': namespace === '' ? undefined : namespace,
  };
  const name = `${verb} ${group === '' ? '' : `${group}/`}${resource}`;
  return tracer.trace({ name, kind: 'server', attributes, parent }, async (span) => {
    const code = await answer();
    span.set({ 'http.response.status_code': code });
    return code;
  });
}
