import {
  conditionOrcRoutes,
  createConditionView,
  createInventoryPort,
  firmwareValidation,
  joinRoutes,
  runConditionOrc,
} from '../../conditionorc/index.ts';
import { type Bus, createEngine, type Engine, type Machines } from '../../engine/index.ts';
import { flasherKinds } from '../../flasher/index.ts';
import { type CertifiedKey, systemClock } from '../../kube/index.ts';
import { type Authorizer, createRest, type OpenapiInfo, type Route } from '../../rest/index.ts';
import {
  createServerservice,
  loadCredentialKeys,
  type Serverservice,
  serverserviceRoutes,
} from '../../serverservice/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { explainListenError } from '../plane/listen-error.ts';
import type { OpenStore } from './open-store.ts';

/** What the work plane of a process is made of. */
export interface WorkPlaneParts {
  readonly store: OpenStore;
  readonly bus: Bus;
  /** The file with the keys of credentials; made where it is missing. */
  readonly credentialKeys: string;
  readonly logger: Logger;
}

/** Engine and inventory on one store. */
export interface WorkPlane {
  readonly engine: Engine;
  readonly service: Serverservice;
  close(): Promise<void>;
}

/** How long the last request of a lost worker may go on when its process cannot have outlived its lock on the store. */
const ownRequestsMs = 2000;

/** Opens engine and inventory. */
export async function openWorkPlane(parts: WorkPlaneParts): Promise<WorkPlane> {
  const { store, bus, logger } = parts;
  const { database } = store;
  const kinds = [...flasherKinds(store.isShared ? {} : { requestDeadlineMs: ownRequestsMs }), firmwareValidation];
  const engine = await createEngine({ database, kinds, clock: systemClock, bus, logger });
  const service = await createServerservice({
    database,
    logger,
    machines: engine.machines satisfies Machines,
    conditions: createConditionView(engine),
    credentialKeys: loadCredentialKeys(parts.credentialKeys),
  });
  return { engine, service, close: () => engine.close() };
}

/** What REST services are served with. */
export interface RestParts {
  readonly info: OpenapiInfo;
  readonly routes: readonly Route[];
  readonly authorizer: Authorizer;
  readonly certificate: CertifiedKey | undefined;
  readonly host: string;
  readonly port: number;
  readonly logger: Logger;
  readonly missing: () => readonly string[];
  /** The option that chooses the port, for messages. */
  readonly portOption: string;
}

/** REST services that are served. */
export interface ServedRest {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves routes on a port. */
export async function serveRest(parts: RestParts): Promise<ServedRest> {
  const { certificate, host, port } = parts;
  const rest = createRest({
    info: parts.info,
    authorizer: parts.authorizer,
    logger: parts.logger,
    missing: parts.missing,
    ...(certificate === undefined ? {} : { certificate }),
  });
  rest.add(...parts.routes);
  try {
    const { url } = await rest.listen({ host, port });
    return { url: reachable(url), close: () => rest.close() };
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

/** The routes of conditionOrc and Serverservice behind one port. */
export function bothRoutes({ engine, service }: WorkPlane, logger: Logger): readonly Route[] {
  const orc = conditionOrcRoutes({ engine, inventory: createInventoryPort(service), logger });
  return joinRoutes(orc, serverserviceRoutes(service));
}

/** Runs what conditionOrc does by itself. */
export function runLoop({ engine, service }: WorkPlane, { store, bus, logger }: WorkPlaneParts) {
  return runConditionOrc({ engine, database: store.database, bus, inventory: createInventoryPort(service), logger });
}
