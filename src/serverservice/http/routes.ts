import type { JsonObject } from '../../engine/index.ts';
import { createRest, type OpenapiInfo, type Rest, type Route } from '../../rest/index.ts';
import type { Serverservice } from '../serverservice.ts';
import { attributeRoutes } from './attribute-routes.ts';
import { billRoutes } from './bill-routes.ts';
import { biosConfigRoutes } from './bios-config-routes.ts';
import { componentRoutes } from './component-routes.ts';
import { credentialRoutes } from './credential-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { firmwareRoutes } from './firmware-routes.ts';
import { firmwareSetRoutes } from './firmware-set-routes.ts';
import { firmwareSetValidationRoutes } from './firmware-set-validation-routes.ts';
import { serverRoutes } from './server-routes.ts';

/** What the OpenAPI document says of the inventory. */
export const serverserviceInfo: OpenapiInfo = {
  title: 'Serverservice',
  description: 'The inventory: servers, what is known of them, and the catalogue of firmware.',
  version: '1',
};

/** Every route of the inventory. */
export function serverserviceRoutes(service: Serverservice): readonly Route[] {
  return [
    serverRoutes,
    attributeRoutes,
    componentRoutes,
    firmwareRoutes,
    firmwareSetRoutes,
    firmwareSetValidationRoutes,
    credentialRoutes,
    biosConfigRoutes,
    eventRoutes,
    billRoutes,
  ].flatMap((routes) => routes(service));
}

/** Serves the inventory. */
export function registerServerservice(rest: Rest, service: Serverservice): void {
  rest.add(...serverserviceRoutes(service));
}

/** The OpenAPI document of the inventory alone, as it is committed. */
export function describeServerservice(): JsonObject {
  const nobody = {
    authenticate: async () => ({ outcome: 'unknown', reason: '' }) as const,
    allow: async () => ({ isAllowed: false, reason: '' }) as const,
  };
  const rest = createRest({ info: serverserviceInfo, authorizer: nobody });
  // Nothing is called: only what the routes declare is read.
  registerServerservice(rest, {} as Serverservice);
  return rest.openapi;
}
