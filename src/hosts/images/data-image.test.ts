import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BareMetalHost, DataImage, DataImageStatus } from '../../api/index.ts';
import { finalizers } from '../resources.ts';
import { type PlayedHost, playHost, wakeMs } from '../testing/played-host.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';
import { decideDataImage } from './data-image-controller.ts';
import { noImages } from './images-seen.ts';

const url = 'https://images.example/data.iso';
const attached = { attachedImage: { url } };

function imageWith(more: { status?: DataImageStatus; isDeleted?: boolean; isNew?: boolean } = {}): DataImage {
  const owner = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', name: 'h1', uid: 'u1' };
  return {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'DataImage',
    metadata: {
      name: 'h1',
      namespace: 'fleet',
      generation: 1,
      ...(more.isNew === true ? {} : { finalizers: [finalizers.dataImage], ownerReferences: [owner] }),
      ...(more.isDeleted === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { url },
    ...(more.status === undefined ? {} : { status: more.status }),
  };
}

function play(
  image: DataImage,
  { isPoweredOn = false, state = 'provisioned' as 'provisioned' | 'available' } = {},
): PlayedHost {
  const status = { ...statusIn(state, state === 'provisioned' ? deployed() : {}), poweredOn: isPoweredOn };
  const played = playHost({
    status,
    spec: state === 'provisioned' ? { image: { url: 'http://images.example/a.qcow2', checksum: 'abc' } } : {},
  });
  played.images = { ...noImages, dataImage: image };
  played.provisioners.machine('h1').isPoweredOn = isPoweredOn;
  return played;
}

describe('a data image', () => {
  it('is attached before the host is switched on', async () => {
    const played = play(imageWith());
    await played.round();
    const order = played.done.filter((each) => ['ask attach-image', 'tell-data-image', 'ask power'].includes(each));
    assert.deepEqual(order, ['ask attach-image', 'tell-data-image', 'ask power']);
    assert.equal(played.provisioners.machine('h1').dataImage, url);
    assert.equal(played.images.dataImage?.status?.attachedImage?.url, url);
  });

  it('is left as it is while the host is on, or nobody uses it', async () => {
    for (const how of [{ isPoweredOn: true }, { state: 'available' as const }]) {
      const played = play(imageWith(), how);
      await played.round();
      assert.ok(!played.done.some((each) => each.includes('image')), JSON.stringify(how));
    }
  });

  it('is taken out before another one is put in', async () => {
    const played = play(imageWith({ status: { attachedImage: { url: 'https://images.example/old.iso' } } }));
    await played.round();
    const methods = played.provisioners.methods('h1').filter((each) => each.endsWith('DataImage'));
    assert.deepEqual(methods, ['detachDataImage', 'attachDataImage']);
    assert.equal(played.provisioners.machine('h1').dataImage, url);
  });

  it('that is deleted is taken out, and nothing is put in', async () => {
    const played = play(imageWith({ status: attached, isDeleted: true }));
    await played.round();
    assert.deepEqual(
      played.provisioners.methods('h1').filter((each) => each.endsWith('DataImage')),
      ['detachDataImage'],
    );
    assert.equal(played.images.dataImage?.status?.attachedImage, undefined);
  });

  it('that cannot be attached keeps the host off, is told in the image, and tried again later', async () => {
    const played = play(imageWith());
    const failure = { kind: 'failed', message: 'no drive' } as const;
    played.provisioners.answer('attachDataImage', failure, failure);
    const end = await played.round();
    assert.deepEqual(played.images.dataImage?.status?.error, { count: 1, message: 'no drive' });
    assert.equal(played.status.errorType, undefined, 'the host itself is well');
    assert.ok(!played.done.includes('ask power'));
    await played.round();
    assert.equal(played.images.dataImage?.status?.error?.count, 2);
    assert.ok(wakeMs(end.wake) >= 60_000);
    await played.round();
    assert.equal(played.images.dataImage?.status?.error, undefined);
    const orders = played.provisioners.calls.filter(({ method }) => method === 'attachDataImage');
    assert.deepEqual(
      orders.map(({ order }) => (order as { isRetry: boolean }).isRetry),
      [false, true, true],
    );
    assert.ok(played.done.includes('ask power'));
  });

  it('that is tried anew is only seen to its end after that', async () => {
    const played = play(imageWith({ status: { error: { count: 1, message: 'no drive' } } }));
    played.provisioners.answer('attachDataImage', { kind: 'continue', afterMs: 3000, hasStarted: true });
    await played.round();
    assert.equal(played.images.dataImage?.status?.error, undefined);
    await played.round();
    const orders = played.provisioners.calls.filter(({ method }) => method === 'attachDataImage');
    assert.deepEqual(
      orders.map(({ order }) => (order as { isRetry: boolean }).isRetry),
      [true, false],
    );
  });

  it('keeps others from the machine while it is attached', async () => {
    const played = play(imageWith());
    const held: string[] = [];
    played.externalWork = {
      ...played.externalWork,
      hold: async (_, what) => {
        held.push(what);
        return { kind: 'refused', message: 'a BIOS is being written', afterMs: 10_000 };
      },
    };
    const end = await played.round();
    assert.deepEqual([held, wakeMs(end.wake)], [['power'], 10_000]);
    assert.equal(played.provisioners.machine('h1').dataImage, undefined);
  });
});

describe('the controller of data images', () => {
  const host = playHost().host;
  const decide = (image: DataImage, of: BareMetalHost | undefined) => decideDataImage({ image, host: of }, 0);
  const kinds = (image: DataImage, of: BareMetalHost | undefined) => decide(image, of).effects.map(({ kind }) => kind);
  const reason = (image: DataImage) => decide(image, host).status?.conditions?.[0]?.reason;

  it('claims an image for its host', () => {
    assert.deepEqual(kinds(imageWith({ isNew: true }), host), ['claim-data-image']);
    assert.deepEqual(kinds(imageWith({ isNew: true }), undefined), []);
    assert.deepEqual(kinds(imageWith(), host), []);
  });

  it('lets an image go once it is out of the drive, or nobody knows the drive', () => {
    const isDeleted = true;
    assert.deepEqual(kinds(imageWith({ isDeleted }), host), ['release-data-image']);
    assert.deepEqual(kinds(imageWith({ isDeleted, status: attached }), host), []);
    assert.deepEqual(kinds(imageWith({ isDeleted, status: attached }), undefined), ['release-data-image']);
    const detached = { ...host, status: { ...statusIn('provisioned'), operationalStatus: 'detached' as const } };
    assert.deepEqual(kinds(imageWith({ isDeleted, status: attached }), detached), ['release-data-image']);
  });

  it('lets an image go whose host is gone, deleted or not', () => {
    assert.deepEqual(kinds(imageWith({ status: attached }), undefined), ['release-data-image']);
    assert.deepEqual(kinds(imageWith({ isNew: true, isDeleted: true }), undefined), []);
  });

  it('does nothing about the image of a host that is paused', () => {
    const paused = { ...host, metadata: { ...host.metadata, annotations: { 'baremetalhost.metal3.io/paused': '' } } };
    assert.deepEqual([kinds(imageWith({ isNew: true }), paused), decide(imageWith(), paused).status], [[], undefined]);
  });

  it('says how far an image is', () => {
    assert.equal(reason(imageWith()), 'WaitsForPowerOn');
    assert.equal(reason(imageWith({ status: { error: { count: 1, message: 'no drive' } } })), 'Failed');
    assert.equal(reason(imageWith({ status: attached })), 'Attached');
    const told = decide(imageWith({ status: attached }), host).status;
    const again = decide(imageWith(told === undefined ? {} : { status: told }), host).status;
    assert.deepEqual(again, told, 'what is told is not written again');
  });
});
