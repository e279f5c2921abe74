import type { SpanPlan } from '../../telemetry/index.ts';
import type { GateRequest } from './gate.ts';
import { pathTemplate } from './path-template.ts';

/** A request as a span: to whom and what for. Neither headers nor bodies, which may hold credentials, are in it, and the BMC is not told. */
export function spanOf(origin: string, { method, path }: GateRequest): SpanPlan {
  const template = pathTemplate(path);
  const { hostname, port } = new URL(origin);
  return {
    name: `${method} ${template}`,
    kind: 'client',
    attributes: {
      'http.request.method': method,
      'url.template': template,
      'server.address': hostname,
      ...(port === '' ? {} : { 'server.port': Number(port) }),
    },
  };
}
