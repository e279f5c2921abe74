import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { SignJWT, UnsecuredJWT } from 'jose';
import { createFakeClock } from '../../kube/index.ts';
import { isRestError } from '../errors.ts';
import { defineRoute } from '../route.ts';
import { AnyObject } from '../shapes.ts';
import { startedRest } from '../testing/started-rest.ts';
import type { AccessNeed, Authorizer } from './authorizer.ts';
import { createJwtAuthorizer, type TokenIssuer } from './jwt-authorizer.ts';
import { restResources } from './resources.ts';
import { scopesFor } from './scopes.ts';

const issuer = 'https://issuer.example';
const audience = 'rackwright';
const shared = 'a shared secret of at least 32 characters';
const clock = createFakeClock();
const seconds = () => Math.floor(clock.now() / 1000);

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'rest-access-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function keyFile(t: TestContext, content: string, mode = 0o600): string {
  const file = join(folder(t), 'key');
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
}

interface Claims {
  readonly iss?: string;
  readonly aud?: string;
  readonly exp?: number;
  readonly nbf?: number;
  readonly sub?: string;
  readonly scope?: unknown;
  readonly scp?: unknown;
}

const good: Claims = { iss: issuer, aud: audience, sub: 'ann', scope: 'read:server', exp: seconds() + 60 };

function sign(claims: Claims, key: Uint8Array | KeyObject, header: { alg: string; kid?: string }): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader(header).sign(key);
}

const signShared = (claims: Claims, secret = shared) =>
  sign(claims, new TextEncoder().encode(secret), { alg: 'HS256' });

function sharedAuthorizer(t: TestContext): Promise<Authorizer> {
  return createJwtAuthorizer({
    issuers: [{ issuer, audience, keys: { sharedKeyFile: keyFile(t, `${shared}\n`) } }],
    clock,
  });
}

describe('tokens with a shared key', () => {
  test('a good one says who and what for (security.md: issuer-tokens)', async (t) => {
    const authorizer = await sharedAuthorizer(t);
    const answer = await authorizer.authenticate(await signShared({ ...good, scp: ['create:server'] }));
    assert.deepEqual(answer, {
      outcome: 'known',
      user: { name: 'ann', groups: [], scopes: ['read:server', 'create:server'] },
    });
  });

  const { exp: _exp, ...withoutExp } = good;
  const { sub: _sub, ...withoutSub } = good;
  const { aud: _aud, ...withoutAud } = good;
  const bad: [string, () => string | Promise<string>, RegExp][] = [
    ['that has expired', () => signShared({ ...good, exp: seconds() - 31 }), /has expired/],
    ['that never expires', () => signShared(withoutExp), /claim exp/],
    ['without a subject', () => signShared(withoutSub), /claim sub/],
    ['with an empty subject', () => signShared({ ...good, sub: '' }), /no subject/],
    ['for another audience', () => signShared({ ...good, aud: 'other' }), /another audience/],
    ['for no audience', () => signShared(withoutAud), /another audience/],
    ['of another issuer', () => signShared({ ...good, iss: 'https://evil.example' }), /issuer that is known/],
    ['that is not valid yet', () => signShared({ ...good, nbf: seconds() + 3600 }), /not valid yet/],
    ['signed with another key', () => signShared(good, 'x'.repeat(40)), /signature is wrong/],
    ['that is not signed', () => new UnsecuredJWT({ ...good }).encode(), /algorithm|signature|malformed/],
    ['that is no JWT', () => 'hello', /issuer that is known/],
    ['that is cut off', async () => (await signShared(good)).slice(0, -4), /signature is wrong/],
    [
      'whose claims were changed',
      async () => swapClaims(await signShared(good), { ...good, scope: 'write' }),
      /signature/,
    ],
  ];
  for (const [what, make, reason] of bad) {
    test(`one ${what} is refused (security.md: issuer-tokens)`, async (t) => {
      const authorizer = await sharedAuthorizer(t);
      const answer = await authorizer.authenticate(await make());
      assert.equal(answer.outcome, 'unknown');
      assert.match(answer.outcome === 'unknown' ? answer.reason : '', reason);
    });
  }

  test('a key file that others may read, or a short key, is refused', async (t) => {
    const load = (file: string) =>
      createJwtAuthorizer({ issuers: [{ issuer, audience, keys: { sharedKeyFile: file } }], clock });
    await assert.rejects(load(keyFile(t, shared, 0o640)), /others may read it; run: chmod 600/);
    await assert.rejects(load(keyFile(t, 'short')), /at least 32 characters/);
    await assert.rejects(load(join(folder(t), 'none')), (error) => isRestError(error, 'badKeyFile'));
  });
});

function swapClaims(token: string, claims: Claims): string {
  const [header, , signature] = token.split('.');
  return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
}

describe('tokens signed with keys of a JWKS', () => {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = (key: KeyObject, kid: string) => ({ ...key.export({ format: 'jwk' }), kid });
  const jwks = (...keys: object[]) => JSON.stringify({ keys });
  const withFile = (file: string) =>
    createJwtAuthorizer({ issuers: [{ issuer, audience, keys: { jwksFile: file } }], clock });

  test('each key is found by its id, elliptic or RSA', async (t) => {
    const authorizer = await withFile(keyFile(t, jwks(jwk(ec.publicKey, 'e'), jwk(rsa.publicKey, 'r'))));
    const tokens = [
      await sign(good, ec.privateKey, { alg: 'ES256', kid: 'e' }),
      await sign(good, rsa.privateKey, { alg: 'RS256', kid: 'r' }),
      await sign(good, rsa.privateKey, { alg: 'PS256', kid: 'r' }),
    ];
    for (const token of tokens) assert.equal((await authorizer.authenticate(token)).outcome, 'known');
  });

  test('a public key is never taken for the secret of an HMAC', async (t) => {
    const authorizer = await withFile(keyFile(t, jwks(jwk(rsa.publicKey, 'r'))));
    const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const secret of [pem, JSON.stringify(jwk(rsa.publicKey, 'r'))]) {
      const text = `${part({ alg: 'HS256', kid: 'r' })}.${part(good)}`;
      const forged = `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
      const answer = await authorizer.authenticate(forged);
      assert.deepEqual(answer, {
        outcome: 'unknown',
        reason: 'the token is signed with an algorithm that is not taken',
      });
    }
  });

  test('a key that the token brings along counts for nothing', async (t) => {
    const authorizer = await withFile(keyFile(t, jwks(jwk(ec.publicKey, 'e'))));
    const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const header = { alg: 'ES256', kid: 'e', jwk: own.publicKey.export({ format: 'jwk' }) };
    const token = await new SignJWT({ ...good }).setProtectedHeader(header as { alg: string }).sign(own.privateKey);
    assert.equal((await authorizer.authenticate(token)).outcome, 'unknown');
  });

  test('a file that got a new key is read again', async (t) => {
    const file = keyFile(t, jwks(jwk(ec.publicKey, 'e')));
    const authorizer = await withFile(file);
    const token = await sign(good, rsa.privateKey, { alg: 'RS256', kid: 'r' });
    assert.match(JSON.stringify(await authorizer.authenticate(token)), /does not publish/);
    writeFileSync(file, jwks(jwk(rsa.publicKey, 'r')));
    utimesSync(file, new Date(), new Date(Date.now() + 5000));
    assert.equal((await authorizer.authenticate(token)).outcome, 'known');
  });

  test('keys come from an https URL, and while they cannot be had nobody is called a liar', async () => {
    let isUp = false;
    const answer = async (): Promise<Response> =>
      isUp ? new Response(jwks(jwk(ec.publicKey, 'e'))) : new Response('no', { status: 500 });
    const at = (jwksUrl: string): TokenIssuer => ({ issuer, audience, keys: { jwksUrl } });
    const authorizer = await createJwtAuthorizer({
      issuers: [at('https://issuer.example/jwks')],
      clock,
      fetch: answer,
    });
    const token = await sign(good, ec.privateKey, { alg: 'ES256', kid: 'e' });
    await assert.rejects(authorizer.authenticate(token), (error) => isRestError(error, 'unavailable'));
    isUp = true;
    assert.equal((await authorizer.authenticate(token)).outcome, 'known');
    for (const url of ['http://issuer.example/jwks', 'file:///etc/passwd', 'nonsense'])
      await assert.rejects(createJwtAuthorizer({ issuers: [at(url)], clock }), /must be at an https URL/);
  });
});

describe('scopes', () => {
  const need = (verb: AccessNeed['verb'], resource: keyof typeof restResources): AccessNeed => ({
    verb,
    resource: restResources[resource],
  });
  const cases: [AccessNeed, string[], string[]][] = [
    [need('get', 'server'), ['read', 'read:server'], ['write', 'create:server', 'read:firmware', 'reads', '']],
    [need('list', 'firmware'), ['read', 'read:firmware', 'read:server-component-firmwares'], ['write', 'read:server']],
    [need('create', 'server'), ['write', 'create', 'create:server'], ['read', 'update', 'create:firmware']],
    [need('update', 'server'), ['write', 'update', 'update:server'], ['read', 'create:server']],
    [need('delete', 'firmwareSets'), ['write', 'delete', 'delete:firmware-set'], ['read', 'update:firmware-set']],
    [
      need('get', 'credentials'),
      ['read:server:credentials'],
      ['read', 'write', 'read:server', 'write:server:credentials'],
    ],
    [need('update', 'credentials'), ['write:server:credentials'], ['write', 'update', 'update:server:credentials']],
    [need('update', 'workers'), ['update:worker'], ['write', 'update', 'read', 'update:server', 'read:worker']],
    [need('list', 'workers'), ['read', 'read:worker'], ['write', 'update:worker']],
    [need('delete', 'credentials'), ['write:server:credentials'], ['delete', 'read:server:credentials']],
  ];
  for (const [wanted, enough, tooLittle] of cases) {
    test(`${wanted.verb} on ${wanted.resource.kube} takes ${enough.join(', ')} and nothing else`, () => {
      for (const scope of enough) assert.ok(scopesFor(wanted).includes(scope), scope);
      for (const scope of tooLittle) assert.ok(!scopesFor(wanted).includes(scope), scope);
    });
  }
});

describe('a protected route', () => {
  const route = defineRoute({
    method: 'POST',
    path: '/things',
    operation: 'postThing',
    summary: 'A thing.',
    tag: 'things',
    access: { verb: 'create', resource: restResources.server },
    body: AnyObject('It.'),
    answers: { 200: AnyObject('It.') },
    handle: ({ user }) => ({ status: 200, body: { user: user?.name ?? null } }),
  });
  const post = (url: string, authorization?: string) =>
    fetch(`${url}/things`, {
      method: 'POST',
      body: '{',
      headers: { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) },
    });

  test('asks for a token before it reads the body', async (t) => {
    const { url } = await startedRest(t, [route]);
    const cases: [string | undefined, number, RegExp][] = [
      [undefined, 401, /a token is needed/],
      ['Basic d3JpdGVyOng=', 401, /not "Bearer TOKEN"/],
      ['Bearer', 401, /not "Bearer TOKEN"/],
      ['Bearer a b', 401, /not "Bearer TOKEN"/],
      ['Bearer stranger', 401, /not known/],
      ['Bearer __proto__', 401, /not known/],
      [
        'Bearer nobody',
        403,
        /nobody may not create servers: the token lacks the scope write or create or create:server/,
      ],
      ['Bearer reader', 403, /lacks the scope write or create or create:server/],
      ['bearer writer', 400, /body: is not JSON/],
    ];
    for (const [header, status, message] of cases) {
      const answer = await post(url, header);
      assert.equal(answer.status, status, header);
      assert.match(((await answer.json()) as { message: string }).message, message);
      if (status === 401) assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer realm="rackwright"/);
      if (status === 403)
        assert.match(answer.headers.get('www-authenticate') ?? '', /scope="write create create:server"/);
    }
  });

  test('an authorizer that fails is no yes (security.md: default-deny)', async (t) => {
    const broken: Authorizer = {
      authenticate: async () => {
        throw new Error('out of order');
      },
      allow: async () => ({ isAllowed: true }),
    };
    const { url } = await startedRest(t, [route], { authorizer: broken });
    assert.equal((await post(url, 'Bearer writer')).status, 500);
  });
});
