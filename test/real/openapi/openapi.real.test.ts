import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { type Database, openPostgresDatabase, openSqliteDatabase } from '../../../src/engine/index.ts';
import { systemClock } from '../../../src/kube/index.ts';
import { type RealPostgres, startPostgres } from '../postgres/real-postgres.ts';
import { knownValues } from './known-values.ts';
import { schemathesisProgram, whyNoSchemathesis } from './programs.ts';
import { type FuzzWish, fuzz } from './schemathesis.ts';
import { type ApiName, type ServedApi, serveApi } from './served-apis.ts';
import { anything, anythingWithoutToken, whatIsDocumented } from './wishes.ts';

const skip = whyNoSchemathesis() ?? false;
const documents = join(import.meta.dirname, '..', '..', '..', 'docs', 'reference', 'openapi');
const apis: readonly ApiName[] = ['conditionorc', 'serverservice'];

/** Fuzzes an API on an empty store of its own, by the document that is committed. */
async function tryApi(
  t: TestContext,
  name: ApiName,
  more: { readonly wish: FuzzWish; readonly database: Database; readonly isAnonymous?: boolean },
): Promise<ServedApi> {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const api = await serveApi(name, more.database, folder);
  t.after(async () => {
    await api.close();
    await more.database.close();
  });
  const outcome = await fuzz({
    ...more.wish,
    program: await schemathesisProgram(),
    document: join(documents, `${name}.json`),
    url: api.url,
    token: more.isAnonymous === true ? undefined : api.token,
    known: knownValues(api.filled),
    folder: join(folder, 'schemathesis'),
  });
  assert.ok(outcome.hasPassed, outcome.printed);
  return api;
}

const openSqlite = () => openSqliteDatabase({ path: ':memory:', clock: systemClock });

/** Without successes the fuzzer would have seen nothing but the checks at the door. */
function gotSuccess(api: ServedApi, operation: string): boolean {
  return [...api.tally.statusesOf(operation).keys()].some((status) => status < 300);
}

/** Conditions change with every request, so that it takes more of them to get through. */
const onSqlite: Record<ApiName, Partial<FuzzWish>> = { conditionorc: { examples: 80 }, serverservice: {} };

describe('schemathesis on the committed OpenAPI documents', { skip }, () => {
  for (const name of apis) {
    test(`${name} on SQLite: whatever is sent is answered as the document says`, async (t) => {
      const api = await tryApi(t, name, { wish: { ...anything, ...onSqlite[name] }, database: await openSqlite() });
      const never = api.operations.filter((operation) => !gotSuccess(api, operation));
      assert.ok(never.length < api.operations.length / 3, `never with success: ${never.join(', ')}`);
    });

    test(`${name} on SQLite: what keeps to the document is taken`, async (t) => {
      await tryApi(t, name, { wish: whatIsDocumented, database: await openSqlite() });
    });

    test(`${name} on SQLite: without a token everything is 401, and that is documented`, async (t) => {
      const api = await tryApi(t, name, {
        wish: anythingWithoutToken,
        database: await openSqlite(),
        isAnonymous: true,
      });
      for (const operation of api.operations) {
        // What is no method of the path is told without asking who wants to know.
        const statuses = [...api.tally.statusesOf(operation).keys()].filter((status) => status !== 405);
        assert.deepEqual(statuses, [401], operation);
      }
    });
  }
});

describe('schemathesis on the committed OpenAPI documents, with a real PostgreSQL', { skip }, () => {
  let server: RealPostgres;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server?.stop());

  // The limits of all schemas of the inventory take a minute, and are tried above.
  const onPostgres: Record<ApiName, Partial<FuzzWish>> = {
    conditionorc: { examples: 4 },
    serverservice: { phases: ['fuzzing', 'stateful'], examples: 12 },
  };
  for (const name of apis) {
    test(`${name}: whatever is sent is answered as the document says`, async (t) => {
      const database = await openPostgresDatabase({ url: await server.createDatabase(name) });
      await tryApi(t, name, { wish: { ...anything, ...onPostgres[name] }, database });
    });
  }
});
