import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CertifiedKey, createFakeClock } from '../../kube/index.ts';
import { silentLogger } from '../../telemetry/index.ts';
import { followCertificate } from './certificate.ts';

test('a certificate that is renewed is served, one that cannot be read is not, and nothing is done after the end', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-certificate-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const settings = { tlsCert: join(folder, 'tls.crt'), tlsKey: join(folder, 'tls.key') };
  const write = (version: string) => {
    writeFileSync(settings.tlsCert, `certificate ${version}`);
    writeFileSync(settings.tlsKey, `key ${version}`);
  };
  write('1');
  const served: CertifiedKey[] = [];
  const clock = createFakeClock();
  const rest = { setCertificate: (next: CertifiedKey) => void served.push(next) };
  const end = followCertificate({ settings, rest, logger: silentLogger, clock });
  clock.advance(60_000);
  assert.deepEqual(served, [], 'nothing changed');
  write('2');
  clock.advance(60_000);
  const second = { certificatePem: 'certificate 2', privateKeyPem: 'key 2' };
  assert.deepEqual(served, [second]);
  rmSync(settings.tlsKey);
  clock.advance(60_000);
  assert.deepEqual(served, [second]);
  write('3');
  clock.advance(60_000);
  assert.equal(served.length, 2);
  end();
  assert.equal(clock.pending, 0);
});
