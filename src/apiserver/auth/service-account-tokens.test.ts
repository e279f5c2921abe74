import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { FakeStore } from './fake-store.ts';
import { keySetOf, loadTokenKeys, readClaims, signToken, type TokenKeys, tokenKeysOf } from './service-account-keys.ts';
import { ServiceAccountTokens, type TokenVerdict } from './service-account-tokens.ts';

const issuer = 'https://kubernetes.default.svc';

function newKeyPem(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

class Fixture {
  readonly store = new FakeStore();
  nowMs = Date.parse('2030-01-01T00:00:00Z');

  constructor() {
    this.put('/serviceaccounts', 'robot', 'u1');
  }

  put(bucket: string, name: string, uid: string): void {
    this.store.put(bucket, { apiVersion: 'v1', kind: 'X', metadata: { name, namespace: 'a', uid } });
  }

  tokens(keys: TokenKeys): ServiceAccountTokens {
    return new ServiceAccountTokens({ keys, issuer, store: this.store.asStore(), now: () => new Date(this.nowMs) });
  }
}

const robot = { namespace: 'a', name: 'robot', uid: 'u1', audiences: [issuer], seconds: 600 };

function faultOf(verdict: TokenVerdict): string | undefined {
  assert.ok('fault' in verdict, 'the token was accepted');
  return verdict.fault;
}

describe('a service account token', () => {
  const keys = tokenKeysOf(newKeyPem());

  test('says who it is for', () => {
    const tokens = new Fixture().tokens(keys);
    const { token, expires } = tokens.issue(robot);
    const verdict = tokens.check(token);
    assert.ok('user' in verdict);
    const id = readClaims(token)?.claims.jti;
    assert.deepEqual(verdict.user, {
      username: 'system:serviceaccount:a:robot',
      uid: 'u1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${String(id)}`] },
    });
    assert.equal(expires.toISOString(), '2030-01-01T00:10:00.000Z');
  });

  test('is good until its last second, also when it was checked before', () => {
    const fixture = new Fixture();
    const tokens = fixture.tokens(keys);
    const { token } = tokens.issue(robot);
    fixture.nowMs += 599_999;
    assert.ok('user' in tokens.check(token));
    fixture.nowMs += 1;
    assert.equal(faultOf(tokens.check(token)), 'service account token has expired');
  });

  test('is not good before its time', () => {
    const fixture = new Fixture();
    const tokens = fixture.tokens(keys);
    const { token } = tokens.issue(robot);
    fixture.nowMs -= 120_000;
    assert.equal(faultOf(tokens.check(token)), 'service account token is not valid yet');
  });

  test('ends with its account, and does not come back with another one of that name', () => {
    const fixture = new Fixture();
    const tokens = fixture.tokens(keys);
    const { token } = tokens.issue(robot);
    assert.ok('user' in tokens.check(token));
    fixture.store.remove({ bucket: '/serviceaccounts', namespace: 'a', name: 'robot' });
    assert.equal(faultOf(tokens.check(token)), 'serviceaccounts "robot" not found');
    fixture.put('/serviceaccounts', 'robot', 'u2');
    assert.equal(faultOf(tokens.check(token)), 'service account UID (u2) does not match claim (u1)');
  });

  test('ends with the object it is bound to', () => {
    const fixture = new Fixture();
    fixture.put('/pods', 'web', 'p1');
    const tokens = fixture.tokens(keys);
    const { token } = tokens.issue({ ...robot, bound: [{ kind: 'pod', name: 'web', uid: 'p1' }] });
    const verdict = tokens.check(token);
    assert.ok('user' in verdict);
    assert.deepEqual(verdict.user.extra?.['authentication.kubernetes.io/pod-name'], ['web']);
    fixture.put('/pods', 'web', 'p2');
    assert.equal(faultOf(tokens.check(token)), 'service account token has been invalidated');
  });

  test('is good only where it is meant for', () => {
    const tokens = new Fixture().tokens(keys);
    const { token } = tokens.issue({ ...robot, audiences: ['vault', 'other'] });
    assert.equal(
      faultOf(tokens.check(token)),
      `token audiences ["vault" "other"] is invalid for the target audiences ["${issuer}"]`,
    );
    const verdict = tokens.check(token, ['x', 'vault']);
    assert.ok('user' in verdict);
    assert.deepEqual(verdict.audiences, ['vault']);
  });

  test('proves nothing when somebody else signed it', () => {
    const tokens = new Fixture().tokens(keys);
    const { token } = new Fixture().tokens(tokenKeysOf(newKeyPem())).issue(robot);
    assert.equal(faultOf(tokens.check(token)), 'invalid signature');
  });

  test('proves nothing when it was changed', () => {
    const tokens = new Fixture().tokens(keys);
    const [head, body = '', signature] = tokens.issue(robot).token.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'system:serviceaccount:a:boss' })).toString(
      'base64url',
    );
    assert.equal(faultOf(tokens.check(`${head}.${forged}.${signature}`)), 'invalid signature');
  });

  for (const alg of ['none', 'HS256']) {
    test(`proves nothing with the algorithm ${alg}`, () => {
      const tokens = new Fixture().tokens(keys);
      const [, body = ''] = tokens.issue(robot).token.split('.');
      const head = Buffer.from(JSON.stringify({ alg, kid: keys.signing.id })).toString('base64url');
      assert.equal(faultOf(tokens.check(`${head}.${body}.`)), 'invalid signature');
      assert.equal(faultOf(tokens.check(`${head}.${body}.AAAA`)), 'invalid signature');
    });
  }

  test('of another issuer is none of ours', () => {
    const tokens = new Fixture().tokens(keys);
    assert.equal(faultOf(tokens.check(signToken(keys, { iss: 'https://else.where' }))), undefined);
    for (const text of ['', 'x', 'a.b', 'a.b.c', 'a.b.c.d', '..']) assert.equal(faultOf(tokens.check(text)), undefined);
  });

  test('without an end is refused', () => {
    const tokens = new Fixture().tokens(keys);
    const claims = {
      iss: issuer,
      aud: [issuer],
      sub: 'system:serviceaccount:a:robot',
      'kubernetes.io': { namespace: 'a', serviceaccount: { name: 'robot', uid: 'u1' } },
    };
    assert.equal(faultOf(tokens.check(signToken(keys, claims))), 'service account token has expired');
  });

  test('can be signed with RSA', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const rsa = tokenKeysOf(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    const tokens = new Fixture().tokens(rsa);
    const { token } = tokens.issue(robot);
    assert.equal(readClaims(token)?.header.alg, 'RS256');
    assert.ok('user' in tokens.check(token));
    // The public key must never be taken for a shared secret or a key of another kind.
    const [, body = ''] = token.split('.');
    const head = Buffer.from(JSON.stringify({ alg: 'ES256', kid: rsa.signing.id })).toString('base64url');
    const signature = sign('sha256', Buffer.from(`${head}.${body}`), privateKey).toString('base64url');
    assert.equal(faultOf(tokens.check(`${head}.${body}.${signature}`)), 'invalid signature');
  });
});

describe('a token in a Secret', () => {
  const keys = tokenKeysOf(newKeyPem());

  test('is good while the Secret holds it', () => {
    const fixture = new Fixture();
    const tokens = fixture.tokens(keys);
    const token = tokens.issueForSecret(robot, 'mine');
    assert.equal(faultOf(tokens.check(token)), 'service account token has been invalidated');
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mine', namespace: 'a' } };
    fixture.store.put('/secrets', { ...secret, data: { token: Buffer.from(token).toString('base64') } });
    const verdict = tokens.check(token);
    assert.ok('user' in verdict);
    assert.equal(verdict.user.username, 'system:serviceaccount:a:robot');
    fixture.store.put('/secrets', { ...secret, data: { token: 'AAAA' } });
    assert.equal(faultOf(tokens.check(token)), 'service account token has been invalidated');
  });
});

describe('signing keys', () => {
  test('are made once, for the owner only, and stay good after they were rotated out', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'token-keys-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const first = loadTokenKeys(folder);
    assert.equal(statSync(join(folder, 'sa.key')).mode & 0o777, 0o600);
    assert.equal(loadTokenKeys(folder).signing.id, first.signing.id);
    const { token } = new Fixture().tokens(first).issue(robot);

    renameSync(join(folder, 'sa.key'), join(folder, 'sa.key.1'));
    const second = loadTokenKeys(folder);
    assert.notEqual(second.signing.id, first.signing.id);
    assert.ok('user' in new Fixture().tokens(second).check(token));
    assert.equal((keySetOf(second).keys as unknown[]).length, 2);

    rmSync(join(folder, 'sa.key.1'));
    assert.equal(faultOf(new Fixture().tokens(loadTokenKeys(folder)).check(token)), 'invalid signature');
  });

  test('are published without their private part', () => {
    const [key] = keySetOf(tokenKeysOf(newKeyPem())).keys as Record<string, unknown>[];
    assert.deepEqual(Object.keys(key ?? {}).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });
});
