import assert from 'node:assert/strict';
import diagnostics from 'node:diagnostics_channel';
import { test } from 'node:test';
import { writeImage } from './write-image.ts';

test('an image off the machine is refused before anything is connected to', async (t) => {
  let connections = 0;
  const count = () => connections++;
  diagnostics.subscribe('undici:client:beforeConnect', count);
  t.after(() => diagnostics.unsubscribe('undici:client:beforeConnect', count));
  const order = { hashAlgorithm: undefined, hashValue: undefined, hasConfigDrive: false };
  const write = (url: string) => writeImage({ ...order, url }, AbortSignal.timeout(120_000));
  for (const host of ['192.0.2.1', '[2001:db8::1]', 'images.example']) {
    await assert.rejects(write(`http://${host}/image.raw`), /is not a loopback address.*stays on loopback/);
  }
  assert.equal(connections, 0);
  await assert.rejects(write('http://127.0.0.1:1/image.raw'));
});

test('an image of the simulator needs no server, and its checksum is looked at all the same', async () => {
  const url = 'http://simulator.example/node.raw';
  const write = (hashValue: string) =>
    writeImage({ url, hashAlgorithm: undefined, hashValue, hasConfigDrive: false }, AbortSignal.timeout(120_000));
  const written = await write(`${url}.sha256`);
  assert.equal(written.sizeBytes, url.length);
  assert.equal((await write(written.sha256)).sha256, written.sha256);
  await assert.rejects(write('0'.repeat(64)), /has sha256/);
});
