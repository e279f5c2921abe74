import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PlayedHost, playHost, wakeMs } from '../testing/played-host.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';

const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };
const other = { url: 'http://images.example/b.qcow2', checksum: 'def' };
const inUse = { kind: 'failed', message: 'the node runs something else', isInUse: true } as const;
const failure = { kind: 'failed', message: 'no space' } as const;

function ordersOf({ provisioners }: PlayedHost, name: string): Record<string, unknown>[] {
  return provisioners.calls
    .filter(({ method }) => method === name)
    .map(({ order }) => order as Record<string, unknown>);
}

/** A host whose image was refused, since its machine runs something else. */
async function refused(spec: { image?: typeof image; customDeploy?: { method: string } } = { image }) {
  const played = playHost({ status: statusIn('available'), spec });
  played.provisioners.answer('provision', inUse);
  const end = await played.round();
  return { played, end };
}

/** A host whose image was about to be written when its provisioner could not be asked. */
async function unheard(
  spec: { image?: typeof image; customDeploy?: { method: string } },
  { isFirst }: { readonly isFirst: boolean },
): Promise<PlayedHost> {
  const played = isFirst ? playHost({ status: statusIn('available'), spec }) : (await refused(spec)).played;
  played.provisioners.answer('provision', { kind: 'unavailable', message: 'down', afterMs: 30_000 });
  await played.round();
  assert.equal(played.state, 'provisioning');
  return played;
}

describe('a machine that runs something else than is to be written to it', () => {
  for (const spec of [{ image }, { customDeploy: { method: 'install' } }]) {
    it(`is never wiped for ${Object.keys(spec)[0]}: its host stays in error until somebody acts`, async () => {
      const { played, end } = await refused(spec);
      assert.ok(wakeMs(end.wake) >= 60_000, 'it is looked at again later');
      for (let round = 0; round < 4; round++) {
        assert.equal(played.state, 'provisioning');
        assert.equal(played.status.errorType, 'provisioning error');
        assert.equal(played.status.errorMessage, inUse.message);
        assert.equal(played.status.errorCount, round + 1, 'it is waited longer each time');
        assert.equal(played.status.provisioningFailCount, 0, 'nothing was attempted');
        played.provisioners.answer('provision', inUse);
        await played.round();
      }
      assert.deepEqual(ordersOf(played, 'deprovision'), []);
      assert.deepEqual(ordersOf(played, 'setPower'), []);
      assert.equal(ordersOf(played, 'provision').length, 5);
    });
  }

  it('is not wiped by a process that ends before it hears so', async () => {
    const { played } = await refused();
    played.provisioners.answer('provision', { kind: 'unavailable', message: 'down', afterMs: 30_000 });
    await played.round();
    assert.equal(played.status.errorType, undefined, 'an attempt that is about to begin has not failed');
    played.provisioners.answer('provision', inUse);
    await played.round();
    await played.round();
    assert.deepEqual(ordersOf(played, 'deprovision'), []);
  });

  for (const spec of [{ image }, { customDeploy: { method: 'install' } }]) {
    const attempted = 'image' in spec ? { image } : {};
    for (const isFirst of [true, false]) {
      const [what, when] = [Object.keys(spec)[0], isFirst ? 'for the first time' : 'once more'];

      it(`stays as it is when its host is deleted while ${what} was tried ${when} and nobody heard`, async () => {
        const played = await unheard(spec, { isFirst });
        played.delete();
        played.provisioners.answer('deprovision', inUse);
        played.provisioners.answer('setPower', inUse);
        await played.settle();
        assert.deepEqual(played.host.metadata.finalizers, []);
        assert.deepEqual(ordersOf(played, 'deprovision'), [{ isRetry: false, cleaningMode: 'metadata', attempted }]);
        assert.deepEqual(
          ordersOf(played, 'setPower').map(({ isOnlyIfUnused }) => isOnlyIfUnused),
          [true],
        );
        assert.deepEqual(played.reasons().slice(-2), ['DeprovisioningSkipped', 'PowerOffSkipped']);
      });

      it(`is kept when its host is to run just that while ${what} was tried ${when} and nobody heard`, async () => {
        const played = await unheard(spec, { isFirst });
        played.edit({ image: other, customDeploy: undefined as never });
        played.provisioners.answer('deprovision', inUse);
        await played.round();
        assert.equal(played.state, 'provisioned');
        assert.deepEqual(played.status.provisioning.image, other);
        assert.deepEqual(
          ordersOf(played, 'deprovision').map((order) => order.attempted),
          [attempted],
        );
      });
    }
  }

  it('is refused again when its host is to run a third thing', async () => {
    const played = await unheard({ image }, { isFirst: false });
    played.edit({ image: other });
    played.provisioners.answer('deprovision', inUse);
    played.provisioners.answer('provision', inUse);
    await played.round();
    assert.equal(played.state, 'provisioning');
    assert.equal(played.status.errorMessage, inUse.message);
    assert.equal(played.status.lastAttemptedImage, undefined);
    assert.equal(played.status.provisioningFailCount, 0);
  });

  it('is wiped when the image is removed though nobody heard of the last try', async () => {
    const played = await unheard({ image }, { isFirst: false });
    played.edit({ image: undefined as never });
    await played.settle();
    assert.deepEqual(ordersOf(played, 'deprovision'), [{ isRetry: false, cleaningMode: 'metadata' }]);
    assert.equal(played.state, 'available');
  });

  it('is kept as it is when its host is to run just that', async () => {
    const { played } = await refused();
    played.edit({ image: other });
    await played.round();
    assert.equal(played.state, 'provisioned');
    assert.deepEqual(played.status.provisioning.image, other);
    assert.deepEqual(ordersOf(played, 'deprovision'), []);
  });

  it('is written to once it is free', async () => {
    const { played } = await refused();
    played.provisioners.answer('provision', { kind: 'continue', afterMs: 10_000, hasStarted: true });
    await played.round();
    assert.deepEqual(played.status.lastAttemptedImage, image);
    assert.equal(played.status.errorType, undefined);
    played.provisioners.answer('provision', failure);
    await played.round();
    await played.round();
    assert.equal(ordersOf(played, 'deprovision').length, 1, 'what failed is cleaned up');
  });

  it('is wiped when the image is removed from its host, which asks for that', async () => {
    const { played } = await refused();
    played.edit({ image: undefined as never });
    await played.settle();
    assert.equal(ordersOf(played, 'deprovision').length, 1);
    assert.equal(played.state, 'available');
  });

  it('stays as it is when its host is deleted', async () => {
    const { played } = await refused();
    played.delete();
    played.provisioners.answer('setPower', inUse);
    await played.round();
    assert.deepEqual(played.host.metadata.finalizers, []);
    assert.deepEqual(ordersOf(played, 'deprovision'), []);
    assert.deepEqual(
      ordersOf(played, 'setPower').map(({ isOnlyIfUnused }) => isOnlyIfUnused),
      [true],
    );
  });
});

describe('the machine of a host that is deleted', () => {
  for (const state of ['inspecting', 'preparing', 'available'] as const) {
    it(`stays on where it runs what was not written through the host (${state})`, async () => {
      const status = statusIn(state, { errorType: 'preparation error', errorMessage: 'x', operationalStatus: 'error' });
      const played = playHost({ status });
      played.delete();
      played.provisioners.answer('setPower', inUse);
      await played.round();
      assert.deepEqual(
        ordersOf(played, 'setPower').map(({ isOnlyIfUnused }) => isOnlyIfUnused),
        [true],
      );
      assert.deepEqual(played.provisioners.methods().slice(-2), ['setPower', 'remove']);
      assert.deepEqual(played.host.metadata.finalizers, []);
      assert.deepEqual(played.reasons(), ['PowerOffSkipped']);
      assert.ok(played.counts.some(({ metric }) => metric === 'deleteWithoutPoweringOff'));
    });
  }

  it('is switched off where something else installed it, as its host says', async () => {
    const played = playHost({ status: statusIn('externally provisioned'), spec: { externallyProvisioned: true } });
    played.delete();
    await played.round();
    assert.equal(ordersOf(played, 'setPower')[0]?.isOnlyIfUnused, undefined);
  });

  it('is switched off where what is on it could not be taken off', async () => {
    const status = statusIn('deprovisioning', {
      ...deployed(image.url, 'deprovisioning'),
      errorType: 'provisioning error',
      errorCount: 3,
    });
    const played = playHost({ status });
    played.delete();
    played.provisioners.answer('deprovision', failure);
    await played.round();
    assert.equal(ordersOf(played, 'setPower')[0]?.isOnlyIfUnused, undefined);
  });
});
