import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import {
  conditionOrcInfo,
  conditionOrcRoutes,
  createConditionView,
  createInventoryPort,
  firmwareValidation,
  openOrcStore,
} from '../../../src/conditionorc/index.ts';
import { createEngine, type Database } from '../../../src/engine/index.ts';
import { flasherKinds } from '../../../src/flasher/index.ts';
import { systemClock } from '../../../src/kube/index.ts';
import { createJwtAuthorizer, createRest, type OpenapiInfo, type Route } from '../../../src/rest/index.ts';
import { createServerservice, serverserviceInfo, serverserviceRoutes } from '../../../src/serverservice/index.ts';
import { type AnswerTally, createAnswerTally } from './answer-tally.ts';
import { type FilledInventory, fillInventory } from './fill-inventory.ts';

/** Whose API is served. */
export type ApiName = 'conditionorc' | 'serverservice';

/** An API on a port of the loopback interface, with something in it. */
export interface ServedApi {
  readonly url: string;
  /** A token with every scope there is. */
  readonly token: string;
  readonly filled: FilledInventory;
  /** Everything behind the token, as `GET /api/v1/servers/:uuid`. */
  readonly operations: readonly string[];
  readonly tally: AnswerTally;
  close(): Promise<void>;
}

const issuer = 'https://issuer.example';
const audience = 'rackwright';
const allScopes = 'read write update:worker read:server:credentials write:server:credentials';

/** Serves conditionOrc or Serverservice alone on a database, as its command does, behind tokens with scopes. */
export async function serveApi(name: ApiName, database: Database, folder: string): Promise<ServedApi> {
  const engine = await createEngine({
    database,
    clock: systemClock,
    kinds: [...flasherKinds(), firmwareValidation],
  });
  const service = await createServerservice({
    database,
    machines: engine.machines,
    conditions: createConditionView(engine),
    credentialKeys: [{ id: randomBytes(8).toString('hex'), secret: randomBytes(32) }],
  });
  const store = await openOrcStore(database);
  const apis: Record<ApiName, { readonly info: OpenapiInfo; readonly routes: () => readonly Route[] }> = {
    conditionorc: {
      info: conditionOrcInfo,
      routes: () => conditionOrcRoutes({ engine, store, inventory: createInventoryPort(service) }),
    },
    serverservice: { info: serverserviceInfo, routes: () => serverserviceRoutes(service) },
  };
  const filled = await fillInventory(engine, service);
  const { authorizer, token } = await openAccess(folder);
  const tally = createAnswerTally();
  const rest = createRest({ info: apis[name].info, authorizer, metrics: tally.metrics });
  const routes = apis[name].routes();
  rest.add(...routes);
  const { url } = await rest.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    token,
    filled,
    tally,
    operations: routes.map(({ method, path }) => `${method} ${path}`),
    async close() {
      await engine.close();
      await rest.close();
    },
  };
}

async function openAccess(folder: string) {
  const key = randomBytes(32).toString('hex');
  const sharedKeyFile = join(folder, 'token.key');
  writeFileSync(sharedKeyFile, key, { mode: 0o600 });
  const issuers = [{ issuer, audience, keys: { sharedKeyFile } }];
  const token = await new SignJWT({ scope: allScopes })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject('schemathesis')
    .setExpirationTime('2h')
    .sign(new TextEncoder().encode(key));
  return { authorizer: await createJwtAuthorizer({ issuers, clock: systemClock }), token };
}
