import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { ApiError } from '../status.ts';
import { bearerToken, CredentialAuthenticator } from './authenticator.ts';
import { ClientCertificates } from './client-certificate.ts';
import { FakeStore } from './fake-store.ts';
import { tokenKeysOf } from './service-account-keys.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';

const validTo = 'Jan  1 00:00:00 2031 GMT';

interface Peer {
  readonly authorized: boolean;
  readonly subject?: Record<string, string | string[]>;
}

function request(headers: Record<string, string>, peer?: Peer): IncomingMessage {
  const certificate = peer?.subject === undefined ? {} : { subject: peer.subject, valid_to: validTo };
  const socket = { authorized: peer?.authorized ?? false, getPeerCertificate: () => certificate };
  return { headers, socket } as unknown as IncomingMessage;
}

function authenticator(clock = { nowMs: Date.parse('2030-01-01T00:00:00Z') }): CredentialAuthenticator {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = () => new Date(clock.nowMs);
  return new CredentialAuthenticator({
    certificates: new ClientCertificates(now),
    staticTokens: [{ find: (token) => (token === 'good' ? { username: 'alice', groups: [] } : undefined) }],
    serviceAccounts: new ServiceAccountTokens({
      keys: tokenKeysOf(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
      issuer: 'here',
      store: new FakeStore().asStore(),
      now,
    }),
  });
}

const isUnauthorized = (error: unknown) => error instanceof ApiError && error.code === 401;

describe('a caller', () => {
  test('without credentials is nobody in particular', () => {
    assert.equal(authenticator().authenticate(request({})), undefined);
    assert.equal(authenticator().authenticate(request({ authorization: 'Basic dTpw' })), undefined);
  });

  test('is known by a token', () => {
    assert.equal(authenticator().authenticate(request({ authorization: 'Bearer good' }))?.username, 'alice');
  });

  test('with a wrong token is refused, in the words of the real server', () => {
    assert.throws(
      () => authenticator().authenticate(request({ authorization: 'Bearer bad' })),
      (error) => {
        assert.ok(error instanceof ApiError);
        assert.deepEqual(error.status, {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: 'Unauthorized',
          reason: 'Unauthorized',
          code: 401,
        });
        return true;
      },
    );
  });

  test('is known by a certificate of our authority: common name and organizations (security.md: people-certificates)', () => {
    const peer = { authorized: true, subject: { CN: 'bob', O: ['ops', 'net'] } };
    assert.deepEqual(authenticator().authenticate(request({}, peer)), {
      username: 'bob',
      groups: ['ops', 'net', 'system:authenticated'],
    });
    const single = { authorized: true, subject: { CN: 'bob', O: 'ops' } };
    assert.deepEqual(authenticator().authenticate(request({}, single))?.groups, ['ops', 'system:authenticated']);
  });

  test('with a certificate that somebody else signed is refused, unless a token proves who it is', () => {
    const peer = { authorized: false, subject: { CN: 'bob' } };
    assert.throws(() => authenticator().authenticate(request({}, peer)), isUnauthorized);
    const withToken = request({ authorization: 'Bearer good' }, peer);
    assert.equal(authenticator().authenticate(withToken)?.username, 'alice');
  });

  test('with a certificate without a common name is refused', () => {
    const peer = { authorized: true, subject: { O: 'ops' } };
    assert.throws(() => authenticator().authenticate(request({}, peer)), isUnauthorized);
  });

  test('is refused when its certificate ends while the connection goes on (security.md: people-certificates)', () => {
    const clock = { nowMs: Date.parse('2030-12-31T00:00:00Z') };
    const who = authenticator(clock);
    const open = request({}, { authorized: true, subject: { CN: 'bob' } });
    assert.equal(who.authenticate(open)?.username, 'bob');
    clock.nowMs = Date.parse('2031-01-02T00:00:00Z');
    assert.throws(() => who.authenticate(open), isUnauthorized);
  });
});

describe('a bearer token', () => {
  const table: readonly (readonly [string | undefined, string | undefined])[] = [
    [undefined, undefined],
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['  Bearer abc  ', 'abc'],
    ['Bearer abc def', 'abc'],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Basic abc', undefined],
    ['abc', undefined],
  ];
  for (const [header, token] of table) {
    test(`of ${JSON.stringify(header)} is ${JSON.stringify(token)}`, () => assert.equal(bearerToken(header), token));
  }
});
