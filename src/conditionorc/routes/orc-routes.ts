import type { Engine, JsonObject } from '../../engine/index.ts';
import { type Clock, systemClock } from '../../kube/index.ts';
import { createRest, type OpenapiInfo, type Rest, type Route } from '../../rest/index.ts';
import { type Logger, type Metrics, noMetrics, silentLogger } from '../../telemetry/index.ts';
import type { BmcProbe, FleetPlane } from '../enrolment/ports.ts';
import { createOrcMetrics } from '../orc-metrics.ts';
import type { InventoryPort } from '../ports/inventory.ts';
import type { OrcStore } from '../store/orc-store.ts';
import { inbandRoutes } from '../worker-api/inband-routes.ts';
import { workerRoutes } from '../worker-api/worker-routes.ts';
import { changeRoutes } from './change-routes.ts';
import type { OrcContext } from './context.ts';
import { createRoutes } from './create-routes.ts';
import { newsRoutes } from './news-routes.ts';
import { readRoutes, readServerRoutes } from './read-routes.ts';
import { serverRoutes } from './server-routes.ts';

/** What the OpenAPI document says of conditionOrc. */
export const conditionOrcInfo: OpenapiInfo = {
  title: 'conditionOrc',
  description: 'Conditions: work on servers that is asked for, watched and cancelled, and the API of those who do it.',
  version: '1',
};

/** What conditionOrc's REST API is made of. */
export interface OrcRouteOptions {
  readonly engine: Engine;
  /** Serverservice; without it there are neither firmware sets nor enrolment. */
  readonly inventory?: InventoryPort | undefined;
  /** From `openOrcStore`; without it notices are not served, and an install waits for an inventory in its way. */
  readonly store?: Pick<OrcStore, 'notices'> | undefined;
  /** Asks BMCs which machines they are of when servers are enrolled; without one the id is made up. */
  readonly probe?: BmcProbe | undefined;
  /** The Kubernetes plane beside, where BMCs of enrolled servers become objects. */
  readonly plane?: FleetPlane | undefined;
  /** Hosts boot an agent when they are asked to: in-band work is taken though none is online. False unless given. */
  readonly areAgentsPromised?: boolean;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** All routes of conditionOrc, to be added to a REST server. */
export function conditionOrcRoutes(options: OrcRouteOptions): readonly Route[] {
  const context: OrcContext = {
    engine: options.engine,
    inventory: options.inventory,
    store: options.store,
    probe: options.probe,
    plane: options.plane,
    areAgentsPromised: options.areAgentsPromised ?? false,
    clock: options.clock ?? systemClock,
    logger: options.logger ?? silentLogger,
    metrics: createOrcMetrics(options.metrics ?? noMetrics),
  };
  return [
    ...createRoutes(context),
    ...readServerRoutes(context),
    ...readRoutes(context),
    ...changeRoutes(context),
    ...serverRoutes(context),
    ...newsRoutes(context),
    ...workerRoutes(context),
    ...inbandRoutes(context),
  ];
}

/**
 * Routes of two services behind one port: where both serve a path with one method, the first ones are kept. Deleting a
 * server is served by both, and conditionOrc's looks whether anything waits for the server.
 */
export function joinRoutes(first: readonly Route[], others: readonly Route[]): readonly Route[] {
  const keyOf = ({ method, path }: Route): string => `${method} ${path.replaceAll(/:\w+/g, ':')}`;
  const taken = new Set(first.map(keyOf));
  return [...first, ...others.filter((route) => !taken.has(keyOf(route)))];
}

/** Serves conditionOrc alone. */
export function registerConditionOrc(rest: Rest, options: OrcRouteOptions): void {
  rest.add(...conditionOrcRoutes(options));
}

/** The OpenAPI document of conditionOrc alone, as it is committed. */
export function describeConditionOrc(): JsonObject {
  const nobody = {
    authenticate: async () => ({ outcome: 'unknown', reason: '' }) as const,
    allow: async () => ({ isAllowed: false, reason: '' }) as const,
  };
  const rest = createRest({ info: conditionOrcInfo, authorizer: nobody });
  // Nothing is called: only what the routes declare is read.
  registerConditionOrc(rest, { engine: {} as Engine });
  return rest.openapi;
}
