import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import * as tls from 'node:tls';
import {
  createCertificateAuthority,
  isIssuedBy,
  issueClientCertificate,
  issueServerCertificate,
  readCertificate,
} from './certificates.ts';
import { bundleCertificates, splitCertificates } from './pem.ts';

const now = new Date();

/** A TLS server that answers with who the client is. */
async function withServer(options: tls.TlsOptions, use: (port: number) => Promise<void>): Promise<void> {
  const server = tls.createServer(options, (socket) => {
    socket.on('error', () => {});
    socket.end(JSON.stringify(socket.getPeerCertificate().subject ?? null));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use((server.address() as AddressInfo).port);
  } finally {
    server.close();
  }
}

async function connect(options: tls.ConnectionOptions): Promise<string> {
  const socket = tls.connect({ host: '127.0.0.1', ...options });
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

describe('certificates', () => {
  test('a client trusts a server by the authority, and the server sees user and groups of the client', async () => {
    const authority = await createCertificateAuthority({ commonName: 'test-ca', now });
    const server = await issueServerCertificate(authority, { dns: ['localhost'], ips: ['127.0.0.1', '::1'], now });
    const client = await issueClientCertificate(authority, { commonName: 'alice', organizations: ['ops', 'dev'], now });
    const options = {
      key: server.privateKeyPem,
      cert: server.certificatePem,
      ca: authority.certificatePem,
      requestCert: true,
      rejectUnauthorized: true,
    };
    await withServer(options, async (port) => {
      const ca = authority.certificatePem;
      const seen = await connect({ port, ca, key: client.privateKeyPem, cert: client.certificatePem });
      assert.deepEqual(JSON.parse(seen), { O: ['ops', 'dev'], CN: 'alice' });
      const other = await createCertificateAuthority({ commonName: 'test-ca', now });
      await assert.rejects(connect({ port, ca: other.certificatePem }), /self-signed|unable to verify|signature/i);
      const stranger = await issueClientCertificate(other, { commonName: 'alice', now });
      const answer = connect({ port, ca, key: stranger.privateKeyPem, cert: stranger.certificatePem });
      assert.equal(await answer.catch(() => ''), '', 'the server hangs up on a client of another authority');
    });
  });

  test('a server certificate names IPv4 and IPv6 addresses and DNS names, and nothing else', async () => {
    const authority = await createCertificateAuthority({ commonName: 'ca', now });
    const server = await issueServerCertificate(authority, {
      dns: ['a.example', '*.b.example'],
      ips: ['10.1.2.3', 'fd00::1'],
      now,
    });
    const read = new X509Certificate(server.certificatePem);
    assert.equal(read.checkIP('10.1.2.3'), '10.1.2.3');
    assert.ok(read.checkIP('fd00::1') !== undefined);
    assert.equal(read.checkIP('10.1.2.4'), undefined);
    assert.equal(read.checkHost('x.b.example'), '*.b.example');
    assert.equal(read.checkHost('c.example'), undefined);
    assert.equal(read.ca, false);
    assert.throws(() => issueServerCertificate(authority, { ips: ['not-an-ip'], now }), /not an IP address/);
    assert.throws(() => issueServerCertificate(authority, { now }), /at least one/);
  });

  test('a certificate ends no later than its authority', async () => {
    const authority = await createCertificateAuthority({ commonName: 'ca', now, validForMs: 3_600_000 });
    const client = await issueClientCertificate(authority, { commonName: 'x', now });
    assert.equal(
      readCertificate(client.certificatePem).notAfter.getTime(),
      readCertificate(authority.certificatePem).notAfter.getTime(),
    );
    assert.ok(isIssuedBy(client.certificatePem, authority.certificatePem, now));
    assert.ok(!isIssuedBy(client.certificatePem, authority.certificatePem, new Date(now.getTime() + 7_200_000)));
  });

  test('during a rotation a bundle of both authorities trusts servers of both, though they have one name', async () => {
    const [old, next] = await Promise.all([
      createCertificateAuthority({ commonName: 'rotating', now }),
      createCertificateAuthority({ commonName: 'rotating', now }),
    ]);
    const ca = bundleCertificates([old.certificatePem, next.certificatePem, old.certificatePem]);
    assert.equal(splitCertificates(ca).length, 2);
    for (const authority of [old, next]) {
      const server = await issueServerCertificate(authority, { ips: ['127.0.0.1'], now });
      await withServer({ key: server.privateKeyPem, cert: server.certificatePem }, async (port) => {
        assert.equal(await connect({ port, ca: splitCertificates(ca) }), 'null');
      });
    }
  });

  test('what was written as PEM is read back', async () => {
    const authority = await createCertificateAuthority({ commonName: 'ca', now });
    const client = await issueClientCertificate(authority, {
      commonName: 'bob, "the" +builder',
      organizations: ['a=b'],
      now,
    });
    const read = readCertificate(client.certificatePem);
    assert.equal(read.commonName, 'bob, "the" +builder');
    assert.deepEqual(read.organizations, ['a=b']);
    assert.match(read.fingerprint, /^[0-9a-f]{64}$/);
    assert.match(client.privateKeyPem, /^-----BEGIN PRIVATE KEY-----/);
  });
});
