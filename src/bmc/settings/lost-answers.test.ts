import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import type { GateRequest } from '../gate/gate.ts';
import type { JsonObject } from '../json.ts';
import { sampleTree } from '../testing/sample-tree.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { readBios } from './bios.ts';
import { setBootOrder, setBootOverride } from './boot.ts';
import { planBiosChange } from './plan-bios-change.ts';
import { stageBios } from './stage-bios.ts';
import { ejectMedia, insertMedium, listVirtualDrives } from './virtual-media.ts';

const system = '/redfish/v1/Systems/1';
const settings = `${system}/Bios/Settings`;
const image = 'http://files.example/live.iso';
const isAmbiguous = (error: unknown) => isBmcError(error, 'ambiguous');

/** A BMC that carries out a request, or does not, and whose answer is lost either way. */
function losing(
  line: string,
  act?: (request: GateRequest, change: (path: string, members: JsonObject) => void) => void,
) {
  const scripted = createScriptedBmc({ tree: sampleTree() });
  scripted.gate.on(line, (request) => {
    act?.(request, scripted.gate.change);
    return 'ambiguous';
  });
  return { ...scripted, sends: () => scripted.gate.lines.filter((each) => each === line).length };
}

const take = (request: GateRequest, change: (path: string, members: JsonObject) => void) =>
  change(request.path, request.body as JsonObject);

test('BIOS settings whose answer was lost are staged when they are seen pending, else that is told', async () => {
  const line = `PATCH ${settings}`;
  for (const act of [take, undefined]) {
    const { bmc, sends } = losing(line, act);
    const bios = await readBios(bmc);
    const plan = planBiosChange(bios, { MemTest: 'Enabled' });
    assert.equal(plan.changes.size, 1);
    if (act === undefined) await assert.rejects(stageBios(bmc, bios, plan), isAmbiguous);
    else assert.deepEqual((await stageBios(bmc, bios, plan)).attributes, { MemTest: 'Enabled' });
    assert.equal(sends(), 1);
  }
});

test('a boot override and a boot order whose answer was lost are read back', async () => {
  const line = `PATCH ${system}`;
  const taken = losing(line, take);
  const change = await setBootOverride(taken.bmc, { enabled: 'Once', target: 'Pxe' });
  assert.deepEqual([change.wasSent, change.isVerified, taken.sends()], [true, true, 1]);
  assert.equal((await setBootOrder(taken.bmc, ['Boot0001', 'Boot0000'])).wasSent, true);
  const lost = losing(line);
  await assert.rejects(setBootOverride(lost.bmc, { enabled: 'Once', target: 'Pxe' }), isAmbiguous);
  await assert.rejects(setBootOrder(lost.bmc, ['Boot0001', 'Boot0000']), isAmbiguous);
  assert.equal(lost.sends(), 2);
});

test('a medium whose answer was lost is looked for in its drive', async () => {
  const all = await listVirtualDrives(createScriptedBmc({ tree: sampleTree() }).bmc);
  const drive = all.find(({ id }) => id === 'CD');
  assert.ok(drive);
  const insertLine = `POST ${drive.path}/Actions/VirtualMedia.InsertMedia`;
  const ejectLine = `POST ${drive.path}/Actions/VirtualMedia.EjectMedia`;
  const taken = losing(insertLine, (_, change) => change(drive.path, { Image: image, Inserted: true }));
  const { isVerified, doubt } = await insertMedium(taken.bmc, { image });
  assert.equal(isVerified, true);
  assert.ok(doubt !== undefined, 'the drive shows it, but whether the host has it nobody said');
  assert.equal(taken.sends(), 1);
  assert.equal((await insertMedium(taken.bmc, { image })).doubt, undefined, 'what is in already is not asked for');
  const lost = losing(insertLine);
  await assert.rejects(insertMedium(lost.bmc, { image }), isAmbiguous);
  assert.equal(lost.sends(), 1);

  const kept = losing(ejectLine);
  kept.gate.change(drive.path, { Image: 'http://files.example/other.iso', Inserted: true });
  await assert.rejects(ejectMedia(kept.bmc), isAmbiguous);
  await assert.rejects(insertMedium(kept.bmc, { image }), isAmbiguous);
  assert.equal(kept.gate.lines.includes(insertLine), false);
  const gone = losing(ejectLine, (_, change) => change(drive.path, { Image: null, Inserted: false }));
  gone.gate.change(drive.path, { Image: 'http://files.example/other.iso', Inserted: true });
  assert.deepEqual(
    (await ejectMedia(gone.bmc)).map(({ isVerified }) => isVerified),
    [true],
  );
});
