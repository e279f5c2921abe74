import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import {
  type AdmissionServer,
  type CertifiedKey,
  createCertificateAuthority,
  createFakeClock,
  issueServerCertificate,
  startAdmissionServer,
} from '../../kube/index.ts';
import { followCertificateFolder } from './certificate-folder.ts';

/** What cert-manager would put into the folder. */
async function makeCertificate() {
  const now = new Date();
  const authority = await createCertificateAuthority({ commonName: 'authority', now });
  const issued = await issueServerCertificate(authority, { dns: ['localhost'], now });
  return { authority, issued };
}

type Made = Awaited<ReturnType<typeof makeCertificate>>;

function folderFor(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-certificate-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const putAll = ({ authority, issued }: Made) => {
    put('ca.crt', authority.certificatePem);
    put('tls.key', issued.privateKeyPem);
    put('tls.crt', issued.certificatePem);
  };
  return { folder, put, putAll };
}

/** Follows a folder with webhooks that are really served. */
function follow(t: TestContext, folder: string) {
  const clock = createFakeClock();
  const published: string[] = [];
  let server: AdmissionServer | undefined;
  let publishing: () => Promise<void> = async () => undefined;
  const following = followCertificateFolder({
    folder,
    clock,
    async publish(bundle) {
      await publishing();
      published.push(bundle);
    },
    async serve(certificate: CertifiedKey) {
      const place = { host: '127.0.0.1', port: 0 };
      if (server === undefined) server = await startAdmissionServer({ rules: [], certificate, ...place });
      else server.setCertificate(certificate);
    },
  });
  const ending = new AbortController();
  const running: Promise<void>[] = [];
  t.after(async () => {
    ending.abort();
    await Promise.all(running);
    await server?.close();
  });
  return {
    following,
    published,
    run: () => running.push(following.run(ending.signal)),
    /** Looks into the folder once, and waits until that is over. */
    async look() {
      await clock.untilPending();
      clock.advanceToNext();
      await clock.untilPending();
    },
    failPublishing: (how: () => Promise<void>) => {
      publishing = how;
    },
    /** Throws when the server has no certificate of this authority. */
    shake: ({ authority }: Made) => shake(server?.port ?? 0, authority.certificatePem),
  };
}

function shake(port: number, ca: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' }, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

test('a certificate that was replaced in the folder is served, and its authority published', async (t) => {
  const [first, second] = [await makeCertificate(), await makeCertificate()];
  const { folder, putAll } = folderFor(t);
  putAll(first);
  const { following, published, run, look, shake } = follow(t, folder);
  await following.tick();
  await shake(first);
  run();
  putAll(second);
  await look();
  await shake(second);
  await assert.rejects(shake(first));
  assert.deepEqual(published, [first.authority.certificatePem, second.authority.certificatePem]);
});

test('one that is being written is left alone until it is whole, and what was served stays', async (t) => {
  const [first, second] = [await makeCertificate(), await makeCertificate()];
  const { folder, put, putAll } = folderFor(t);
  putAll(first);
  const { following, run, look, shake } = follow(t, folder);
  await following.tick();
  run();
  // The certificate is there, its key is still that of the other.
  put('tls.crt', second.issued.certificatePem);
  await look();
  await shake(first);
  rmSync(join(folder, 'tls.key'));
  await look();
  await shake(first);
  putAll(second);
  await look();
  await shake(second);
});

test('an authority that could not be published is published at the next look', async (t) => {
  const first = await makeCertificate();
  const { folder, putAll } = folderFor(t);
  putAll(first);
  const { following, published, run, look, failPublishing } = follow(t, folder);
  failPublishing(() => Promise.reject(new Error('the API server is away')));
  await assert.rejects(following.tick(), /is away/);
  run();
  await look();
  assert.deepEqual(published, []);
  failPublishing(async () => undefined);
  await look();
  assert.deepEqual(published, [first.authority.certificatePem]);
});

test('a folder without a certificate is told at the start, with the option that names it', async (t) => {
  const { folder } = folderFor(t);
  await assert.rejects(follow(t, folder).following.tick(), /--webhook-certificate.*tls\.crt/);
});
