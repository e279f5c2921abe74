import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BareMetalHostStatus, HostUpdatePolicySpec, ProvisioningState } from '../../api/index.ts';
import {
  allowAll,
  componentsOf,
  conditionOf,
  heldOff,
  liveHost,
  ordersOf,
  policyOf,
  rebootOnce,
  settingsOf,
} from '../testing/live-host.ts';
import { type PlayedHost, wakeMs } from '../testing/played-host.ts';
import { statusIn } from '../testing/settled-status.ts';

const goesOn = { kind: 'continue', afterMs: 10_000 } as const;
const started = { ...goesOn, hasStarted: true } as const;
const failed = { kind: 'failed', message: 'the BIOS said no' } as const;
const once = { [rebootOnce]: '' };
const detached = 'baremetalhost.metal3.io/detached';
const settings = { ProcVirtualization: 'Enabled' };
const bios = { component: 'bios', url: 'http://files/bios-2.bin' };
const bmc = { component: 'bmc', url: 'http://files/bmc-3.bin' };

const services = (played: PlayedHost) => ordersOf(played, 'service');
const powers = (played: PlayedHost) => ordersOf(played, 'setPower').map(({ target }) => target);
const annotationsIn = ({ host }: PlayedHost) => Object.keys(host.metadata.annotations ?? {});
const statuses = ({ stored }: PlayedHost) =>
  stored.map(({ operationalStatus }) => operationalStatus).filter((each, at, all) => each !== all[at - 1]);

/** A host whose service has begun and goes on. */
async function begun(more: Parameters<typeof liveHost>[0] = {}): Promise<PlayedHost> {
  const played = liveHost({ annotations: once, ...more });
  played.provisioners.answer('service', started);
  await played.round();
  assert.equal(played.status.operationalStatus, 'servicing');
  return played;
}

/** A host whose service has failed. */
async function broken(): Promise<PlayedHost> {
  const played = await begun();
  played.provisioners.answer('service', failed);
  await played.round();
  assert.equal(played.status.errorType, 'servicing error');
  played.clock.advance(120_000);
  return played;
}

describe('a live update begins', () => {
  it('never in the same second as the one before, whose name it would have', async () => {
    const played = await begun();
    played.provisioners.answer('service', { kind: 'done', value: { settings: {}, updates: [] } as never });
    await played.settle();
    assert.equal(played.status.operationalStatus, 'OK');
    const [first] = services(played);
    played.firmwareSettings = settingsOf({ ProcVirtualization: 'Other' }, played.provisioners.machine('h1').settings);
    played.host.metadata.annotations = { ...once };
    played.provisioners.answer('service', started);
    await played.round();
    assert.equal(played.status.operationalStatus, 'OK');
    assert.deepEqual(annotationsIn(played), [rebootOnce]);
    played.clock.advance(1000);
    await played.round();
    assert.equal(played.status.operationalStatus, 'servicing');
    assert.notEqual(services(played).at(-1)?.ticket, first?.ticket);
    assert.deepEqual(annotationsIn(played), []);
  });

  it('again after a failure in the next second at the soonest', async () => {
    const played = await begun();
    played.provisioners.answer('service', failed);
    await played.round();
    const tickets = () => new Set(services(played).map(({ ticket }) => ticket)).size;
    played.provisioners.answer('service', started);
    played.firmwareSettings = settingsOf({ ProcVirtualization: 'Other' }, played.provisioners.machine('h1').settings);
    await played.round();
    assert.deepEqual([played.status.operationalStatus, tickets()], ['error', 1]);
    played.clock.advance(1000);
    await played.round();
    assert.deepEqual([played.status.operationalStatus, tickets()], ['servicing', 2]);
  });

  it('at the reboot annotation of a host that is on, without switching its power, which its provisioner does', async () => {
    const played = liveHost({ annotations: once });
    await played.settle();
    assert.deepEqual(
      services(played).map(({ ticket, ...order }) => [typeof ticket, order]),
      [['string', { isSpecified: true, settings }]],
    );
    assert.deepEqual(powers(played), []);
    assert.deepEqual(annotationsIn(played), []);
    assert.deepEqual(statuses(played), ['servicing', 'OK']);
  });

  it('with the power cut only where the reboot annotation says so', async () => {
    for (const [value, shutdown] of [
      ['', undefined],
      ['{"mode": "soft"}', undefined],
      ['{"mode": "hard"}', 'hard'],
    ] as const) {
      const played = liveHost({ annotations: { [rebootOnce]: value } });
      await played.settle();
      assert.deepEqual(
        services(played).map((order) => order.shutdown),
        [shutdown],
      );
    }
  });

  it('and says what is changed and how far that is', async () => {
    const played = liveHost({ annotations: once });
    const progress = 'its system is shut down';
    played.provisioners.answer('service', { ...started, progress }, { ...goesOn, progress: 'the BIOS is written' });
    await played.round();
    const said = () => played.status.conditions?.find(({ type }) => type === 'LiveUpdates')?.message;
    assert.equal(said(), `a live update is under way: BIOS settings ProcVirtualization; ${progress}`);
    await played.round();
    assert.match(said() ?? '', /; the BIOS is written$/);
  });

  it('when a host that is off is to be on, before it is switched on', async () => {
    const played = liveHost({ status: { poweredOn: false } });
    played.provisioners.machine('h1').isPoweredOn = false;
    await played.settle();
    const methods = played.provisioners.methods().filter((each) => each === 'service' || each === 'setPower');
    assert.deepEqual(methods, ['service', 'setPower']);
    assert.deepEqual(powers(played), ['on']);
  });

  it('on a host that something else installed too', async () => {
    const played = liveHost({
      annotations: once,
      spec: { externallyProvisioned: true },
      status: statusIn('externally provisioned'),
    });
    await played.settle();
    assert.equal(services(played).length, 1);
  });

  it('on a host that must not be switched off, which is never switched', async () => {
    const played = liveHost({ annotations: once, spec: { disablePowerOff: true } });
    await played.settle();
    assert.equal(services(played).length, 1);
    assert.deepEqual([powers(played), annotationsIn(played)], [[], []]);
  });

  it('with what its policy allows and nothing else', async () => {
    const parts: readonly (readonly [HostUpdatePolicySpec, object])[] = [
      [{ firmwareSettings: 'onReboot' }, { settings }],
      [{ firmwareUpdates: 'onReboot', firmwareSettings: 'onPreparing' }, { updates: [bios] }],
      [allowAll, { settings, updates: [bios] }],
    ];
    for (const [policy, change] of parts) {
      const played = liveHost({ annotations: once, policy });
      played.firmwareComponents = componentsOf([bmc, bios], [bmc]);
      await played.settle();
      assert.deepEqual(
        services(played).map(({ ticket: _, ...order }) => order),
        [{ isSpecified: true, ...change }],
      );
    }
  });

  it('only when it is stored that it does', async () => {
    const played = await begun();
    const at = played.done.indexOf('ask service');
    assert.equal(played.done[at - 1], 'store-status');
    assert.equal(played.stored[0]?.operationalStatus, 'servicing');
    assert.ok(annotationsIn(played).length === 0);
    assert.ok(played.done.lastIndexOf('change-host') > at, 'the annotation goes once it was taken');
  });
});

describe('a host in use is left alone', () => {
  const plain: readonly (readonly [string, HostUpdatePolicySpec | undefined])[] = [
    ['without a policy', undefined],
    ['with an empty policy', {}],
    ['with a policy that says onPreparing', { firmwareSettings: 'onPreparing', firmwareUpdates: 'onPreparing' }],
  ];
  for (const [what, policy] of plain) {
    it(`${what}: its reboot is only a reboot`, async () => {
      const played = liveHost({ annotations: once });
      played.updatePolicy = policy === undefined ? undefined : policyOf(policy);
      await played.settle();
      assert.deepEqual(services(played), []);
      assert.deepEqual(powers(played), ['off', 'on']);
      assert.equal(conditionOf(played, 'LiveUpdates'), 'False HostInUse');
      const told = played.status.conditions?.find(({ type }) => type === 'LiveUpdates');
      assert.match(told?.message ?? '', /in use, so it waits .*: BIOS settings ProcVirtualization$/);
      played.firmwareSettings = settingsOf({}, {});
      await played.round();
      assert.equal(conditionOf(played, 'LiveUpdates'), 'none');
    });
  }

  it('as far as its policy does not allow it, and says so', async () => {
    const played = liveHost({ policy: { firmwareUpdates: 'onReboot' } });
    await played.settle();
    assert.equal(conditionOf(played, 'LiveUpdates'), 'False HostInUse');
    played.firmwareComponents = componentsOf([bios]);
    await played.round();
    assert.equal(conditionOf(played, 'LiveUpdates'), 'True WaitsForReboot');
  });

  it('as long as nobody reboots it, and says what waits', async () => {
    const played = liveHost();
    await played.settle();
    assert.deepEqual([services(played), powers(played)], [[], []]);
    assert.equal(conditionOf(played, 'LiveUpdates'), 'True WaitsForReboot');
    assert.match(played.status.conditions?.at(-1)?.message ?? '', /BIOS settings ProcVirtualization/);
  });

  it('while it is to be off', async () => {
    const played = liveHost({ annotations: once, spec: { online: false } });
    await played.settle();
    assert.deepEqual([services(played), powers(played)], [[], ['off']]);
  });

  it('when nothing differs, or what is wanted is not valid: its reboot is only a reboot', async () => {
    for (const companion of [
      settingsOf(settings, settings),
      settingsOf(settings, { ProcVirtualization: 'Disabled' }, { isValid: false }),
      settingsOf({}, {}),
    ]) {
      const played = liveHost({ annotations: once });
      played.firmwareSettings = companion;
      await played.settle();
      assert.deepEqual([services(played), powers(played)], [[], ['off', 'on']]);
    }
  });

  it('when what is wanted is not valid, and says why; the rest of it is changed', async () => {
    const played = liveHost();
    const invalid = settingsOf(settings, { ProcVirtualization: 'Disabled' }, { isValid: false });
    for (const each of invalid.status?.conditions ?? []) if (each.type === 'Valid') each.message = 'no such value';
    played.firmwareSettings = invalid;
    played.onRefresh = () => {};
    await played.settle();
    const said = () => played.status.conditions?.find(({ type }) => type === 'LiveUpdates');
    assert.deepEqual([said()?.status, said()?.reason], ['False', 'Invalid']);
    assert.equal(said()?.message, 'nothing is changed: HostFirmwareSettings is invalid: no such value');
    played.firmwareComponents = componentsOf([bios]);
    await played.round();
    assert.equal(said()?.reason, 'WaitsForReboot');
    assert.match(said()?.message ?? '', /firmware of bios; left out: HostFirmwareSettings is invalid: no such value$/);
  });

  it('while somebody holds it off, and says why; it is serviced when that is let go', async () => {
    const played = liveHost({ annotations: { [heldOff]: '', [rebootOnce]: '' } });
    await played.settle();
    assert.deepEqual([services(played), powers(played)], [[], ['off']]);
    assert.deepEqual(annotationsIn(played), [heldOff]);
    assert.equal(conditionOf(played, 'LiveUpdates'), 'False HeldOff');
    await played.settle();
    assert.deepEqual(services(played), []);
    played.annotate({ [heldOff]: undefined });
    await played.settle();
    assert.equal(services(played).length, 1);
  });

  it('by a provisioner that cannot service: its reboot is only a reboot, and a condition says so', async () => {
    const played = liveHost({ annotations: once });
    const look = { isPoweredOn: true, serviceProblem: 'Ironic speaks API 1.86' };
    const off = { ...look, isPoweredOn: false };
    played.provisioners.answer('look', { kind: 'done', value: look as never }, { kind: 'done', value: off as never });
    await played.round();
    assert.equal(conditionOf(played, 'LiveUpdates'), 'False NotSupported');
    assert.match(played.status.conditions?.at(-1)?.message ?? '', /ignored: Ironic speaks API 1\.86/);
    await played.round();
    assert.deepEqual([services(played), powers(played)], [[], ['off', 'on']]);
  });

  it('while it is detached', async () => {
    const played = liveHost({ annotations: { ...once, [detached]: '' } });
    await played.settle();
    await played.round();
    assert.deepEqual(services(played), []);
    assert.equal(conditionOf(played, 'LiveUpdates'), 'none');
  });

  const others: readonly ProvisioningState[] = [
    'registering',
    'inspecting',
    'preparing',
    'available',
    'provisioning',
    'deprovisioning',
  ];
  for (const state of others) {
    it(`in ${state}`, async () => {
      const played = liveHost({ annotations: once, status: statusIn(state) });
      played.edit({ image: undefined as never });
      const before = played.provisioners.methods().length;
      await played.round();
      assert.ok(played.provisioners.methods().length > before);
      assert.deepEqual(services(played), []);
    });
  }

  it('until its companions have caught up with what was written, and then it is serviced', async () => {
    const played = liveHost({ annotations: once });
    const has = played.provisioners.machine('h1').settings;
    played.firmwareSettings = settingsOf(settings, has, { seenGeneration: 1 });
    const end = await played.round();
    assert.deepEqual([end.why[0]?.code, services(played), powers(played)], ['FirmwareUnread', [], []]);
    played.firmwareSettings = settingsOf(settings, has);
    await played.settle();
    assert.equal(services(played).length, 1);
  });

  it('until fewer hosts are worked on', async () => {
    const played = liveHost({ annotations: once });
    played.provisioners.answer('hasCapacity', { kind: 'done', value: false as never });
    const end = await played.round();
    assert.deepEqual([end.why[0]?.code, services(played), powers(played)], ['NoCapacity', [], []]);
    assert.deepEqual(annotationsIn(played), [rebootOnce]);
    assert.equal(conditionOf(played, 'LiveUpdates'), 'True Delayed');
    await played.settle();
    assert.equal(services(played).length, 1);
  });

  it('until fewer hosts are worked on also when it has failed and is tried again', async () => {
    const played = liveHost({ annotations: once });
    played.provisioners.answer('service', { kind: 'failed', message: 'the BMC said no' });
    await played.round();
    assert.equal(conditionOf(played, 'LiveUpdates'), 'False Failed');
    const before = services(played).length;
    played.clock.advance(120_000);
    played.provisioners.answer('hasCapacity', { kind: 'done', value: false as never });
    const end = await played.round();
    assert.deepEqual([end.why[0]?.code, services(played).length], ['NoCapacity', before]);
    assert.equal(played.status.errorMessage, 'the BMC said no');
    await played.settle();
    assert.equal(played.status.operationalStatus, 'OK');
  });
});

describe('a live update goes on', () => {
  it('as servicing, with conditions and times, until it has ended as OK, each told once', async () => {
    const played = await begun();
    assert.equal(conditionOf(played, 'Progressing'), 'True Servicing');
    assert.equal(conditionOf(played, 'Ready'), 'False Servicing');
    assert.equal(conditionOf(played, 'LiveUpdates'), 'True Servicing');
    const { start, end } = played.status.operationHistory?.service ?? {};
    assert.ok((start ?? '') !== '' && (end ?? null) === null);
    played.clock.advance(90_000);
    played.provisioners.answer('service', goesOn);
    const still = await played.round();
    assert.equal(wakeMs(still.wake), 10_000);
    await played.settle();
    assert.equal(played.status.operationalStatus, 'OK');
    assert.equal(conditionOf(played, 'Progressing'), 'False NotProgressing');
    assert.equal(conditionOf(played, 'Ready'), 'True Provisioned');
    assert.equal(conditionOf(played, 'LiveUpdates'), 'True NothingToChange');
    const times = played.status.operationHistory?.service;
    assert.deepEqual([times?.start, (times?.end ?? '') > (start ?? '')], [start, true]);
    assert.deepEqual(
      played.events.map(({ reason, message }) => `${reason}: ${message}`),
      [
        'ServicingStarted: Live update started: BIOS settings ProcVirtualization',
        'ServicingComplete: Live update completed: BIOS settings ProcVirtualization',
      ],
    );
    assert.deepEqual(played.counts, [
      { metric: 'service', labels: { result: 'completed' } },
      { metric: 'serviceDuration', seconds: 90 },
    ]);
  });

  it('under one name however often it is looked at, also by another process', async () => {
    const played = await begun();
    for (let look = 0; look < 3; look++) {
      played.provisioners.answer('service', goesOn);
      played.clock.advance(10_000);
      if (look > 0) played.forget();
      await played.round();
    }
    assert.equal(new Set(services(played).map(({ ticket }) => ticket)).size, 1);
  });

  it('where another process left it: the reboot that began it does not come on top', async () => {
    const played = await begun();
    played.annotate(once);
    played.forget();
    await played.settle();
    assert.deepEqual([annotationsIn(played), powers(played)], [[], []]);
    assert.equal(played.status.operationalStatus, 'OK');
  });

  it('and a reboot that is asked for meanwhile comes after it', async () => {
    const played = await begun();
    played.annotate(once);
    played.provisioners.answer('service', goesOn);
    await played.round();
    assert.deepEqual([annotationsIn(played), powers(played)], [[rebootOnce], []]);
    await played.settle();
    assert.deepEqual([annotationsIn(played), powers(played)], [[], ['off', 'on']]);
  });

  it('whatever power is seen meanwhile, which is not switched', async () => {
    const played = await begun();
    played.provisioners.machine('h1').isPoweredOn = false;
    played.provisioners.answer('service', goesOn);
    await played.round();
    assert.deepEqual(powers(played), []);
  });

  it('when its provisioner could not be asked in between, or said no to something else', async () => {
    const played = await begun();
    const breaks = [
      ['register', { kind: 'unavailable', message: 'down', afterMs: 1 }, 'servicing'],
      ['register', { kind: 'failed', message: 'the BMC is away' }, 'error'],
      ['adopt', { kind: 'failed', message: 'not now' }, 'error'],
    ] as const;
    for (const [method, outcome, operationalStatus] of breaks) {
      played.provisioners.answer(method, outcome);
      await played.round();
      assert.equal(played.status.operationalStatus, operationalStatus, method);
      played.provisioners.answer('service', goesOn);
      await played.round();
      assert.equal(played.status.operationalStatus, 'servicing', `after ${method}`);
    }
    // The update restarts BMCs itself: one that is away is asked for nothing but that.
    played.provisioners.answer('look', { kind: 'failed', message: 'no power' });
    played.provisioners.answer('service', goesOn);
    await played.round();
    assert.equal(played.status.operationalStatus, 'servicing', 'after look');
    await played.settle();
    assert.equal(played.status.operationalStatus, 'OK');
    assert.equal(new Set(services(played).map(({ ticket }) => ticket)).size, 1);
  });

  it('and tells updates to their companion only once they were made, in the order of what is wanted', async () => {
    const played = liveHost({ annotations: once });
    played.firmwareSettings = undefined;
    played.firmwareComponents = componentsOf([bios, bmc], [bmc]);
    played.provisioners.answer('service', started);
    await played.round();
    assert.deepEqual(played.firmwareComponents.status?.updates, [bmc], 'nothing is called made before it is');
    await played.settle();
    assert.deepEqual(played.firmwareComponents.status?.updates, [bios, bmc]);
    assert.equal(played.status.operationalStatus, 'OK');
    played.annotate(once);
    await played.settle();
    assert.equal(services(played).length, 2, 'what was made is not made again');
  });

  it('with what it was begun with: what is wanted by then waits for another reboot', async () => {
    const played = await begun();
    const machine = played.provisioners.machine('h1');
    machine.settings.ProcVirtualization = 'Enabled';
    played.firmwareSettings = settingsOf({ ...settings, AssetTag: 'b' }, machine.settings);
    played.firmwareComponents = componentsOf([bios]);
    const value = { settings, updates: [] };
    played.provisioners.answer('service', { kind: 'done', value: value as never });
    await played.settle();
    assert.equal(played.status.operationalStatus, 'OK');
    assert.deepEqual(played.firmwareComponents.status?.updates, []);
    assert.equal(conditionOf(played, 'LiveUpdates'), 'True WaitsForReboot');
  });
});

describe('a live update that fails', () => {
  it('is an error that names its cause, and is tried anew under another name after a growing while', async () => {
    const played = await begun();
    played.provisioners.answer('service', failed);
    const end = await played.round();
    assert.equal(played.status.operationalStatus, 'error');
    assert.equal(played.status.errorMessage, 'the BIOS said no');
    assert.equal(conditionOf(played, 'Ready'), 'False Error');
    assert.equal(conditionOf(played, 'Progressing'), 'False NotProgressing');
    assert.equal(conditionOf(played, 'LiveUpdates'), 'False Failed');
    assert.ok(wakeMs(end.wake) >= 60_000);
    assert.equal(played.reasons().at(-1), 'ServicingError');
    played.clock.advance(wakeMs(end.wake));
    await played.settle();
    assert.equal(played.status.operationalStatus, 'OK');
    assert.equal(played.status.errorCount, 0);
    assert.deepEqual(played.reasons().slice(-2), ['ServicingStarted', 'ServicingComplete']);
    const tickets = services(played).map(({ ticket }) => ticket);
    assert.deepEqual([tickets[0] === tickets[1], tickets[1] === tickets[2]], [true, false]);
  });

  it('grows its wait with every failure', async () => {
    const played = await broken();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      played.provisioners.answer('service', failed);
      const end = await played.round();
      waits.push(wakeMs(end.wake));
      played.clock.advance(wakeMs(end.wake));
    }
    assert.deepEqual(waits, [180_000, 360_000, 720_000]);
  });

  it('wants its updates again', async () => {
    const played = liveHost({ annotations: once });
    played.firmwareSettings = undefined;
    played.firmwareComponents = componentsOf([bios]);
    played.provisioners.answer('service', started, failed);
    await played.round();
    await played.round();
    assert.equal(played.status.errorType, 'servicing error');
    played.clock.advance(120_000);
    await played.settle();
    assert.deepEqual(
      services(played).map(({ updates }) => updates),
      [[bios], [bios], [bios]],
    );
    assert.equal(played.status.operationalStatus, 'OK');
  });

  it('says what was installed before, which is not wanted again', async () => {
    const played = liveHost({ annotations: once });
    played.firmwareSettings = undefined;
    played.firmwareComponents = componentsOf([bmc, bios]);
    const serviced = { settings: {}, updates: [bmc], left: { settings: {}, updates: [bios] } };
    played.provisioners.answer('service', started, {
      kind: 'failed',
      message: 'the image is broken',
      serviced,
    } as never);
    await played.round();
    await played.round();
    assert.equal(
      played.status.errorMessage,
      'the image is broken; BMC firmware was already installed; BIOS firmware was not installed',
    );
    assert.deepEqual(played.firmwareComponents?.status?.updates, [bmc]);
    played.clock.advance(120_000);
    played.provisioners.answer('service', started);
    await played.round();
    assert.deepEqual(services(played).at(-1)?.updates, [bios]);
  });

  it('because settings did not take effect says which', async () => {
    const played = await begun();
    const value = { settings, updates: [] };
    played.provisioners.answer('service', { kind: 'done', value: value as never });
    await played.round();
    assert.equal(played.status.errorType, 'servicing error');
    assert.match(played.status.errorMessage, /did not take effect: ProcVirtualization/);
  });

  it('is tried with what is wanted by then', async () => {
    const played = await broken();
    played.firmwareSettings = settingsOf({ AssetTag: 'c' }, played.provisioners.machine('h1').settings);
    await played.settle();
    assert.deepEqual(services(played).at(-1)?.settings, { AssetTag: 'c' });
    assert.equal(played.status.operationalStatus, 'OK');
  });

  it('is OK again without another attempt when nothing is left to change', async () => {
    const played = await broken();
    played.firmwareSettings = settingsOf(settings, settings);
    await played.settle();
    const { ticket: _, ...order } = services(played).at(-1) ?? {};
    assert.deepEqual(order, { isSpecified: true });
    assert.equal(played.status.operationalStatus, 'OK');
  });

  for (const [what, change] of [
    ['is held off', (played: PlayedHost) => played.annotate({ [heldOff]: '' })],
    ['is to be off', (played: PlayedHost) => played.edit({ online: false })],
  ] as const) {
    it(`does not keep a host from being switched off that ${what}, nor is it tried again then`, async () => {
      const played = await broken();
      const before = services(played).length;
      change(played);
      await played.settle();
      assert.deepEqual(powers(played), ['off']);
      assert.equal(services(played).length, before);
      assert.equal(played.status.errorType, 'servicing error');
      played.annotate({ [heldOff]: undefined });
      played.edit({ online: true });
      await played.settle();
      assert.equal(played.status.operationalStatus, 'OK');
    });
  }
});

const endings: readonly (readonly [string, (played: PlayedHost) => void])[] = [
  [
    'what it wants is emptied',
    (played) => {
      played.firmwareSettings = settingsOf({}, played.provisioners.machine('h1').settings);
      played.firmwareComponents = componentsOf([]);
    },
  ],
  [
    'what it wants is emptied and no controller has looked at that yet',
    (played) => {
      const has = played.provisioners.machine('h1').settings;
      played.firmwareSettings = settingsOf({}, has, { seenGeneration: 1 });
    },
  ],
  [
    'its policy is deleted',
    (played) => {
      played.updatePolicy = undefined;
    },
  ],
  [
    'its policy says onPreparing',
    (played) => {
      played.updatePolicy = policyOf({ firmwareSettings: 'onPreparing', firmwareUpdates: 'onReboot' });
    },
  ],
];

describe('a live update is given up', () => {
  for (const [what, end] of endings) {
    for (const [state, bring] of [
      ['under way', begun],
      ['failed', broken],
    ] as const) {
      it(`when ${what} while it is ${state}, and the host is OK again`, async () => {
        const played = await bring();
        end(played);
        played.provisioners.answer('service', goesOn);
        await played.round();
        assert.equal(conditionOf(played, 'Progressing'), 'True GivingUpService');
        assert.equal(played.status.operationalStatus, 'servicing');
        await played.settle();
        const { ticket: _, ...order } = services(played).at(-1) ?? {};
        assert.deepEqual(order, { isSpecified: false });
        assert.equal(played.status.operationalStatus, 'OK');
        assert.equal(played.status.errorType, undefined);
        assert.ok((played.status.operationHistory?.service?.end ?? null) !== null);
        assert.equal(played.reasons().at(-1), 'ServicingAborted');
        assert.deepEqual(played.counts.find(({ labels }) => labels?.result === 'aborted')?.metric, 'service');
        assert.deepEqual(powers(played), []);
      });
    }
  }

  it('when the updates that it began for are emptied, whatever settings stay specified that are in force', async () => {
    const played = liveHost({ annotations: once });
    const { settings: has } = played.provisioners.machine('h1');
    played.firmwareSettings = settingsOf({ ...has }, has);
    played.firmwareComponents = componentsOf([bios]);
    played.provisioners.answer('service', started, goesOn);
    await played.round();
    await played.round();
    assert.equal(conditionOf(played, 'Progressing'), 'True Servicing');
    played.firmwareComponents = componentsOf([]);
    await played.settle();
    assert.deepEqual(services(played).at(-1)?.isSpecified, false);
    assert.equal(played.status.operationalStatus, 'OK');
    assert.equal(played.events.at(-1)?.message, 'Live update aborted: spec cleared; nothing was changed');
  });

  it('when a host is deleted that something else installed, before it is switched off', async () => {
    const status = statusIn('externally provisioned');
    const played = await begun({ spec: { externallyProvisioned: true }, status });
    Object.assign(played.provisioners, { worksByConditions: true });
    played.delete();
    played.provisioners.answer('service', goesOn);
    await played.round();
    assert.deepEqual([played.state, powers(played)], ['powering off before delete', []]);
    assert.deepEqual(services(played).at(-1), { ticket: '', isSpecified: false });
    assert.ok(played.reasons().includes('ServicingAborted'));
    await played.round();
    assert.deepEqual([powers(played), played.host.metadata.finalizers], [['off'], []]);
  });

  /** A host whose firmware is being written, and whose provisioner has made it by the time it is asked to give up. */
  async function flashed(): Promise<PlayedHost> {
    const played = liveHost({ annotations: once });
    played.firmwareSettings = undefined;
    played.firmwareComponents = componentsOf([bios, bmc], [bmc]);
    played.provisioners.answer('service', started);
    await played.round();
    assert.equal(played.status.operationalStatus, 'servicing');
    played.provisioners.answer('service', goesOn, { kind: 'done', value: { settings: {}, updates: [bios] } as never });
    return played;
  }

  it('and what was written all the same is told to its companion, so that no reboot writes it again', async () => {
    const played = await flashed();
    const policy = played.updatePolicy;
    played.updatePolicy = undefined;
    await played.round();
    assert.deepEqual(played.firmwareComponents?.status?.updates, [bmc], 'nothing is called made before it is');
    await played.settle();
    assert.deepEqual(played.firmwareComponents?.status?.updates, [bios, bmc]);
    const why = 'no HostUpdatePolicy allows what is specified';
    const said = `Live update aborted: ${why}; BIOS firmware was already installed`;
    assert.equal(played.events.at(-1)?.message, said);
    const before = services(played).length;
    played.updatePolicy = policy;
    played.clock.advance(1000);
    played.annotate(once);
    await played.settle();
    assert.deepEqual([services(played).length, powers(played)], [before, ['off', 'on']]);
  });

  it('and says what was installed, with its version, and what was not', async () => {
    const played = liveHost({ annotations: once });
    played.firmwareComponents = componentsOf([bmc, bios]);
    played.provisioners.answer('service', started);
    await played.round();
    const serviced = { settings: {}, updates: [bmc], left: { settings, updates: [bios] } };
    played.provisioners.answer('service', { kind: 'done', value: serviced as never });
    played.firmwareSettings = settingsOf({}, { ProcVirtualization: 'Disabled' });
    played.firmwareComponents = componentsOf([]);
    const refresh = played.onRefresh;
    played.onRefresh = () => {
      refresh?.();
      const { status } = played.firmwareComponents ?? assert.fail();
      const components = [{ component: 'bmc', initialVersion: '7.00', currentVersion: '7.10.50.00' }];
      played.firmwareComponents = { ...componentsOf([]), status: { ...status, components } };
    };
    await played.settle();
    const { reason, message } = played.events.at(-1) ?? {};
    assert.equal(reason, 'ServicingAborted');
    assert.equal(
      message,
      'Live update aborted: spec cleared; BMC firmware 7.10.50.00 was already installed; BIOS firmware was not installed; BIOS setting ProcVirtualization was not set',
    );
  });

  it('before its host is detached, and what was written all the same is not written again after that', async () => {
    const played = await flashed();
    played.annotate({ [detached]: '' });
    await played.round();
    assert.equal(conditionOf(played, 'LiveUpdates'), 'True GivingUp');
    assert.ok(!played.provisioners.methods().includes('detach'), 'it is not let go of in the middle');
    await played.settle();
    assert.equal(played.status.operationalStatus, 'detached');
    assert.deepEqual(played.firmwareComponents?.status?.updates, [bios, bmc]);
    const { reason, message } = played.events.at(-1) ?? {};
    assert.deepEqual(
      [reason, /to be detached; BIOS firmware was already installed$/.test(message ?? '')],
      ['ServicingAborted', true],
    );
    const before = services(played).length;
    played.annotate({ [detached]: undefined, ...once });
    played.clock.advance(1000);
    await played.settle();
    assert.deepEqual([services(played).length, powers(played)], [before, ['off', 'on']]);
  });

  it('before its host is deprovisioned, and says what was installed', async () => {
    const played = await flashed();
    played.edit({ image: undefined as never });
    await played.round();
    assert.equal(conditionOf(played, 'LiveUpdates'), 'True GivingUp');
    assert.ok(!played.provisioners.methods().includes('deprovision'), 'it is not wiped in the middle');
    await played.settle();
    assert.equal(played.state, 'available');
    assert.deepEqual(
      played.events.filter(({ reason }) => reason === 'ServicingAborted').map(({ message }) => message),
      ['Live update aborted: the host is to be deprovisioned; BIOS firmware was already installed'],
    );
  });

  it('and a host that was shut down for it is not switched on to be deprovisioned', async () => {
    const played = await begun();
    played.provisioners.machine('h1').isPoweredOn = false;
    played.edit({ image: undefined as never });
    played.provisioners.answer('deprovision', started);
    await played.settle();
    assert.deepEqual([played.state, powers(played)], ['deprovisioning', []]);
  });

  for (const outcome of [failed, { kind: 'unregistered' }] as const) {
    it(`as far as it can be where its host is deprovisioned: ${outcome.kind} does not keep it`, async () => {
      const played = await begun();
      played.edit({ image: undefined as never });
      played.provisioners.answer('service', outcome);
      played.provisioners.answer('deprovision', started);
      await played.settle();
      assert.deepEqual([played.state, played.status.errorType], ['deprovisioning', undefined]);
      const { message } = played.events.find(({ reason }) => reason === 'ServicingAborted') ?? {};
      assert.match(message ?? '', /what was installed by then is not known$/);
    });
  }

  it('for good where the wish to detach its host is taken back before that has ended', async () => {
    const played = await begun();
    played.annotate({ [detached]: '' });
    played.provisioners.answer('service', goesOn);
    await played.round();
    played.annotate({ [detached]: undefined });
    await played.settle();
    assert.ok(!played.provisioners.methods().includes('detach'));
    assert.deepEqual([played.status.operationalStatus, services(played).at(-1)?.isSpecified], ['OK', false]);
  });

  it('and a host that was shut down for it is switched on, as it is to be', async () => {
    const played = await begun();
    played.provisioners.machine('h1').isPoweredOn = false;
    played.updatePolicy = undefined;
    await played.settle();
    assert.deepEqual([played.status.operationalStatus, played.status.poweredOn, powers(played)], ['OK', true, ['on']]);
  });

  it('and a host that was shut down for it is on before it is detached', async () => {
    const played = await begun();
    played.provisioners.machine('h1').isPoweredOn = false;
    played.provisioners.answer('service', goesOn);
    await played.round();
    assert.equal(played.status.poweredOn, false);
    played.annotate({ [detached]: '' });
    played.provisioners.answer('setPower', started);
    await played.round();
    assert.ok(!played.provisioners.methods().includes('detach'), 'it is not let go of while it is off');
    played.forget();
    await played.settle();
    assert.deepEqual([played.status.operationalStatus, played.status.poweredOn], ['detached', true]);
    assert.deepEqual(
      [played.provisioners.machine('h1').isPoweredOn, powers(played), played.provisioners.methods().at(-1)],
      [true, ['on', 'on'], 'detach'],
    );
  });

  for (const [what, change] of [
    ['is to be off', (played: PlayedHost) => played.edit({ online: false })],
    ['somebody holds off', (played: PlayedHost) => played.annotate({ [heldOff]: '' })],
  ] as const) {
    it(`and a host that ${what} is detached as it is`, async () => {
      const played = await begun();
      played.provisioners.machine('h1').isPoweredOn = false;
      change(played);
      played.annotate({ [detached]: '' });
      await played.settle();
      assert.deepEqual([played.status.operationalStatus, powers(played)], ['detached', []]);
    });
  }

  for (const [method, outcome] of [
    ['look', failed],
    ['setPower', failed],
    ['setPower', { kind: 'unregistered' }],
  ] as const) {
    it(`and a host that cannot be switched on is detached all the same: ${method} is ${outcome.kind}`, async () => {
      const played = await begun();
      played.provisioners.machine('h1').isPoweredOn = false;
      played.annotate({ [detached]: '' });
      played.provisioners.answer(method, outcome);
      await played.settle();
      assert.deepEqual([played.status.operationalStatus, played.status.errorType], ['detached', undefined]);
    });
  }

  for (const outcome of [failed, { kind: 'unregistered' }] as const) {
    it(`as far as it can be where its host is detached: ${outcome.kind} does not keep it`, async () => {
      const played = await begun();
      played.annotate({ [detached]: '' });
      played.provisioners.answer('service', outcome);
      await played.settle();
      assert.deepEqual([played.status.operationalStatus, played.status.errorType], ['detached', undefined]);
      assert.equal(played.reasons().at(-1), 'ServicingAborted');
    });
  }

  it('for good, also when all of it is wanted again before that has ended', async () => {
    const played = await begun();
    const policy = played.updatePolicy;
    played.updatePolicy = undefined;
    played.provisioners.answer('service', goesOn);
    await played.round();
    played.updatePolicy = policy;
    for (const outcome of [goesOn, { kind: 'failed', message: 'no abort' } as const, goesOn]) {
      played.provisioners.answer('service', outcome);
      played.forget();
      await played.round();
      assert.equal(services(played).at(-1)?.isSpecified, false);
    }
    await played.settle();
    assert.equal(played.status.operationalStatus, 'OK');
    assert.equal(conditionOf(played, 'LiveUpdates'), 'True WaitsForReboot');
  });

  const closed = ({ operationHistory }: BareMetalHostStatus) => (operationHistory?.service?.end ?? null) !== null;
  const phases: readonly (readonly [string, () => Promise<PlayedHost>])[] = [
    ['is under way', () => begun()],
    ['has failed', broken],
    [
      'is given up',
      async () => {
        const played = await begun();
        played.updatePolicy = undefined;
        played.provisioners.answer('service', goesOn);
        await played.round();
        return played;
      },
    ],
  ];
  for (const [what, bring] of phases) {
    it(`when the host is deleted while it ${what}`, async () => {
      const played = await bring();
      const before = services(played).length;
      played.delete();
      await played.round();
      for (let round = 0; round < 5; round++) await played.round();
      assert.equal(services(played).length, before);
      assert.ok(played.provisioners.methods().includes('deprovision'), 'its provisioner ends what is under way');
      assert.ok(closed(played.status));
      assert.ok(played.reasons().includes('ServicingAborted'));
      assert.deepEqual(played.host.metadata.finalizers, []);
    });

    it(`when the host is deprovisioned while it ${what}`, async () => {
      const played = await bring();
      played.edit({ image: undefined as never });
      played.provisioners.answer('deprovision', started);
      await played.settle();
      assert.deepEqual([played.state, closed(played.status)], ['deprovisioning', true]);
      assert.equal(played.status.operationalStatus, 'OK');
      assert.equal(conditionOf(played, 'Progressing'), 'True Deprovisioning');
    });

    it(`when the host is detached by force while it ${what}, and not gone on with when it is taken back`, async () => {
      const played = await bring();
      const before = services(played).length;
      played.annotate({ [detached]: '{"force":true}' });
      await played.round();
      assert.deepEqual([played.status.operationalStatus, closed(played.status)], ['detached', true]);
      played.annotate({ [detached]: undefined });
      await played.settle();
      assert.equal(services(played).length, before);
      assert.equal(played.status.operationalStatus, 'OK');
    });

    it(`by its provisioner when the host is detached while it ${what}, and not gone on with either`, async () => {
      const played = await bring();
      played.annotate({ [detached]: '' });
      await played.settle();
      assert.deepEqual([played.status.operationalStatus, closed(played.status)], ['detached', true]);
      assert.equal(services(played).at(-1)?.isSpecified, false);
      assert.deepEqual(played.provisioners.methods().slice(-3), ['service', 'look', 'detach']);
      const before = services(played).length;
      played.annotate({ [detached]: undefined });
      await played.settle();
      assert.equal(services(played).length, before);
      assert.equal(played.status.operationalStatus, 'OK');
    });
  }
});
