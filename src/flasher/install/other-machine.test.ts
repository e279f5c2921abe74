import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalityNames } from '../../../simulator/index.ts';
import { flasherHandlers } from '../create-flasher.ts';
import { isFlasherError } from '../errors.ts';
import { leaseWork, storeWork } from '../testing/fake-work.ts';
import { type FlasherRig, otherMachine, type ProcessEnd, startFlasherRig } from '../testing/flasher-rig.ts';
import { createMortal, type Mortal } from '../testing/mortal.ts';

/** What a process asked a BMC to do; logging in and reading are nothing of it. */
function writesOf({ moments }: Mortal): readonly string[] {
  return moments.filter((what) => /^(?:POST|PATCH|PUT|DELETE) /.test(what));
}

/** What came in at the BMC to be written. */
function sentTo({ machine }: FlasherRig): readonly string[] {
  return machine.log.events.map(({ event }) => event).filter((event) => /^(?:update|power)\./.test(event));
}

function assertRefused(rig: FlasherRig, end: ProcessEnd): void {
  assert.ok(end.outcome === 'failed', JSON.stringify(end));
  const { code, message } = end.reason;
  assert.equal(code, 'OtherMachine', message);
  const { uuid = '', serial = '' } = rig.known;
  const told = [
    'http://',
    uuid.toLowerCase(),
    serial,
    otherMachine.uuid,
    otherMachine.serial,
    'nothing is sent',
    'give the server',
  ];
  for (const part of told) assert.ok(message.includes(part), `${part} is not in: ${message}`);
  assert.equal(end.status?.step, 'failed');
  assert.match(String(end.status?.message), /another machine/);
}

for (const personality of personalityNames) {
  test(`${personality}: an address that another machine answers gets no image, and no restart`, async (context) => {
    const rig = await startFlasherRig(context, personality, { arePoweredOn: false });
    const order = rig.order({ firmwares: [await rig.release('bmc'), await rig.release('bios')] });
    rig.putOtherMachine();
    const mortal = createMortal();
    assertRefused(rig, await rig.process(order, { mortal }));
    assert.deepEqual([writesOf(mortal), sentTo(rig), rig.flashes()], [[], [], []]);
  });
}

for (const state of ['fetching', 'marking'] as const) {
  test(`a machine that takes over the address at ${state}, before the image is sent, gets none`, async (context) => {
    const rig = await startFlasherRig(context, 'dell-idrac9');
    const order = rig.order({ firmwares: [await rig.release('bios')] });
    const mortal = createMortal((what) => {
      if (what === `stored ${state}`) rig.putOtherMachine();
      return false;
    });
    const end = await rig.process(order, { mortal, onLease: waitForSlot });
    assertRefused(rig, end);
    assert.deepEqual([writesOf(mortal), rig.flashes()], [[], []]);
  });
}

/** Others send their images first, so that what was seen before is long ago. */
function waitForSlot(work: ReturnType<typeof leaseWork>): void {
  const { acquireSlot } = work;
  Object.assign(work, {
    async acquireSlot(name: 'upload') {
      await work.pause(60_000);
      return acquireSlot(name);
    },
  });
}

for (const when of ['before', 'after'] as const) {
  test(`an install that died right ${when} the image was sent does not go on on another machine`, async (context) => {
    const rig = await startFlasherRig(context, 'supermicro-x12');
    const order = rig.order({ firmwares: [await rig.release('bios')] });
    let isSending = false;
    const first = createMortal((what) => {
      isSending ||= what === 'stored sending';
      return isSending && (when === 'before' || what.startsWith('POST '));
    });
    assert.equal((await rig.process(order, { mortal: first })).outcome, 'killed');
    rig.putOtherMachine();
    const before = sentTo(rig).length;
    const second = createMortal();
    assertRefused(rig, await rig.process(order, { mortal: second }));
    assert.deepEqual(writesOf(second), []);
    assert.deepEqual(
      sentTo(rig)
        .slice(before)
        .filter((event) => /accepted|refused|reset/.test(event)),
      [],
    );
  });
}

test('a scan of another machine is not handed on', async (context) => {
  const rig = await startFlasherRig(context, 'hpe-ilo5');
  rig.putOtherMachine();
  const written: unknown[] = [];
  await rig.within(async (base) => {
    const inventorySink = { write: async (report: unknown) => void written.push(report) };
    const handler = flasherHandlers({ ...base, inventorySink }).inventoryOOB ?? assert.fail('no handler');
    const stored = storeWork({ kind: 'inventoryOOB', parameters: {} });
    const scan = async () => handler(leaseWork(stored, { mortal: createMortal(), clock: base.clock }));
    await assert.rejects(scan, (error) => isFlasherError(error, 'otherMachine') && error.retry === 'blocked');
  });
  assert.deepEqual(written, []);
});

const same: readonly (readonly [string, (rig: FlasherRig) => void])[] = [
  [
    'whose UUID the inventory has with its first fields byte-swapped',
    (rig) => {
      const [low = '', mid = '', high = '', ...rest] = rig.machine.hardware.uuid.split('-');
      const swapped = [low, mid, high].map((field) => field.match(/../g)?.reverse().join('') ?? '');
      rig.known = { uuid: [...swapped, ...rest].join('-').toUpperCase() };
    },
  ],
  [
    'that tells placeholders',
    (rig) => {
      const uuid = '00000000-0000-0000-0000-000000000000';
      Object.assign(rig.machine.hardware, { uuid, serial: 'To be filled by O.E.M.' });
    },
  ],
  [
    'of which placeholders are known',
    (rig) => {
      rig.known = { uuid: 'ffffffff-ffff-ffff-ffff-ffffffffffff', serial: 'Not Specified' };
    },
  ],
  [
    'of which nothing is known',
    (rig) => {
      rig.known = {};
    },
  ],
];
for (const [what, change] of same) {
  test(`a machine ${what} is worked on`, async (context) => {
    const rig = await startFlasherRig(context, 'lenovo-xcc');
    const bios = await rig.release('bios');
    change(rig);
    const end = await rig.process(rig.order({ firmwares: [bios] }));
    assert.equal(end.outcome, 'succeeded', JSON.stringify(end));
    assert.equal(rig.versionOf('bios'), bios.version);
  });
}

test('a board that was swapped is worked on once the inventory knows it', async (context) => {
  const rig = await startFlasherRig(context, 'openbmc');
  const bios = await rig.release('bios');
  rig.putOtherMachine();
  assertRefused(rig, await rig.process(rig.order({ firmwares: [bios] })));
  rig.known = { uuid: otherMachine.uuid, serial: otherMachine.serial };
  const end = await rig.process(rig.order({ firmwares: [bios] }));
  assert.equal(end.outcome, 'succeeded', JSON.stringify(end));
  assert.equal(rig.versionOf('bios'), bios.version);
});
