import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Artifact } from '../../firmware-store/index.ts';
import { createFakeClock } from '../../kube/index.ts';
import { type ImageOpening, openImage } from './open-image.ts';

const minute = 60_000;

/** An image that comes when the test says so, and a lease of ten minutes. */
function start(options: { readonly isCancelled?: boolean } = {}) {
  const clock = createFakeClock();
  const opened = Promise.withResolvers<Artifact>();
  const seen: { opening?: ImageOpening; releases: number } = { releases: 0 };
  let renewedAt = clock.monotonic();
  const artifact: Artifact = {
    path: '/image',
    digest: { algorithm: 'sha256', hex: '' },
    sizeBytes: 1,
    warnings: [],
    suspect: () => undefined,
    release: async () => {
      seen.releases += 1;
    },
  };
  const open = (opening: ImageOpening): Promise<Artifact> => {
    seen.opening = opening;
    opening.signal.addEventListener('abort', () => opened.reject(new Error('aborted')));
    return opened.promise;
  };
  const touch = async (): Promise<void> => {
    if (options.isCancelled === true) throw new Error('cancelled');
    renewedAt = clock.monotonic();
  };
  const image = openImage(open, { clock, touch, signal: new AbortController().signal });
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += minute) {
      clock.advance(minute);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return {
    clock,
    image,
    seen,
    pass,
    finish: () => opened.resolve(artifact),
    leaseAge: () => clock.monotonic() - renewedAt,
  };
}

test('who stands in line while another fetches the image keeps the lease', async () => {
  const bench = start();
  await bench.pass(60 * minute);
  assert.ok(bench.leaseAge() <= minute);
  bench.finish();
  await bench.image;
  await bench.pass(10 * minute);
  assert.ok(bench.leaseAge() >= 10 * minute, 'and no longer than that');
});

test('nobody stands in line for ever', async () => {
  const bench = start();
  await bench.pass(200 * minute);
  assert.ok(bench.leaseAge() > 60 * minute);
  bench.finish();
  await bench.image;
});

test('each piece of the image renews the lease, and a source that hangs does not', async () => {
  const bench = start();
  for (let piece = 0; piece < 5; piece += 1) {
    await bench.pass(5 * minute);
    bench.seen.opening?.onProgress();
    assert.equal(bench.leaseAge(), 0);
    await bench.pass(minute);
  }
  await bench.pass(20 * minute);
  assert.ok(bench.leaseAge() > 20 * minute);
  bench.finish();
  await bench.image;
});

test('an image is not waited for when somebody cancelled', async () => {
  const bench = start({ isCancelled: true });
  const refused = assert.rejects(bench.image, /cancelled/);
  await bench.pass(minute);
  await refused;
  assert.equal(bench.seen.opening?.signal.aborted, true);
});
