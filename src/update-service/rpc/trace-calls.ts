import type { Interceptor } from '@connectrpc/connect';
import type { Tracer } from '../../telemetry/index.ts';

/** Answers calls as spans, of the traces that they came with; streams, which go on for long, are none. */
export function traceCalls(tracer: Tracer): Interceptor {
  return (next) => async (request) => {
    if (request.stream) return await next(request);
    const { typeName } = request.service;
    const attributes = { 'rpc.system': 'connect_rpc', 'rpc.service': typeName, 'rpc.method': request.method.name };
    const parent = request.header.get('traceparent') ?? undefined;
    const plan = { name: `${typeName}/${request.method.name}`, kind: 'server', attributes, parent } as const;
    return await tracer.trace(plan, () => next(request));
  };
}
