import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bareObject, createRedactor, valuesOfSecrets } from './redactor.ts';

const secret = 's3nt-1nel/+?';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const texts: [string, string][] = [
  ['the password in a URL', `pulled https://user:${secret.replace('/', '')}@images.example.org/a.iso`],
  ['a token alone in a URL', 'pulled https://s3nt-1nel@images.example.org/a.iso'],
  ['a bearer token', 'Authorization: Bearer s3nt-1nel-token'],
  ['a word behind an equals sign', 'login failed, password=s3nt-1nel'],
  ['a word behind a colon', 'bmcPassword: s3nt-1nel'],
  ['quoted JSON within a text', '{"password":"s3nt-1nel","x":1}'],
  ['a signed address', 'https://images.example.org/a?X-Amz-Signature=s3nt-1nel&x=1'],
  ['a private key', '-----BEGIN RSA PRIVATE KEY-----\ns3nt-1nel\n-----END RSA PRIVATE KEY-----'],
];

describe('a redactor', () => {
  for (const [what, text] of texts) {
    test(`takes ${what} out of a text`, () => {
      const safe = createRedactor().text(text);
      assert.doesNotMatch(safe, /s3nt-1nel/);
      assert.match(safe, /\[redacted\]/);
    });
  }
  test('takes out what is under a name that says so, however deep', () => {
    const value = { a: [{ b: { c: { d: { e: { f: { g: { h: { i: { SysPassword1: 's3nt-1nel' } } } } } } } } }] };
    assert.doesNotMatch(JSON.stringify(createRedactor().value(value)), /s3nt-1nel/);
    const kept = { credentialsName: 'bmc-secret', tokenCount: 3, secretRef: { name: 'x' } };
    assert.deepEqual(createRedactor().value(kept), kept);
  });
  test('finds a secret that it knows wherever it is and however it is written', () => {
    const redactor = createRedactor([secret]);
    for (const shape of [secret, base64(secret), encodeURIComponent(secret)]) {
      assert.equal(redactor.text(`the BMC said ${shape}.`), 'the BMC said [redacted].');
    }
    assert.deepEqual(redactor.value({ [secret]: secret }), { '[redacted]': '[redacted]' });
  });
});

test('of Secrets the values are known, but not words that are everywhere', () => {
  const data = { username: base64('admin'), password: base64(secret), namespace: base64('default') };
  assert.deepEqual(valuesOfSecrets([{ kind: 'Secret', data }]), [secret]);
});

test('a Secret shows what it has and how long that is, and no object a copy of itself', () => {
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': secret, note: 'x' };
  const holder = { kind: 'Secret', metadata: { name: 'a', annotations }, data: { password: base64(secret) } };
  assert.deepEqual(bareObject(holder), {
    kind: 'Secret',
    metadata: { name: 'a' },
    entries: [{ name: 'password', bytes: 12 }],
  });
  const host = { kind: 'BareMetalHost', metadata: { name: 'h', annotations, managedFields: [] } };
  assert.deepEqual(bareObject(host), {
    kind: 'BareMetalHost',
    metadata: { name: 'h', annotations: { note: 'x' } },
  });
});
