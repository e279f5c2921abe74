import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../engine/index.ts';
import type { Firmware } from '../plan/firmware.ts';
import { type FlasherRig, type ProcessEnd, startFlasherRig } from '../testing/flasher-rig.ts';

/** Every write that the BMC got, but for sessions. */
function writes(rig: FlasherRig): string[] {
  return rig.machine.log.events
    .filter(({ event }) => /^(?:update\.|power\.|manager\.|boot\.)/.test(event))
    .map(({ event, detail }) => `${event} ${detail}`);
}

function statusOf(end: ProcessEnd): JsonObject {
  assert.ok('status' in end && end.status !== undefined, JSON.stringify(end));
  return end.status;
}

const dellSet = async (rig: FlasherRig): Promise<Firmware[]> => {
  const components = ['bmc', 'bios', 'nic', 'drive', 'storage-controller'] as const;
  const images = await Promise.all(components.map((component) => rig.release(component)));
  return images.map((image) => ({ ...image, vendor: 'dell', models: ['PowerEdge R640'], softwareIds: [] }));
};

for (const arePoweredOn of [true, false]) {
  test(`a set for another vendor fails by name and leaves a host that is ${arePoweredOn ? 'on' : 'off'} untouched`, async (context) => {
    const rig = await startFlasherRig(context, 'hpe-ilo5', { arePoweredOn });
    const before = writes(rig);
    const firmwares = await dellSet(rig);
    const end = await rig.process(rig.order({ firmwares, doesResetBmcFirst: true }));
    assert.ok(end.outcome === 'failed', JSON.stringify(end));
    assert.equal(end.reason.code, 'NothingFits');
    assert.match(end.reason.message, /nothing.* can be installed .*bmc .* is for dell; this server is of HPE/);
    const status = statusOf(end);
    assert.equal(status.result, 'nothing-fits');
    assert.deepEqual(status.counts, { requested: 5, installed: 0, already_installed: 0, skipped: 5, failed: 0 });
    assert.equal((status.skipped as JsonObject[]).length, 5);
    assert.equal(status.powered_on, false);
    assert.deepEqual(writes(rig), before);
    assert.deepEqual(rig.flashes(), []);
  });
}

test('a host that is off stays off when all is installed already, which is a success that says so', async (context) => {
  const rig = await startFlasherRig(context, 'hpe-ilo5', { arePoweredOn: false });
  const before = writes(rig);
  const version = rig.versionOf('bios');
  assert.ok(version);
  const end = await rig.process(rig.order({ firmwares: [await rig.release('bios', { version })] }));
  assert.equal(end.outcome, 'succeeded');
  const status = statusOf(end);
  assert.equal(status.result, 'already-installed');
  assert.match(String(status.message), /installed already/);
  assert.equal(status.powered_on, false);
  assert.deepEqual(writes(rig), before);
});

test('a set that fits in part installs what fits and says what it skipped and why', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const [bios, nic] = [await rig.release('bios'), await rig.release('nic')];
  const foreign = { ...nic, id: 'fw-foreign', vendor: 'hpe', models: ['ProLiant DL360 Gen10'], softwareIds: [] };
  const end = await rig.process(rig.order({ firmwares: [bios, foreign] }));
  assert.equal(end.outcome, 'succeeded');
  const status = statusOf(end);
  assert.equal(status.result, 'partial');
  assert.deepEqual(status.counts, { requested: 2, installed: 1, already_installed: 0, skipped: 1, failed: 0 });
  assert.match(String(status.message), /1 installed; 1 skipped: nic .* is for hpe/);
  const [skipped] = status.skipped as { firmware_id: string; why: string; message: string }[];
  assert.deepEqual([skipped?.firmware_id, skipped?.why], ['fw-foreign', 'other-vendor']);
});

test('a host that is off is switched on for what fits only', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9', { arePoweredOn: false });
  const end = await rig.process(rig.order({ firmwares: [await rig.release('bios')] }));
  assert.equal(end.outcome, 'succeeded');
  assert.equal(statusOf(end).result, 'installed');
  assert.equal(statusOf(end).powered_on, true);
});
