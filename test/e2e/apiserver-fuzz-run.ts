import assert from 'node:assert/strict';
import { fc } from '#fast-check';
import type { KubeObject } from '../../src/apiserver/object.ts';
import { type ApiClient, objectIn, type Reply, statusIn } from './apiserver-client.ts';
import { type ServerUnderTest, startServerUnderTest } from './apiserver-fixture.ts';
import { type FuzzRequest, fuzzRequest, standingObjects } from './apiserver-fuzz.ts';
import { assertServes } from './apiserver-state.ts';

const requestsPerRound = 20;

/**
 * Sends made-up requests and checks after each that the server neither met an error it did not expect nor stored
 * anything of what it refused. Resolves with how many requests were answered with each code. There is no shrinking: the
 * state a request meets is made by those before it, and the one that fails is shown whole.
 */
export async function runFuzz(options: {
  readonly rounds: number;
  readonly seed: number;
}): Promise<Map<number, number>> {
  const under = await startServerUnderTest();
  const codes = new Map<number, number>();
  try {
    for (let round = 0; round < options.rounds; round++) {
      for (const { path, body } of standingObjects) await under.client.request('POST', path, { body });
      for (const request of fc.sample(fuzzRequest, { numRuns: requestsPerRound, seed: options.seed + round })) {
        const code = await tryRequest(under, request);
        codes.set(code, (codes.get(code) ?? 0) + 1);
      }
    }
    await assertServes(under.client);
  } finally {
    await under.stop();
  }
  return codes;
}

async function tryRequest({ client, faults }: ServerUnderTest, request: FuzzRequest): Promise<number> {
  const { method, path, body } = request;
  const isWrite = method !== 'GET' && method !== 'HEAD';
  const before = isWrite ? await newestVersion(client) : '';
  const headers = {
    accept: request.accept,
    ...(body === undefined ? {} : { 'content-type': request.contentType }),
  };
  const reply = await client.probe(method, path, { body, headers });
  const shown = `${JSON.stringify(request)}\nwas answered ${reply.code} ${reply.text.slice(0, 500)}`;
  assert.deepEqual(faults, [], shown);
  assert.ok(reply.code < 500 || isForeseen(reply), shown);
  if (isWrite && reply.code >= 400) {
    const stored = (await changedSince(client, before)).filter((name) => !ownObjects.has(name));
    assert.deepEqual(stored, [], `stored although refused: ${shown}`);
  }
  return reply.code;
}

/** What the server puts back by itself after somebody deleted it. */
const ownObjects = new Set(['kube-root-ca.crt', 'default']);

async function changedSince(client: ApiClient, version: string): Promise<string[]> {
  if ((await newestVersion(client)) === version) return [];
  const lists = await Promise.all(
    [...standingObjects.map(({ path }) => path), '/api/v1/serviceaccounts'].map((path) => client.request('GET', path)),
  );
  const items = lists.flatMap((list) => (JSON.parse(list.text) as { items: KubeObject[] }).items);
  const changed = items.filter(({ metadata }) => Number(metadata.resourceVersion) > Number(version));
  return changed.length === 0 ? ['something was deleted'] : changed.map(({ metadata }) => metadata.name ?? '');
}

/** kube-apiserver answers some mistakes of clients with 500 and no reason, and versions of the future with 504. */
function isForeseen(reply: Reply): boolean {
  if (reply.text === '' || !String(reply.headers['content-type']).startsWith('application/json')) return true;
  const { reason, details } = statusIn(reply);
  return (
    reason === undefined || reason === 'Timeout' || details?.causes?.[0]?.message?.includes('replicas field') === true
  );
}

async function newestVersion(client: ApiClient): Promise<string> {
  const reply = await client.request('GET', '/api/v1/namespaces/default/pods?limit=1');
  return objectIn(reply).metadata.resourceVersion ?? '';
}
