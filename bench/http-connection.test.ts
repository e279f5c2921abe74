import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type CertificateAuthority, createCertificateAuthority } from '../test/real/certificate-authority.ts';
import { HttpConnection } from './http-connection.ts';

describe('the connection of the load generator', () => {
  let authority: CertificateAuthority;
  let server: Server;
  const endpoint = () => ({ port: (server.address() as AddressInfo).port, caPem: authority.certPem, token: 't' });

  before(async () => {
    authority = await createCertificateAuthority('bench-test');
    const serving = await authority.issueServer('bench');
    server = createServer({ cert: serving.certPem, key: serving.keyPem }, (asked, answer) => {
      const chunks: Buffer[] = [];
      asked.on('data', (chunk: Buffer) => chunks.push(chunk));
      asked.on('end', () => {
        const body = Buffer.concat(chunks);
        if (asked.url === '/sized') answer.writeHead(201, { 'content-length': body.length }).end(body);
        else if (asked.url === '/breaks') asked.socket.destroy();
        else if (asked.url === '/large') answer.writeHead(200).end('x'.repeat(500_000));
        else {
          answer.writeHead(404);
          answer.write('in ');
          setImmediate(() => answer.end('pieces'));
        }
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('reads answers of declared length, in chunks, and larger than one packet, one after the other', async () => {
    const connection = await HttpConnection.open(endpoint());
    const sized = await connection.request('POST', '/sized', '{"a":"ä"}');
    assert.deepEqual([sized.status, sized.body.toString()], [201, '{"a":"ä"}']);
    const chunked = await connection.request('GET', '/chunked');
    assert.deepEqual([chunked.status, chunked.body.toString()], [404, 'in pieces']);
    const large = await connection.request('GET', '/large');
    assert.deepEqual([large.status, large.body.length], [200, 500_000]);
    connection.close();
  });

  it('fails a request whose connection breaks', async () => {
    const connection = await HttpConnection.open(endpoint());
    await assert.rejects(connection.request('GET', '/breaks'));
  });
});
