import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PersonalityName, personalityNames } from '../../../simulator/index.ts';
import type { JsonObject } from '../../engine/index.ts';
import { type FlasherRig, type ProcessEnd, startFlasherRig } from '../testing/flasher-rig.ts';
import { createMortal } from '../testing/mortal.ts';

function succeeded(end: ProcessEnd, rig: FlasherRig): JsonObject {
  assert.equal(end.outcome, 'succeeded', `${JSON.stringify(end, null, 1)}\n${rig.machine.log.text()}`);
  return 'status' in end ? (end.status ?? {}) : {};
}

function failed(end: ProcessEnd, rig: FlasherRig): { readonly code: string; readonly message: string } {
  assert.ok(end.outcome === 'failed', `${JSON.stringify(end, null, 1)}\n${rig.machine.log.text()}`);
  return end.reason;
}

function actionsOf(status: JsonObject): string[] {
  const actions = status.actions as { component: string; state: string }[];
  return actions.map(({ component, state }) => `${component} ${state}`);
}

/** What changed the server, in order. */
function disruptions(rig: FlasherRig): string[] {
  return rig.machine.log.events
    .filter(({ event }) => /^(?:update\.(?:flash-begin|accepted)|power\.|manager\.reset|boot\.set)/.test(event))
    .map(({ event, detail }) => `${event} ${detail}`);
}

for (const personality of personalityNames) {
  test(`${personality}: BMC, BIOS and NIC are installed once each, in order, and verified`, async (context) => {
    const rig = await startFlasherRig(context, personality);
    const firmwares = [await rig.release('nic'), await rig.release('bios'), await rig.release('bmc')];
    const order = rig.order({ firmwares });
    const status = succeeded(await rig.process(order), rig);
    assert.deepEqual(actionsOf(status), ['bmc succeeded', 'bios succeeded', 'nic succeeded']);
    assert.equal(status.percent, 100);
    for (const { component, version } of firmwares) assert.equal(rig.versionOf(component), version);
    assert.equal(new Set(rig.flashes()).size, rig.flashes().length, rig.flashes().join());
    const percents = order.statuses.map(({ percent }) => Number(percent));
    assert.deepEqual(
      percents,
      percents.toSorted((a, b) => a - b),
      'progress never goes back',
    );
    assert.ok(order.statuses.every(({ records }) => Array.isArray(records) && records.length <= 5));
  });
}

test('what is current is left out and the rest is still installed, also when it became current after the plan', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const current = rig.versionOf('bmc');
  assert.ok(current);
  const firmwares = [await rig.release('bmc', { version: current }), await rig.release('bios')];
  const status = succeeded(await rig.process(rig.order({ firmwares })), rig);
  assert.deepEqual(actionsOf(status), ['bios succeeded']);
  assert.equal((status.skipped as JsonObject[])[0]?.why, 'current');
});

test('who is done logs out at once, and leaves no session to time out', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const current = rig.versionOf('bmc');
  assert.ok(current);
  succeeded(await rig.process(rig.order({ firmwares: [await rig.release('bmc', { version: current })] })), rig);
  const sessions = () => rig.machine.log.events.filter(({ event }) => event.startsWith('session.'));
  // Nobody waits for it; an idle gate of this rig would log out after days.
  for (let turns = 0; turns < 5000 && sessions().length < 2; turns += 1) await new Promise(setImmediate);
  assert.deepEqual(
    sessions().map(({ event }) => event),
    ['session.open', 'session.close'],
  );
});

test('an action that turns out to be current does not end the install', async (context) => {
  const rig = await startFlasherRig(context, 'lenovo-xcc');
  const [bios, nic] = [await rig.release('bios'), await rig.release('nic')];
  succeeded(await rig.process(rig.order({ firmwares: [bios] })), rig);
  // As if somebody had installed it between the plan and its turn: the plan is of before.
  const order = rig.order({ firmwares: [bios, nic] });
  const stale = { ...bios, id: 'planned-before' };
  order.progress = {
    format: 1,
    state: 'closing',
    since: 0,
    at: 0,
    skipped: [],
    powerBefore: 'on',
    records: [{ ts: '', msg: 'planned' }],
    actions: [stale, stale, nic].map((firmware, at) => ({
      firmware,
      component: at === 2 ? 'nic' : 'bios',
      slots: [{ slot: at === 2 ? 'Ob_1.Bundle' : 'UEFI', uri: '', version: 'old' }],
      state: at === 0 ? 'succeeded' : 'pending',
      message: '',
      attempts: 0,
      sends: 0,
      cures: [],
      warnings: [],
    })) as unknown as JsonObject[],
  };
  const status = succeeded(await rig.process(order), rig);
  assert.deepEqual(actionsOf(status), ['bios succeeded', 'bios succeeded', 'nic succeeded']);
  assert.equal(rig.versionOf('nic'), nic.version);
});

test('an install of what is installed already succeeds, says so, and touches nothing', async (context) => {
  const rig = await startFlasherRig(context, 'hpe-ilo5');
  const version = rig.versionOf('bios');
  assert.ok(version);
  const status = succeeded(await rig.process(rig.order({ firmwares: [await rig.release('bios', { version })] })), rig);
  assert.equal(status.message, 'nothing to install: 1 installed already');
  assert.equal(status.result, 'already-installed');
  assert.deepEqual(disruptions(rig), []);
});

test('force installs what is current', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const version = rig.versionOf('bios');
  assert.ok(version);
  const firmwares = [await rig.release('bios', { version })];
  const status = succeeded(await rig.process(rig.order({ firmwares, isForced: true })), rig);
  assert.deepEqual(actionsOf(status), ['bios succeeded']);
  assert.equal(rig.flashes().length, 1);
});

const driveModels: Readonly<Record<PersonalityName, string>> = {
  'dell-idrac9': 'ST2400MM0159',
  'hpe-ilo5': 'ST2400MM0159',
  'hpe-ilo6': 'KCD61LUL3T84',
  'lenovo-xcc': 'ST2400MM0159',
  'supermicro-x12': 'KCD61LUL3T84',
  openbmc: 'KCD61LUL3T84',
};

for (const personality of personalityNames) {
  test(`${personality}: several parts of one kind get the image together, and each of them is verified`, async (context) => {
    const rig = await startFlasherRig(context, personality);
    const drive = await rig.release('drive', { models: [driveModels[personality]] });
    const { softwareIds: _, ...byModel } = drive;
    const status = succeeded(await rig.process(rig.order({ firmwares: [byModel] })), rig);
    const [action] = status.actions as { slots: string[] }[];
    assert.equal(action?.slots.length, 8);
    const versions = rig.machine.firmware.filter(({ component }) => component === 'drive').map((slot) => slot.version);
    assert.deepEqual([...new Set(versions)], [drive.version]);
    assert.equal(new Set(rig.flashes()).size, 8);
  });
}

test('of several parts only those that are behind are written, where the BMC can be told which', async (context) => {
  const rig = await startFlasherRig(context, 'supermicro-x12');
  const drive = await rig.release('drive', { models: ['KCD61LUL3T84'] });
  const drives = rig.machine.firmware.filter(({ component }) => component === 'drive');
  for (const one of drives.slice(2)) one.version = drive.version;
  succeeded(await rig.process(rig.order({ firmwares: [drive] })), rig);
  assert.deepEqual(
    rig.flashes().toSorted(),
    drives
      .slice(0, 2)
      .map(({ slot }) => slot)
      .toSorted(),
  );
});

test('a BMC that writes one of several parts gets the image again for the others', async (context) => {
  const rig = await startFlasherRig(context, 'supermicro-x12');
  const drive = await rig.release('drive', { models: ['KCD61LUL3T84'] });
  const drives = rig.machine.firmware.filter(({ component }) => component === 'drive');
  const before = drives[0]?.version ?? '';
  let rounds = 0;
  const mortal = createMortal();
  const { moment } = mortal;
  const watched = {
    ...mortal,
    moment(what: string) {
      moment(what);
      // As if each round had written two of them: more rounds than there are attempts.
      if (what !== 'stored verifying') return;
      rounds += 1;
      for (const one of drives.slice(2 * rounds)) one.version = before;
    },
  };
  const status = succeeded(await rig.process(rig.order({ firmwares: [drive] }), { mortal: watched }), rig);
  assert.deepEqual(actionsOf(status), ['drive succeeded']);
  assert.ok(rounds >= 4, String(rounds));
  assert.ok(drives.every(({ version }) => version === drive.version));
});

test('an image for one of several parts of a kind is verified by that part alone', async (context) => {
  const rig = await startFlasherRig(context, 'openbmc');
  const cpld = await rig.release('cpld', { models: ['MB CPLD'] });
  const others = rig.machine.firmware.filter(({ component }) => component === 'cpld').slice(1);
  const before = others.map(({ version }) => version);
  const status = succeeded(await rig.process(rig.order({ firmwares: [cpld] })), rig);
  assert.deepEqual(actionsOf(status), ['cpld succeeded']);
  assert.equal(rig.versionOf('cpld'), cpld.version);
  assert.deepEqual(
    others.map(({ version }) => version),
    before,
  );
});

test('what is older than what is installed is installed with a word about it, or not at all', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const older = await rig.release('bios', { version: '2.1.6' });
  const before = rig.versionOf('bios');
  const refused = succeeded(await rig.process(rig.order({ firmwares: [older], mayGoBack: false })), rig);
  assert.equal((refused.skipped as JsonObject[])[0]?.why, 'older');
  assert.deepEqual(disruptions(rig), []);
  const order = rig.order({ firmwares: [older] });
  const status = succeeded(await rig.process(order), rig);
  assert.equal(rig.versionOf('bios'), '2.1.6');
  const [action] = status.actions as { downgrade: boolean; warnings: string[] }[];
  assert.equal(action?.downgrade, true);
  assert.match(action?.warnings[0] ?? '', new RegExp(`older than what .* has \\(${before}\\)`));
  assert.ok(order.statuses.some(({ message }) => /bios 2\.1\.6 \(a step back/.test(String(message))));
});

test('a dry run logs in, plans and fetches, and changes nothing', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9', { arePoweredOn: false });
  const firmwares = [await rig.release('bmc'), await rig.release('bios')];
  const order = rig.order({ firmwares, isDryRun: true, doesResetBmcFirst: true });
  const status = succeeded(await rig.process(order), rig);
  assert.deepEqual(actionsOf(status), ['bmc succeeded', 'bios succeeded']);
  assert.match(JSON.stringify(status), /dry run/);
  assert.deepEqual(disruptions(rig), []);
});

for (const arePoweredOn of [true, false]) {
  const state = arePoweredOn ? 'on' : 'off';
  for (const personality of ['dell-idrac9', 'openbmc'] as const) {
    test(`${personality}: a host that was ${state} is ${state} in the end`, async (context) => {
      const rig = await startFlasherRig(context, personality, { arePoweredOn });
      const status = succeeded(await rig.process(rig.order({ firmwares: [await rig.release('bios')] })), rig);
      assert.equal(rig.machine.power.state.toLowerCase(), state);
      assert.equal(status.powered_on, !arePoweredOn);
    });
  }
}

test('a host that must be off and is on is not touched', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const order = rig.order({ firmwares: [await rig.release('bios')], mustHostBeOff: true });
  assert.equal(failed(await rig.process(order), rig).code, 'HostIsOn');
  assert.deepEqual(disruptions(rig), []);
});

test('a host that must be off and is off is used and switched off again', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9', { arePoweredOn: false });
  const firmwares = [await rig.release('bios')];
  succeeded(await rig.process(rig.order({ firmwares, mustHostBeOff: true })), rig);
  assert.equal(rig.machine.power.state.toLowerCase(), 'off');
});

test('the BMC is restarted first where that is asked for, once for all images', async (context) => {
  const rig = await startFlasherRig(context, 'hpe-ilo6');
  const firmwares = [await rig.release('bios'), await rig.release('nic')];
  succeeded(await rig.process(rig.order({ firmwares, doesResetBmcFirst: true })), rig);
  const resets = rig.machine.log.events.filter(({ event }) => event === 'manager.reset');
  assert.equal(resets.length, 1, rig.machine.log.text());
});

test('images that contradict each other are refused before anything is touched', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9', { arePoweredOn: true });
  const firmwares = [await rig.release('bios'), await rig.release('bios', { id: 'other', version: '2.0.0' })];
  const { code, message } = failed(await rig.process(rig.order({ firmwares })), rig);
  assert.equal(code, 'BadPlan');
  assert.match(message, /cannot get both/);
  assert.deepEqual(disruptions(rig), []);
});

test('an image that is not what its checksum says is not sent, and what comes after it is not started (security.md: attacker-with-catalogue)', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const bmc = await rig.release('bmc', { checksum: 'f'.repeat(64) });
  const end = await rig.process(rig.order({ firmwares: [bmc, await rig.release('bios')] }));
  assert.equal(failed(end, rig).code, 'DigestMismatch');
  assert.deepEqual(actionsOf(('status' in end ? end.status : {}) ?? {}), ['bmc failed', 'bios not-started']);
  assert.deepEqual(rig.flashes(), []);
});

test('an updater that is stuck is freed by a restart of the BMC, once, and the image is sent again', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const firmware = await rig.release('bios');
  rig.setFaults([{ kind: 'task-completed-critical', times: 1 }]);
  const status = succeeded(await rig.process(rig.order({ firmwares: [firmware] })), rig);
  const [action] = status.actions as { attempts: number }[];
  assert.equal(action?.attempts, 2);
  const resets = rig.machine.log.events.filter(({ event }) => event === 'manager.reset');
  assert.equal(resets.length, 1, rig.machine.log.text());
});

test('an updater that stays stuck is given up after a bounded number of attempts', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const firmware = await rig.release('bios');
  rig.setFaults([{ kind: 'task-completed-critical' }]);
  const end = await rig.process(rig.order({ firmwares: [firmware] }));
  assert.equal(failed(end, rig).code, 'TaskFailed');
  const accepted = rig.machine.log.events.filter(({ event }) => event === 'update.accepted');
  assert.equal(accepted.length, 3, rig.machine.log.text());
});

test('a BMC that is busy for ever is given up, and nothing was sent to it', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const firmware = await rig.release('bios');
  rig.setFaults([{ kind: 'busy' }]);
  assert.equal(failed(await rig.process(rig.order({ firmwares: [firmware] })), rig).code, 'Busy');
  assert.deepEqual(disruptions(rig), []);
});

test('credentials that are refused end an install at once, and the account is not locked', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const firmware = await rig.release('bios');
  rig.machine.accounts.change(rig.machine.accounts.username, { password: 'changed-by-somebody' });
  const { code, message } = failed(await rig.process(rig.order({ firmwares: [firmware] })), rig);
  assert.equal(code, 'Credentials');
  assert.doesNotMatch(message, /changed-by-somebody/);
  assert.ok(!rig.machine.log.events.some(({ event }) => event === 'account.locked'));
});
