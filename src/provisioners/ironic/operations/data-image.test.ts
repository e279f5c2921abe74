import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestBench } from '../testing/index.ts';

const url = 'http://files/data.iso';
const first = { isRetry: false, url };

test('an image is asked for once, and is there when the BMC says so', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('active');
  const begun = await bench.at().attachDataImage(first);
  assert.deepEqual([begun.kind, 'hasStarted' in begun && begun.hasStarted], ['continue', true]);
  assert.equal(bench.bmc.media, url);
  assert.equal((await bench.at().attachDataImage(first)).kind, 'done');
  const [asked, ...more] = bench.changes();
  assert.equal(asked?.line, `POST /v1/nodes/${node.uuid}/vmedia`);
  assert.deepEqual(asked?.body, { device_type: 'cdrom', image_url: url });
  assert.deepEqual(more, []);
});

test('only the CD drive is emptied', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('active');
  bench.bmc.media = url;
  await bench.drive.done(() => bench.at().detachDataImage({ isRetry: false }));
  assert.equal(bench.bmc.media, undefined);
  assert.deepEqual(
    bench.changes().map(({ line }) => line),
    [`DELETE /v1/nodes/${node.uuid}/vmedia?device_types=cdrom`],
  );
});

test('what went wrong is told once it did, and tried anew when asked to', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active');
  bench.bmc.hasBrokenDrive = true;
  assert.equal((await bench.at().attachDataImage(first)).kind, 'continue');
  const failed = await bench.at().attachDataImage(first);
  assert.deepEqual(failed, {
    kind: 'failed',
    message: 'Could not attach device cdrom: no suitable virtual media',
  });
  bench.bmc.hasBrokenDrive = false;
  assert.equal((await bench.at().attachDataImage(first)).kind, 'failed', 'nobody asked for another try');
  assert.equal((await bench.at().attachDataImage({ ...first, isRetry: true })).kind, 'continue');
  assert.equal((await bench.at().attachDataImage(first)).kind, 'done');
});

test('a node that Ironic holds is waited for, and one that we work on is left alone', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('active', { reservation: 'conductor-1' });
  assert.equal((await bench.at().attachDataImage(first)).kind, 'continue');
  Object.assign(node, { reservation: null });
  await bench.drive.done(() => bench.at().setMaintenance('a new BIOS is being written'));
  bench.changes();
  assert.equal((await bench.at().attachDataImage(first)).kind, 'busy');
  assert.deepEqual(bench.changes(), []);
});

test('an Ironic that cannot tell what is in a drive is taken at its word', async (t) => {
  const bench = await createTestBench(t, { newestMinor: 90 });
  await bench.node('active');
  assert.equal((await bench.at().attachDataImage(first)).kind, 'done');
  assert.equal(bench.bmc.media, url);
  assert.equal((await bench.at().detachDataImage({ isRetry: false })).kind, 'done');
  assert.equal(bench.bmc.media, undefined);
});

test('a host that Ironic does not know has no drive', async (t) => {
  const bench = await createTestBench(t);
  assert.equal((await bench.at().attachDataImage(first)).kind, 'unregistered');
});
