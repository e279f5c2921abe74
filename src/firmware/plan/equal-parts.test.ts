import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PartFirmware, ServerFirmwareStatus } from '../../api/index.ts';
import { desiredHash } from '../server/desired.ts';
import { ago, planFacts, plannedFirmware, plannedServer, planReading, planTime } from '../testing/plan-facts.ts';
import type { PlanState } from './plan.ts';
import { planFirmware } from './plan-firmware.ts';

const drive = (slot: string, more: Partial<PartFirmware> = {}): PartFirmware => ({
  ...{ name: 'drive', manufacturer: 'Samsung', model: 'PM1733', slot, version: '1' },
  ...more,
});

function notesOf(
  manufacturer: string,
  drives: readonly PartFirmware[],
  slot: string | undefined,
  more: { readonly state?: PlanState; readonly status?: ServerFirmwareStatus } = {},
) {
  const entry = { name: 'drive', manufacturer: 'Samsung', version: '2', ...(slot === undefined ? {} : { slot }) };
  const firmware = plannedFirmware('s', {
    own: [entry],
    status: { lastScanTime: ago(1), firmwares: [...drives], ...more.status },
  });
  const servers = [plannedServer('s', { status: { manufacturer, model: 'any' } })];
  const { servers: planned } = planFirmware(
    { facts: planFacts({ servers, firmwares: [firmware] }), reading: planReading },
    planTime,
  );
  assert.equal(planned[0]?.state, more.state ?? 'update');
  return planned[0]?.notes ?? [];
}

const three = [drive('Bay 1'), drive('Bay 2'), drive('Bay 3', { version: '2' })];

for (const manufacturer of ['Dell Inc.', 'HPE', 'Lenovo']) {
  test(`${manufacturer} takes no targets: an entry for one slot says which equal parts may be written too`, () => {
    const [note, ...others] = notesOf(manufacturer, three, 'Bay 1');
    assert.deepEqual([note?.code, others], ['MayWriteEqualParts', []]);
    assert.match(note?.message ?? '', /is meant for Bay 1 only.* equal parts may get 2 too: Bay 2\./);
  });
}

for (const [what, manufacturer, drives, slot] of [
  ['a BMC that takes targets', 'Supermicro', three, 'Bay 1'],
  ['an entry for all of them', 'Dell Inc.', three, undefined],
  ['a part of another product', 'Dell Inc.', [drive('Bay 1'), drive('Bay 2', { model: 'PM9A3' })], 'Bay 1'],
  [
    'a part of one name that takes other firmware',
    'Dell Inc.',
    [drive('Bay 1', { softwareId: '1' }), drive('Bay 2', { softwareId: '2' })],
    'Bay 1',
  ],
  ['an equal part that has the version', 'Dell Inc.', [drive('Bay 1'), drive('Bay 2', { version: '2' })], 'Bay 1'],
] as const) {
  test(`nothing is said of equal parts for ${what}`, () => {
    assert.deepEqual(notesOf(manufacturer, drives, slot), []);
  });
}

test('the warning stays when the attempts at the entry failed', () => {
  const entry = { name: 'drive', manufacturer: 'Samsung', version: '2', slot: 'Bay 1' };
  const attempts = { desiredHash: desiredHash([entry]), failed: 3, lastFailureTime: ago(1) };
  const notes = notesOf('HPE', three, 'Bay 1', { state: 'blocked', status: { attempts } });
  assert.deepEqual(
    notes.map(({ code }) => code),
    ['MayWriteEqualParts'],
  );
});
