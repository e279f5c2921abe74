import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ApiRequest, createFakeClock, kubeError } from '../../kube/index.ts';
import { isRestError } from '../errors.ts';
import type { AuthenticatedUser } from './authorizer.ts';
import { createKubeAuthorizer } from './kube-authorizer.ts';
import { restResources } from './resources.ts';

function fixture() {
  const clock = createFakeClock();
  const asked: ApiRequest[] = [];
  const state = { isDown: false, isAllowed: true, isDenied: false };
  const request = async <T>(one: ApiRequest): Promise<T> => {
    asked.push(one);
    if (state.isDown) throw kubeError('ConnectionFailed', 'no way');
    const { spec } = one.body as { spec: { token?: string } };
    if (one.path.endsWith('subjectaccessreviews'))
      return { status: { allowed: state.isAllowed, denied: state.isDenied } } as T;
    const user = { username: 'ann', uid: 'u1', groups: ['ops'], extra: { team: ['x'] } };
    return { status: spec.token === 'good' ? { authenticated: true, user } : { authenticated: false } } as T;
  };
  return {
    clock,
    asked,
    state,
    authorizer: createKubeAuthorizer({ client: { request, server: 'https://k8s' }, clock }),
  };
}

const ann: AuthenticatedUser = { name: 'ann', groups: ['ops'], scopes: [], uid: 'u1', extra: { team: ['x'] } };
const need = { verb: 'get', resource: restResources.credentials } as const;

describe('beside a Kubernetes plane', () => {
  test('the API says who a token is', async () => {
    const { authorizer, asked } = fixture();
    assert.deepEqual(await authorizer.authenticate('good'), { outcome: 'known', user: ann });
    assert.equal((await authorizer.authenticate('bad')).outcome, 'unknown');
    assert.deepEqual(asked[0]?.body, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token: 'good' },
    });
  });

  test('the API says what somebody may do, with all it knows of them (security.md: rest-is-fleet-wide)', async () => {
    const { authorizer, asked, state } = fixture();
    assert.deepEqual(await authorizer.allow(ann, need), { isAllowed: true });
    const [{ spec } = { spec: {} }] = asked.map(({ body }) => body as { spec: object });
    assert.deepEqual(spec, {
      user: 'ann',
      groups: ['ops'],
      uid: 'u1',
      extra: { team: ['x'] },
      resourceAttributes: { group: 'rackwright.io', verb: 'get', resource: 'servers', subresource: 'credentials' },
    });
    state.isAllowed = false;
    const verdict = await authorizer.allow(ann, { ...need, verb: 'update' });
    assert.deepEqual(verdict, {
      isAllowed: false,
      reason: 'no role allows update on servers/credentials in the group rackwright.io',
    });
  });

  test('a denial outweighs a permission', async () => {
    const { authorizer, state } = fixture();
    state.isDenied = true;
    assert.equal((await authorizer.allow(ann, need)).isAllowed, false);
  });

  test('a yes is believed for ten seconds, a no not at all', async () => {
    const { authorizer, asked, clock } = fixture();
    await authorizer.authenticate('good');
    clock.advance(9_999);
    await authorizer.authenticate('good');
    assert.equal(asked.length, 1);
    clock.advance(1);
    await authorizer.authenticate('good');
    assert.equal(asked.length, 2);
    await authorizer.authenticate('bad');
    await authorizer.authenticate('bad');
    assert.equal(asked.length, 4);
  });

  test('a yes for one thing is none for another, nor for another user', async () => {
    const { authorizer, asked, state } = fixture();
    await authorizer.allow(ann, need);
    await authorizer.allow(ann, need);
    assert.equal(asked.length, 1);
    state.isAllowed = false;
    assert.equal((await authorizer.allow(ann, { ...need, resource: restResources.server })).isAllowed, false);
    assert.equal((await authorizer.allow({ ...ann, groups: [] }, need)).isAllowed, false);
  });

  test('those who ask at once share one question', async () => {
    const { authorizer, asked } = fixture();
    await Promise.all(Array.from({ length: 20 }, () => authorizer.authenticate('good')));
    assert.equal(asked.length, 1);
  });

  test('an API that cannot be asked is 503, and the next question is asked anew (security.md: default-deny)', async () => {
    const { authorizer, state, asked } = fixture();
    state.isDown = true;
    await assert.rejects(authorizer.authenticate('good'), (error) => isRestError(error, 'unavailable'));
    await assert.rejects(authorizer.allow(ann, need), (error) => isRestError(error, 'unavailable'));
    state.isDown = false;
    assert.equal((await authorizer.authenticate('good')).outcome, 'known');
    assert.equal(asked.length, 3);
  });
});
