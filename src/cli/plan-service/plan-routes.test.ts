import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExtraAnswer } from '../../apiserver/index.ts';
import { planRoutes, type ServerAddress } from './plan-routes.ts';

const settings = { maxAttempts: 3, attemptsFirst: 60_000 };

/** Asks for a plan; the server of the address is never reached by what is wrong already. */
async function ask(
  asked: { readonly body?: unknown; readonly authorization?: string | undefined },
  address: ServerAddress = () => ({ server: 'https://127.0.0.1:9' }),
): Promise<ExtraAnswer> {
  const [plan] = planRoutes({ address, settings });
  assert.ok(plan !== undefined);
  const { signal } = new AbortController();
  return plan.answer({ query: new URLSearchParams(), body: {}, authorization: 'Bearer x', ...asked, signal });
}

test('a plan is made with the rights of a token, so there has to be one', async () => {
  for (const authorization of [undefined, 'Basic abc', 'Bearer']) {
    assert.equal((await ask({ authorization })).code, 400);
  }
});

test('a server that is not there yet is said to be starting', async () => {
  assert.equal((await ask({}, () => undefined)).code, 503);
});

test('what was posted has to be objects', async () => {
  const table: readonly (readonly [unknown, RegExp])[] = [
    [[], /is an object/],
    [{ objects: 'x' }, /list of objects/],
    [{ objects: ['x'] }, /list of objects/],
    [{ objects: [], fieldManager: '' }, /fieldManager/],
    [{ objects: [], force: 'yes' }, /force/],
  ];
  for (const [body, message] of table) {
    const answer = await ask({ body });
    assert.equal(answer.code, 422);
    assert.match('message' in answer ? answer.message : '', message);
  }
});
