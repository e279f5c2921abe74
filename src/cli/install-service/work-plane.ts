import type { RequestListener } from 'node:http';
import {
  conditionOrcRoutes,
  createConditionView,
  createInventoryPort,
  firmwareValidation,
  joinRoutes,
  type OrcLoop,
  type OrcLoopOptions,
  type OrcRouteOptions,
  openOrcStore,
  runConditionOrc,
} from '../../conditionorc/index.ts';
import {
  type Bus,
  createEngine,
  type Engine,
  type EngineLimits,
  type EngineSettings,
  externalWork,
  type Machines,
  type UrlSealer,
} from '../../engine/index.ts';
import { type FlasherKindsOptions, flasherKinds, outsideKinds } from '../../flasher/index.ts';
import { type CertifiedKey, systemClock } from '../../kube/index.ts';
import { type Authorizer, type CallHandler, createRest, type OpenapiInfo, type Route } from '../../rest/index.ts';
import { createServerservice, Sealer, type Serverservice, serverserviceRoutes } from '../../serverservice/index.ts';
import type { AuditExport, Logger, Metrics, MetricsRegistry, Tracer } from '../../telemetry/index.ts';
import { firmwareDiscover, type JobLimits, withJobLimits } from '../../update-service/index.ts';
import { explainListenError } from '../plane/listen-error.ts';
import { openCredentialKeys } from './credential-keys.ts';
import type { OpenStore } from './open-store.ts';
import { processRoutes } from './process-routes.ts';

/** What the work plane of a process is made of. */
export interface WorkPlaneParts {
  readonly store: OpenStore;
  readonly bus: Bus;
  /** The file with the keys of credentials; made where nothing is encrypted yet. */
  readonly credentialKeys: string;
  readonly kinds: FlasherKindsOptions;
  /** Take firmware that comes without a checksum into the catalogue, and install it. */
  readonly areUnverifiedAllowed: boolean;
  readonly limits: Partial<EngineLimits>;
  /** How many jobs of each type may run and wait. */
  readonly jobLimits: JobLimits;
  readonly engineSettings: Partial<EngineSettings>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Asks BMCs which machines they are of, and shows them on the Kubernetes plane beside, when servers are enrolled. */
  readonly enrolment?: Pick<OrcRouteOptions, 'probe' | 'plane'> | undefined;
}

/** Engine and inventory on one store. */
export interface WorkPlane {
  readonly engine: Engine;
  readonly service: Serverservice;
  /** Seals URLs with log-ins that others keep in the same store. */
  readonly sealer: UrlSealer;
  close(): Promise<void>;
}

/** Opens engine and inventory. */
export async function openWorkPlane(parts: WorkPlaneParts): Promise<WorkPlane> {
  const { bus, logger, metrics, limits, areUnverifiedAllowed } = parts;
  if (areUnverifiedAllowed) logger.warn('firmware without a checksum is taken: nobody can tell what is in it');
  const kinds = { ...parts.kinds, areUnverifiedAllowed };
  const { database } = parts.store;
  const credentialKeys = await openCredentialKeys(parts.credentialKeys, database);
  const sealer = new Sealer(credentialKeys);
  const engine = await createEngine({
    database,
    kinds: withJobLimits(
      [...flasherKinds(kinds), ...outsideKinds(kinds), firmwareValidation, firmwareDiscover, externalWork],
      parts.jobLimits,
    ),
    clock: systemClock,
    sealer,
    bus,
    limits,
    settings: parts.engineSettings,
    logger,
    metrics,
  });
  const service = await createServerservice({
    database,
    logger,
    machines: engine.machines satisfies Machines,
    conditions: createConditionView(engine),
    credentialKeys,
    isChecksumOptional: areUnverifiedAllowed,
  });
  return { engine, service, sealer, close: () => engine.close() };
}

/** What REST services are served with. */
export interface RestParts {
  readonly info: OpenapiInfo;
  readonly routes: readonly Route[];
  /** What else is answered on the port. */
  readonly calls?: CallHandler | undefined;
  readonly authorizer: Authorizer;
  readonly certificate: CertifiedKey | undefined;
  readonly host: string;
  readonly port: number;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  /** Is told who changed what. */
  readonly audit?: AuditExport | undefined;
  readonly tracer?: Tracer | undefined;
  /** What is not ready, by name. */
  readonly missing: () => Promise<readonly string[]>;
  /** The option that chooses the port, for messages. */
  readonly portOption: string;
}

/** REST services that are served. */
export interface ServedRest {
  readonly url: string;
  /** Answers a request that came in by another port of this process. */
  readonly handle: RequestListener;
  /** Serves new connections with another certificate. */
  setCertificate(certificate: CertifiedKey): void;
  close(): Promise<void>;
}

/** Serves routes on a port. */
export async function serveRest(parts: RestParts): Promise<ServedRest> {
  const { certificate, host, port } = parts;
  const rest = createRest({
    info: parts.info,
    authorizer: parts.authorizer,
    logger: parts.logger,
    metrics: parts.metrics,
    missing: parts.missing,
    ...(certificate === undefined ? {} : { certificate }),
    ...(parts.calls === undefined ? {} : { calls: parts.calls }),
    ...(parts.tracer === undefined ? {} : { tracer: parts.tracer }),
    ...(parts.audit === undefined ? {} : { audit: parts.audit }),
  });
  rest.add(...processRoutes(parts.metrics), ...parts.routes);
  try {
    const { url } = await rest.listen({ host, port });
    return {
      url: reachable(url),
      handle: rest.handle,
      setCertificate: (next) => rest.setCertificate(next),
      close: () => rest.close(),
    };
  } catch (error) {
    throw explainListenError(error, { host, port, option: parts.portOption });
  }
}

/** Whoever listens on every address is reached on this machine by loopback. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** What both services look like behind one port. */
export const bothInfo: OpenapiInfo = {
  title: 'Rackwright',
  description: 'conditionOrc and Serverservice: work on servers, the inventory, and the catalogue of firmware.',
  version: '1',
};

/** The routes of conditionOrc. */
export async function orcRoutes({ engine, service }: WorkPlane, parts: WorkPlaneParts): Promise<readonly Route[]> {
  const { logger, metrics } = parts;
  const store = await openOrcStore(parts.store.database);
  return conditionOrcRoutes({
    engine,
    inventory: createInventoryPort(service),
    store,
    logger,
    metrics,
    ...parts.enrolment,
  });
}

/** The routes of conditionOrc and Serverservice behind one port. */
export async function bothRoutes(plane: WorkPlane, parts: WorkPlaneParts): Promise<readonly Route[]> {
  return joinRoutes(await orcRoutes(plane, parts), serverserviceRoutes(plane.service));
}

/** What conditionOrc's loop may be told besides the parts of the work plane. */
export type LoopChoices = Pick<OrcLoopOptions, 'webhook' | 'everyMs'>;

/** Runs what conditionOrc does by itself. */
export function runLoop(plane: WorkPlane, parts: WorkPlaneParts, choices: LoopChoices = {}): Promise<OrcLoop> {
  const { store, bus, logger, metrics } = parts;
  const inventory = createInventoryPort(plane.service);
  return runConditionOrc({
    engine: plane.engine,
    database: store.database,
    bus,
    inventory,
    logger,
    metrics,
    ...choices,
  });
}
