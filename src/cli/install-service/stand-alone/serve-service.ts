import type { Authorizer, CallHandler, OpenapiInfo, Route } from '../../../rest/index.ts';
import type { Settings } from '../../settings.ts';
import { followCertificate, readCertificate, selfCertified } from '../certificate.ts';
import { type Check, createReadiness } from '../readiness.ts';
import { serveRest } from '../work-plane.ts';
import type { ServiceContext } from './run-service.ts';

/** Where a service listens. */
export type ServeSettings = Settings<'host' | 'restPort' | 'tlsCert' | 'tlsKey'> & Partial<Settings<'tlsSelf'>>;

/** What a service serves. */
export interface Served {
  readonly info: OpenapiInfo;
  readonly routes: readonly Route[];
  /** What else is answered on the port. */
  readonly calls?: CallHandler;
  readonly authorizer: Authorizer;
  readonly checks: readonly Check[];
  /** Unless another one is asked for. */
  readonly port: number;
}

/** Serves a service until its process stops, and says where. */
export async function serveService(
  settings: ServeSettings,
  { info, routes, calls, authorizer, checks, port }: Served,
  { logger, metrics, audit, tracer, open }: ServiceContext,
): Promise<string> {
  const rest = await serveRest({
    info,
    routes,
    calls,
    authorizer,
    logger,
    metrics,
    audit,
    tracer,
    certificate: readCertificate(settings) ?? (settings.tlsSelf === true ? await selfCertified() : undefined),
    host: settings.host,
    port: settings.restPort ?? port,
    portOption: '--rest-port',
    missing: createReadiness(checks),
  });
  open.add(() => rest.close());
  open.add(followCertificate({ settings, rest, logger }));
  return rest.url;
}
