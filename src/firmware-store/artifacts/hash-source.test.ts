import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createEgress } from '../../egress/index.ts';
import { createLogger } from '../../telemetry/index.ts';
import { isStoreError } from '../errors.ts';
import { hashSource } from './hash-source.ts';
import { startFileServer } from './testing/file-server.ts';

const maxBytes = 1000;

test('what is behind an address is hashed', async (context) => {
  const server = await startFileServer(context);
  const content = Buffer.from('firmware');
  const url = server.put('/image.bin', content);
  assert.deepEqual(await hashSource(url, { maxBytes }), {
    checksum: `sha256:${createHash('sha256').update(content).digest('hex')}`,
    sizeBytes: content.length,
  });
});

test('nothing is asked of cloud metadata', async () => {
  await assert.rejects(hashSource('http://169.254.169.254/latest/meta-data', { maxBytes }), (error) => {
    assert.ok(isStoreError(error, 'sourceRefused'), String(error));
    assert.match(error.message, /its host is none that may be connected to/);
    return true;
  });
});

test('what an internal host answers is told only where an operator has named it', async (context) => {
  const server = await startFileServer(context);
  const lines: string[] = [];
  const logger = createLogger({ level: 'warn', write: (line) => lines.push(line) });
  const gone = `${server.origin}/none`;
  await assert.rejects(hashSource(gone, { maxBytes, logger }), (error) => {
    assert.ok(isStoreError(error, 'sourceFailed'), String(error));
    assert.match(error.message, /its host is internal/);
    assert.doesNotMatch(error.message, /404/);
    return true;
  });
  assert.match(lines.join('\n'), /404/);
  const egress = createEgress({ hosts: ['127.0.0.1'] });
  await assert.rejects(hashSource(gone, { maxBytes, egress }), /404/);
});
