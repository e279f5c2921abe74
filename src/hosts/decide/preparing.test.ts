import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type HostFirmwareComponents, type HostFirmwareSettings, metal3ApiVersion } from '../../api/index.ts';
import { type PlayedHost, playHost, wakeMs } from '../testing/played-host.ts';
import { statusIn } from '../testing/settled-status.ts';

const goesOn = { kind: 'continue', afterMs: 10_000 } as const;
const isAtIt = { ...goesOn, isUnderWay: true } as const;
const away = { kind: 'unavailable', message: 'no answer came', afterMs: 30_000 } as const;
const started = { ...goesOn, hasStarted: true } as const;
const condition = (type: string, isTrue: boolean, observedGeneration = 2) => ({
  type,
  status: isTrue ? ('True' as const) : ('False' as const),
  reason: 'Success',
  message: '',
  lastTransitionTime: '2025-01-01T00:00:00Z',
  observedGeneration,
});

function settingsOf(
  wanted: Record<string, string | number>,
  has: Record<string, string>,
  more: { readonly isValid?: boolean; readonly seenGeneration?: number } = {},
): HostFirmwareSettings {
  const isChanged = Object.entries(wanted).some(([name, value]) => String(value) !== has[name]);
  const { isValid = true, seenGeneration = 2 } = more;
  const conditions = [
    condition('ChangeDetected', isChanged, seenGeneration),
    condition('Valid', isValid, seenGeneration),
  ];
  const metadata = { name: 'h1', namespace: 'fleet', generation: 2 };
  return {
    apiVersion: metal3ApiVersion,
    kind: 'HostFirmwareSettings',
    metadata,
    spec: { settings: wanted },
    status: { settings: has, conditions },
  };
}

function componentsOf(
  updates: { component: string; url: string }[],
  begun: { component: string; url: string }[] = [],
): HostFirmwareComponents {
  const conditions = [condition('ChangeDetected', true), condition('Valid', true)];
  const metadata = { name: 'h1', namespace: 'fleet', generation: 2 };
  return {
    apiVersion: metal3ApiVersion,
    kind: 'HostFirmwareComponents',
    metadata,
    spec: { updates },
    status: { updates: begun, conditions },
  };
}

function ordersOf({ provisioners }: PlayedHost): Record<string, unknown>[] {
  return provisioners.calls
    .filter(({ method }) => method === 'prepare')
    .map(({ order }) => order as Record<string, unknown>);
}

describe('disks', () => {
  it('are set up as wanted, noted when that begins, and not begun twice', async () => {
    const raid = { hardwareRAIDVolumes: [{ level: '1' as const }] };
    const played = playHost({ status: statusIn('preparing'), spec: { raid } });
    played.provisioners.answer('prepare', started);
    await played.round();
    assert.deepEqual(played.status.provisioning.raid, raid);
    const [noted, stored, asked] = played.done.slice(-3);
    assert.deepEqual(
      [noted, stored, asked],
      ['change-host', 'store-status', 'ask prepare'],
      'what is about to happen is stored first',
    );
    await played.round();
    assert.deepEqual(
      ordersOf(played).map(({ isWanted, raid: given }) => [isWanted, given]),
      [
        [true, raid],
        [false, undefined],
      ],
    );
    assert.equal(played.state, 'available');
  });

  it('of a software RAID have no root device hints of a profile', async () => {
    const raid = { softwareRAIDVolumes: [{ level: '1' as const }] };
    const played = playHost({ spec: { raid } });
    await played.round();
    assert.equal(played.status.provisioning.rootDeviceHints, undefined);
    assert.deepEqual(played.status.provisioning.raid, raid);
  });

  for (const [profile, hints] of [
    ['unknown', { deviceName: '/dev/sda' }],
    ['libvirt', { deviceName: '/dev/vda' }],
    ['dell', { hctl: '0:0:0:0' }],
    ['empty', undefined],
  ] as const) {
    it(`of the profile ${profile} have its hints where nobody gave any`, async () => {
      const played = playHost({ spec: { hardwareProfile: profile } });
      await played.round();
      assert.deepEqual(played.status.provisioning.rootDeviceHints, hints);
      assert.equal(played.state, 'available');
    });
  }

  it('that could not be set up are a preparation error, and are set up anew then', async () => {
    const played = playHost({ status: statusIn('preparing') });
    played.provisioners.answer('prepare', started, { kind: 'failed', message: 'no disks' });
    await played.round();
    await played.round();
    assert.equal(played.status.errorType, 'preparation error');
    assert.equal(played.status.provisioning.rootDeviceHints, undefined);
    await played.round();
    const { isRetry, isWanted } = ordersOf(played).at(-1) ?? {};
    assert.deepEqual([isRetry, isWanted], [true, true]);
    assert.equal(played.state, 'available');
    assert.equal(played.status.errorCount, 0);
  });
});

describe('settings of firmware', () => {
  it('that differ are made, only those, and the end is believed when they were read again', async () => {
    const played = playHost({ status: statusIn('preparing') });
    const wanted = { A: 'on', B: 2, C: 'same' };
    played.firmwareSettings = settingsOf(wanted, { A: 'off', B: '1', C: 'same' });
    played.provisioners.answer('prepare', started, goesOn);
    await played.round();
    await played.round();
    played.onRefresh = () => {
      played.firmwareSettings = settingsOf(wanted, { A: 'on', B: '2', C: 'same' });
    };
    await played.round();
    assert.deepEqual(
      ordersOf(played).map(({ settings, isWanted }) => [settings, isWanted]),
      [
        [{ A: 'on', B: 2 }, true],
        [undefined, false],
        [undefined, false],
      ],
    );
    assert.ok(played.done.includes('refresh-firmware'));
    assert.equal(played.state, 'available');
  });

  it('that did not take effect are an error and not a circle', async () => {
    const played = playHost({ status: statusIn('preparing') });
    played.firmwareSettings = settingsOf({ A: 'on' }, { A: 'off' });
    const end = await played.round();
    assert.equal(played.status.errorType, 'preparation error');
    assert.match(played.status.errorMessage, /did not take effect: A/);
    assert.equal(wakeMs(end.wake), 90_000);
    assert.equal(ordersOf(played).length, 1);
    await played.round();
    assert.equal(ordersOf(played).at(-1)?.isRetry, true);
    assert.deepEqual(ordersOf(played).at(-1)?.settings, { A: 'on' });
  });

  it('that could not be made are made again at the next try', async () => {
    const played = playHost({ status: statusIn('preparing') });
    played.firmwareSettings = settingsOf({ A: 'on' }, { A: 'off' });
    played.provisioners.answer('prepare', started, { kind: 'failed', message: 'no power' });
    await played.round();
    await played.round();
    assert.equal(played.status.errorType, 'preparation error');
    played.provisioners.answer('prepare', started);
    await played.round();
    assert.deepEqual(
      ordersOf(played).map(({ settings }) => settings),
      [{ A: 'on' }, undefined, { A: 'on' }],
    );
  });

  it('that another process has begun are looked at before they are begun again', async () => {
    const played = playHost({ status: statusIn('preparing') });
    played.firmwareSettings = settingsOf({ A: 'on' }, { A: 'off' });
    played.onRefresh = () => {
      played.firmwareSettings = settingsOf({ A: 'on' }, { A: 'on' });
    };
    await played.round();
    assert.deepEqual(
      ordersOf(played).map(({ settings, isWanted }) => [settings, isWanted]),
      [[undefined, false]],
    );
    assert.equal(played.state, 'available');
  });

  it('that are not valid are not made', async () => {
    const played = playHost({ status: statusIn('preparing') });
    played.firmwareSettings = settingsOf({ A: 'on' }, { A: 'off' }, { isValid: false });
    await played.round();
    assert.equal(ordersOf(played)[0]?.settings, undefined);
    assert.equal(played.state, 'available');
  });

  it('that nobody has judged since they were last written are waited for', async () => {
    const played = playHost({ status: statusIn('preparing') });
    played.firmwareSettings = settingsOf({ A: 'on' }, { A: 'off' }, { seenGeneration: 1 });
    const end = await played.round();
    assert.equal(played.state, 'preparing');
    assert.equal(wakeMs(end.wake), 60_000);
    assert.deepEqual(ordersOf(played), []);
  });

  it('that were emptied are not waited for, whatever was judged', async () => {
    const played = playHost({ status: statusIn('preparing') });
    played.firmwareSettings = settingsOf({}, { A: 'off' }, { seenGeneration: 1 });
    await played.round();
    assert.equal(played.state, 'available');
  });

  it('that change while a host is available prepare it anew', async () => {
    const played = playHost({ status: statusIn('available') });
    played.firmwareSettings = settingsOf({ A: 'on' }, { A: 'off' });
    played.provisioners.answer('prepare', started);
    await played.round();
    assert.equal(played.state, 'preparing');
  });

  it('are judged before an image is written', async () => {
    const played = playHost({ status: statusIn('available'), spec: { image: { url: 'http://a', checksum: 'x' } } });
    played.firmwareSettings = settingsOf({ A: 'on' }, { A: 'off' }, { seenGeneration: 1 });
    await played.round();
    assert.equal(played.state, 'available');
    assert.ok(!played.provisioners.methods().includes('provision'));
  });

  it('of a host in use are left alone', async () => {
    const image = { url: 'http://a', checksum: 'x' };
    const status = statusIn('provisioned', { provisioning: { state: 'provisioned', ID: 'id-h1', image } });
    const played = playHost({ status, spec: { image } });
    played.firmwareSettings = settingsOf({ A: 'on' }, { A: 'off' });
    await played.round();
    assert.deepEqual(ordersOf(played), []);
    assert.equal(played.state, 'provisioned');
  });
});

describe('updates of firmware', () => {
  const bios = { component: 'bios', url: 'http://fw/bios-2' };
  const bmc = { component: 'bmc', url: 'http://fw/bmc-2' };

  it('that were not begun yet are, and the companion is told of it', async () => {
    const played = playHost({ status: statusIn('preparing') });
    played.firmwareComponents = componentsOf([bios, bmc], [bios]);
    played.provisioners.answer('prepare', started);
    await played.round();
    assert.deepEqual(ordersOf(played)[0]?.updates, [bmc]);
    assert.deepEqual(played.firmwareComponents?.status?.updates, [bios, bmc]);
    await played.round();
    assert.equal(ordersOf(played)[1]?.isWanted, false);
    assert.equal(played.state, 'available');
  });

  it('that failed are wanted again: a new try is one, and not a success without anything done', async () => {
    const played = playHost({ status: statusIn('preparing') });
    played.firmwareComponents = componentsOf([bios, bmc], [bios]);
    played.provisioners.answer('prepare', started, { kind: 'failed', message: 'flash failed' });
    await played.round();
    await played.round();
    assert.equal(played.status.errorType, 'preparation error');
    assert.deepEqual(played.firmwareComponents?.status?.updates, [bios], 'what was flashed before stays flashed');
    await played.round();
    assert.deepEqual(ordersOf(played).at(-1)?.updates, [bmc]);
    assert.equal(ordersOf(played).at(-1)?.isRetry, true);
  });

  it('that failed are wanted again without those that were installed before the failure', async () => {
    const played = playHost({ status: statusIn('preparing') });
    played.firmwareComponents = componentsOf([bios, bmc]);
    const serviced = { settings: {}, updates: [bios] };
    played.provisioners.answer('prepare', started, { kind: 'failed', message: 'flash failed', serviced });
    await played.round();
    await played.round();
    assert.deepEqual(played.firmwareComponents?.status?.updates, [bios]);
    await played.round();
    assert.deepEqual(ordersOf(played).at(-1)?.updates, [bmc]);
  });

  it('of an address that was flashed before are not flashed again', async () => {
    const played = playHost({ status: statusIn('preparing') });
    played.firmwareComponents = componentsOf([bios], [bios]);
    await played.round();
    assert.equal(ordersOf(played)[0]?.updates, undefined);
    assert.equal(played.state, 'available');
  });

  it('that were flashed long ago stay so when preparing fails after a restart', async () => {
    const played = playHost({ status: statusIn('preparing') });
    played.firmwareComponents = componentsOf([bios, bmc], [bios, bmc]);
    played.provisioners.answer('prepare', { kind: 'failed', message: 'no disks' });
    await played.round();
    assert.equal(played.status.errorType, 'preparation error');
    assert.deepEqual(played.firmwareComponents?.status?.updates, [bios, bmc]);
    await played.round();
    assert.equal(ordersOf(played).at(-1)?.updates, undefined);
  });

  it('that failed after a restart are wanted again, and only those', async () => {
    const played = playHost({ status: statusIn('preparing') });
    played.firmwareComponents = componentsOf([bios, bmc], [bios]);
    played.provisioners.answer('prepare', started, { kind: 'failed', message: 'flash failed' });
    await played.round();
    played.forget();
    await played.round();
    assert.deepEqual(played.firmwareComponents?.status?.updates, [bios]);
    await played.round();
    assert.deepEqual(ordersOf(played).at(-1)?.updates, [bmc]);
  });
});

describe('a preparation whose beginning nobody heard of', () => {
  const raid = { hardwareRAIDVolumes: [{ level: '1' as const }] };
  const bmc = { component: 'bmc', url: 'http://fw/bmc-2' };
  const isRestarted = [false, true];

  for (const restart of isRestarted) {
    const when = restart ? ', after a restart' : '';

    it(`is not begun again where it is seen to be under way${when}`, async () => {
      const played = playHost({ status: statusIn('preparing'), spec: { raid } });
      played.firmwareComponents = componentsOf([bmc]);
      played.firmwareSettings = settingsOf({ A: 'on' }, { A: 'off' });
      played.provisioners.answer('prepare', away, isAtIt, goesOn);
      await played.round();
      if (restart) played.forget();
      await played.round();
      assert.deepEqual(played.firmwareComponents?.status?.updates, [bmc]);
      assert.deepEqual(played.status.provisioning.raid, raid);
      await played.round();
      played.onRefresh = () => {
        played.firmwareSettings = settingsOf({ A: 'on' }, { A: 'on' });
      };
      await played.round();
      assert.deepEqual(
        ordersOf(played).map(({ isWanted }) => isWanted),
        [true, true, false, false],
      );
      assert.equal(played.state, 'available');
      assert.deepEqual(played.host.metadata.annotations, {}, 'nothing is noted any more');
    });

    it(`is begun again where it is not${when}`, async () => {
      const played = playHost({ status: statusIn('preparing'), spec: { raid } });
      played.provisioners.answer('prepare', away, goesOn, started);
      await played.round();
      if (restart) played.forget();
      await played.round();
      await played.round();
      assert.deepEqual(
        ordersOf(played).map(({ isWanted, raid: given }) => [isWanted, given]),
        [
          [true, raid],
          [true, raid],
          [true, raid],
        ],
      );
      assert.deepEqual(played.status.provisioning.raid, raid);
    });
  }

  for (const restart of isRestarted) {
    const bios = { component: 'bios', url: 'http://fw/bios-2' };
    /** The firmware as it is found after the round that asked for it; minutes from then, by component. */
    const flashed = async (minutes: Readonly<Record<string, number>>): Promise<PlayedHost> => {
      const played = playHost({ status: statusIn('preparing') });
      played.firmwareComponents = componentsOf([bios, bmc]);
      played.provisioners.answer('prepare', away);
      const atMs = played.clock.now();
      await played.round();
      if (restart) played.forget();
      played.onRefresh = () => {
        const components = Object.entries(minutes).map(([component, after]) => ({
          ...{ component, initialVersion: '1', currentVersion: '2' },
          updatedAt: new Date(atMs + after * 60_000).toISOString(),
        }));
        const { status } = played.firmwareComponents ?? {};
        played.firmwareComponents = { ...componentsOf([bios, bmc]), status: { ...status, components } };
      };
      await played.round();
      return played;
    };
    const when = restart ? ', after a restart' : '';

    it(`is not begun again where it has ended meanwhile${when}`, async () => {
      const played = await flashed({ bios: 5, bmc: 9 });
      assert.equal(played.state, 'available');
      assert.deepEqual(
        ordersOf(played).map(({ updates }) => updates),
        [[bios, bmc], undefined],
      );
      assert.deepEqual(played.firmwareComponents?.status?.updates, [bios, bmc]);
      assert.deepEqual(played.host.metadata.annotations, {}, 'nothing is noted any more');
    });

    it(`is begun again for what was last flashed before it${when}`, async () => {
      const played = await flashed({ bios: -5, bmc: 9 });
      assert.deepEqual(
        ordersOf(played).map(({ updates }) => updates),
        [[bios, bmc], [bios]],
      );
    });

    it(`is begun again for what was never flashed${when}`, async () => {
      const played = await flashed({});
      assert.deepEqual(ordersOf(played)[1]?.updates, [bios, bmc]);
    });
  }

  it('is not taken for another that is wanted by now', async () => {
    const other = { hardwareRAIDVolumes: [{ level: '0' as const }] };
    const played = playHost({ status: statusIn('preparing'), spec: { raid } });
    played.provisioners.answer('prepare', away, isAtIt, started);
    await played.round();
    played.edit({ raid: other });
    await played.round();
    assert.equal(played.status.provisioning.raid, undefined);
    await played.round();
    assert.deepEqual(ordersOf(played).at(-1)?.raid, other);
    await played.round();
    assert.equal(played.state, 'available');
    assert.deepEqual(played.status.provisioning.raid, other);
    assert.deepEqual(played.host.metadata.annotations, {});
  });

  it('is noted by nobody where somebody else cleans the machine', async () => {
    const played = playHost({ status: statusIn('preparing') });
    played.provisioners.answer('prepare', isAtIt);
    await played.round();
    assert.equal(played.state, 'preparing');
    played.edit({ raid });
    played.provisioners.answer('prepare', isAtIt);
    await played.round();
    assert.equal(played.status.provisioning.raid, undefined);
  });

  it('and failed is told of, and noted no more', async () => {
    const played = playHost({ status: statusIn('preparing'), spec: { raid } });
    played.provisioners.answer('prepare', away, { kind: 'failed', message: 'no disks' });
    await played.round();
    assert.equal(Object.keys(played.host.metadata.annotations ?? {}).length, 1);
    await played.round();
    assert.equal(played.status.errorType, 'preparation error');
    assert.deepEqual(played.host.metadata.annotations, {});
  });
});
