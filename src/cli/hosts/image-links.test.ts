import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreError } from '../../firmware-store/index.ts';
import { systemClock } from '../../kube/index.ts';
import { createImageLinks } from './image-links.ts';

const image = { checksum: 'sha256:00', sizeBytes: 1 };

test('an image that many hosts name is read once, and who asks meanwhile hears that it is being read', async () => {
  const reading = Promise.withResolvers<typeof image>();
  let reads = 0;
  const hash = () => {
    reads += 1;
    return reading.promise;
  };
  const links = createImageLinks({ hash, clock: systemClock, waitMs: 1, keepMs: 1 });
  assert.deepEqual(await Promise.all(['http://h/a', 'http://h/a'].map((url) => links.read(url))), [
    { kind: 'reading' },
    { kind: 'reading' },
  ]);
  const patient = createImageLinks({ hash, clock: systemClock, waitMs: 60_000, keepMs: 1 });
  const answer = patient.read('http://h/a');
  reading.resolve(image);
  assert.deepEqual(await answer, { kind: 'image', image });
  assert.equal(reads, 2);
});

test('an image that cannot be read is refused with what to do', async () => {
  const hash = async () => {
    throw new StoreError('sourceRefused', { source: 'http://h/a', detail: 'the server answered 404' });
  };
  const links = createImageLinks({ hash, clock: systemClock, keepMs: 1 });
  assert.deepEqual(await links.read('http://h/a'), {
    kind: 'refused',
    message: 'http://h/a was refused: the server answered 404; correct the link, or publish the image there',
  });
});
