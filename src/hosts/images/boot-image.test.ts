import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PreprovisioningImage, PreprovisioningImageStatus } from '../../api/index.ts';
import { type PlayedHost, type PlayedOptions, playHost, wakeMs } from '../testing/played-host.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';
import { readBootImage } from './boot-image.ts';
import { noImages } from './images-seen.ts';

const address = 'redfish-virtualmedia://10.0.0.7/redfish/v1/Systems/1';
const bmc = { address, credentialsName: 'bmc' };
const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };
const needsImage = { kind: 'needs-image' } as const;
const network = { kind: 'found', version: '7', networkData: 'links: []', isClaimed: true } as const;

function play(options: PlayedOptions = {}): PlayedHost {
  const played = playHost({ ...options, spec: { bmc, ...options.spec } });
  played.images = { ...noImages, formats: ['iso', 'initrd'], network };
  return played;
}

function build(played: PlayedHost, more: Partial<PreprovisioningImageStatus> = {}): void {
  const { bootImage } = played.images;
  assert.ok(bootImage, 'no image was asked for');
  const { generation } = bootImage.metadata;
  const ready = { type: 'Ready', status: 'True', reason: 'ImageSuccess', message: '' } as const;
  const conditions = [
    {
      ...ready,
      lastTransitionTime: '2026-01-01T00:00:00Z',
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    },
  ];
  const status = {
    imageUrl: 'http://images/h1.iso',
    format: 'iso' as const,
    architecture: 'x86_64',
    conditions,
    ...more,
  };
  played.images = { ...played.images, bootImage: { ...bootImage, status } };
}

function registrations(played: PlayedHost): Record<string, unknown>[] {
  return played.provisioners.calls
    .filter(({ method }) => method === 'register')
    .map(({ order }) => order as Record<string, unknown>);
}

describe('a boot image that is built for each host', () => {
  it('is asked for once the host is registered, waited for, and handed over', async () => {
    const played = play();
    played.provisioners.answer('register', { kind: 'done', value: { id: 'id-h1' } as never }, needsImage);
    const end = await played.round();
    assert.deepEqual(
      registrations(played).map(({ isBootImageSpared }) => isBootImageSpared),
      [true, undefined],
      'registering itself waits for nothing',
    );
    assert.equal(played.state, 'inspecting');
    assert.deepEqual(played.images.bootImage?.spec, { architecture: 'x86_64', acceptFormats: ['iso', 'initrd'] });
    assert.equal(wakeMs(end.wake), played.settings.bootImageWaitMs);
    assert.ok(played.counts.some(({ metric }) => metric === 'waitingForBootImage'));
    build(played, { extraKernelParams: 'quiet' });
    await played.round();
    assert.equal(played.state, 'available');
    assert.deepEqual(registrations(played).at(-1)?.bootImage, {
      imageUrl: 'http://images/h1.iso',
      format: 'iso',
      kernelParameters: 'quiet',
    });
  });

  it('comes only in formats that the host can boot', async () => {
    const played = play({
      status: statusIn('available'),
      spec: { bmc: { address: 'redfish://10.0.0.7', credentialsName: 'bmc' } },
    });
    await played.round();
    assert.deepEqual(played.images.bootImage?.spec?.acceptFormats, ['initrd']);
    const without = play({
      status: statusIn('available'),
      spec: { bmc: { address: 'ipmi://10.0.0.7', credentialsName: 'bmc' } },
    });
    without.images = { ...without.images, formats: ['iso'] };
    await without.round();
    assert.equal(without.status.errorType, 'registration error');
    assert.match(without.status.errorMessage, /none of the formats/);
    assert.equal(without.images.bootImage, undefined);
  });

  it('that cannot be built is an error of the host, in the words of who builds it', async () => {
    const played = play({ status: statusIn('available') });
    await played.round();
    const error = {
      type: 'Error',
      status: 'True',
      reason: 'ImageBuildFailed',
      message: 'no such architecture',
    } as const;
    build(played, { conditions: [{ ...error, lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: 1 }] });
    await played.round();
    assert.equal(played.status.errorType, 'registration error');
    assert.match(played.status.errorMessage, /no such architecture/);
    build(played);
    await played.round();
    assert.equal(played.status.errorType, undefined);
  });

  it('is asked for anew when the host or its network changes', async () => {
    const played = play({ status: statusIn('available'), spec: { preprovisioningNetworkDataName: 'net' } });
    await played.round();
    assert.equal(played.images.bootImage?.spec?.networkDataName, 'net');
    build(played, { networkData: { name: 'net', version: '7' } });
    await played.round();
    assert.ok(registrations(played).at(-1)?.bootImage);
    played.images = { ...played.images, network: { ...network, version: '8' } };
    await played.round();
    assert.equal(registrations(played).at(-1)?.bootImage, undefined, 'it has the old network in it');
    played.edit({ architecture: 'aarch64' });
    await played.round();
    assert.equal(played.images.bootImage?.spec?.architecture, 'aarch64');
    assert.equal(played.images.bootImage?.metadata.generation, 2);
  });

  it('is not needed by hosts that nothing is booted on', async () => {
    for (const state of ['provisioned', 'externally provisioned'] as const) {
      const spec = state === 'provisioned' ? { image } : { externallyProvisioned: true };
      const played = play({ status: statusIn(state, state === 'provisioned' ? deployed() : {}), spec });
      await played.round();
      assert.equal(played.images.bootImage, undefined, state);
      assert.equal(registrations(played)[0]?.isBootImageSpared, true, state);
    }
  });

  it('is let go with the host, and made anew when somebody deletes it before', async () => {
    const played = play({ status: statusIn('available') });
    await played.round();
    build(played);
    const { bootImage } = played.images;
    assert.ok(bootImage);
    const metadata = { ...bootImage.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    played.images = { ...played.images, bootImage: { ...bootImage, metadata } };
    await played.round();
    assert.ok(played.done.includes('release-boot-image'));
    assert.ok(
      played.images.bootImage !== undefined && played.images.bootImage.metadata.deletionTimestamp === undefined,
    );
    build(played);
    played.delete();
    played.done.splice(0);
    for (let round = 0; round < 5 && !played.done.includes('release-boot-image'); round++) await played.round();
    const remove = played.done.indexOf('ask remove');
    assert.ok(remove >= 0 && played.done.indexOf('release-boot-image') > remove, String(played.done));
  });
});

describe('the network of a boot image', () => {
  it('is handed over itself where no image is built', async () => {
    const played = playHost({ status: statusIn('available'), spec: { preprovisioningNetworkDataName: 'net' } });
    played.images = { ...noImages, network: { ...network, isClaimed: false } };
    await played.round();
    assert.ok(played.done.includes('claim-network-secret'));
    assert.equal(registrations(played).at(-1)?.bootNetworkData, 'links: []');
  });

  it('that is not there is told once, and waited for', async () => {
    const played = playHost({ status: statusIn('available'), spec: { preprovisioningNetworkDataName: 'net' } });
    const end = await played.round();
    assert.equal(wakeMs(end.wake), played.settings.secretRetryMs);
    assert.match(played.status.errorMessage, /the Secret net is not in the namespace/);
    await played.round();
    assert.equal(played.status.errorCount, 1);
    assert.deepEqual(played.reasons(), ['RegistrationError']);
    assert.deepEqual(registrations(played), []);
    played.images = { ...noImages, network };
    await played.round();
    assert.equal(played.status.errorType, undefined);
  });

  it('is let go with the host', async () => {
    const played = playHost({ status: statusIn('available'), spec: { preprovisioningNetworkDataName: 'net' } });
    played.images = { ...noImages, network };
    played.delete();
    for (let round = 0; round < 5 && !played.done.includes('release-network-secret'); round++) await played.round();
    assert.ok(played.done.includes('release-network-secret'));
  });
});

describe('reading a boot image', () => {
  const wanted = { architecture: 'x86_64', acceptFormats: ['iso' as const] };
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'x',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  } as const;
  const status = {
    imageUrl: 'http://images/a.iso',
    format: 'iso',
    architecture: 'x86_64',
    conditions: [{ ...condition, observedGeneration: 2 }],
  } as const;
  const imageWith = (more: object): PreprovisioningImage => ({
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'PreprovisioningImage',
    metadata: { name: 'h1', generation: 2 },
    spec: wanted,
    status: { ...status, conditions: [...status.conditions], ...more },
  });
  const cases: readonly (readonly [name: string, more: object, kind: string])[] = [
    ['one that is ready', {}, 'ready'],
    ['one that was ready before it was changed', { conditions: [{ ...condition, observedGeneration: 1 }] }, 'building'],
    ['one that says nothing', { conditions: [] }, 'building'],
    ['one of another format', { format: 'initrd' }, 'building'],
    ['one of another architecture', { architecture: 'aarch64' }, 'building'],
    ['one with a network that nobody wants', { networkData: { name: 'net', version: '1' } }, 'building'],
    ['one that is nowhere', { imageUrl: '' }, 'building'],
    ['one that failed', { conditions: [{ ...condition, type: 'Error', observedGeneration: 2 }] }, 'failed'],
    [
      'one that failed before it was changed',
      { conditions: [{ ...condition, type: 'Error', observedGeneration: 1 }] },
      'building',
    ],
  ];
  for (const [name, more, kind] of cases) {
    it(`takes ${name} as ${kind}`, () => {
      assert.equal(readBootImage(imageWith(more), wanted, { kind: 'unread' }).kind, kind);
    });
  }
});
