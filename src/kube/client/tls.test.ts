import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { createCertificateAuthority, issueClientCertificate, issueServerCertificate } from '../certificates.ts';
import type { AnyKubeObject, ResourceRef } from '../object.ts';
import { bundleCertificates, type CertifiedKey } from '../pem.ts';
import { createClient } from './client.ts';

const things: ResourceRef = { group: '', version: 'v1', resource: 'things', namespaced: false };
const now = new Date();

/** An HTTPS server that answers with who asks: by certificate, and by the headers of impersonation. */
async function startServer(authority: CertifiedKey, certificate: CertifiedKey) {
  const options = {
    cert: certificate.certificatePem,
    key: certificate.privateKeyPem,
    ca: authority.certificatePem,
    requestCert: true,
    rejectUnauthorized: false,
  };
  const server = createServer(options, (request: IncomingMessage, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    const as = [request.headers['impersonate-user'], request.headers['impersonate-group']];
    response.end(JSON.stringify({ user: subject?.CN, groups: subject?.O, as, raw: request.rawHeaders }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('a client proves itself by certificate, trusts by bundle only, and acts as others where asked', async (t) => {
  const [authority, other] = await Promise.all(
    ['ca', 'other'].map((commonName) => createCertificateAuthority({ commonName, now })),
  );
  assert.ok(authority && other);
  const serving = await issueServerCertificate(authority, { ips: ['127.0.0.1'], now });
  const clientCertificate = await issueClientCertificate(authority, {
    commonName: 'alice',
    organizations: ['ops'],
    now,
  });
  const { server, url } = await startServer(authority, serving);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const caPem = bundleCertificates([other.certificatePem, authority.certificatePem]);
  const as = { user: 'bob', groups: ['dev', 'qa'] };
  const client = await createClient({ server: url, caPem, clientCertificate }, { impersonate: as });
  const answer = await client.resource<AnyKubeObject>(things).get({ name: 'me' });
  assert.deepEqual([answer.user, answer.groups], ['alice', 'ops']);
  const groups = (answer.raw as string[]).filter((_, i, raw) => raw[i - 1]?.toLowerCase() === 'impersonate-group');
  assert.deepEqual(groups, ['dev', 'qa']);
  await client.close();

  const distrustful = await createClient({ server: url, caPem: other.certificatePem });
  await assert.rejects(
    distrustful.resource(things).get({ name: 'me' }),
    /unable to verify|self-signed|SELF_SIGNED|UNABLE_TO/,
  );
  await distrustful.close();

  const careless = await createClient({ server: url, isTlsUnverified: true });
  assert.equal((await careless.resource<AnyKubeObject>(things).get({ name: 'me' })).user, undefined);
  await careless.close();
});
