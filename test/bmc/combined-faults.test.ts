import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FaultRule, personalityNames } from '../../simulator/index.ts';
import { isBmcError, readInventory, setPower } from '../../src/bmc/index.ts';
import { toTold } from './fault-case.ts';
import { openRoom, strikes, type Visit } from './fault-room.ts';
import { install } from './install.ts';

const kinds = ['busy', 'connection-reset', 'truncated-json', 'session-expired'] as const;
const atRate = (rate: number): readonly FaultRule[] => kinds.map((kind) => ({ kind, rate }));
const room = { personalities: personalityNames };

/** Complete, with gaps that say why, or an error of the room. */
async function inventoryOf(visit: Visit): Promise<'complete' | 'gaps' | 'failed'> {
  try {
    const { gaps, system, firmware } = await readInventory(visit.bmc);
    assert.ok(gaps.every(({ path, reason }) => path.startsWith('/redfish/') && reason.length > 10));
    if (gaps.length > 0) return 'gaps';
    assert.equal(system.serial, visit.machine.hardware.serial);
    assert.ok(firmware.length >= visit.machine.firmware.length);
    return 'complete';
  } catch (error) {
    assert.ok(isBmcError(error), String(error));
    return 'failed';
  }
}

function count<T>(values: Iterable<T>, value: T): number {
  return [...values].filter((each) => each === value).length;
}

test('with a tenth of everything going wrong, 30 BMCs are read or fail with a reason, and nothing is left behind', async (t) => {
  const { each } = await openRoom(t, { ...room, seed: 21, servers: 30, faults: atRate(0.1) });
  let struck = 0;
  const ends = await each(async (visit) => {
    const end = await inventoryOf(visit);
    for (const kind of kinds) struck += strikes(visit, kind);
    return end;
  });
  assert.ok(struck > 100, `${struck} faults struck`);
  assert.ok(count(ends.values(), 'complete') >= 20, JSON.stringify([...ends]));
});

test('with three in ten of everything going wrong, 12 BMCs are read or fail with a reason, and nothing is left behind', async (t) => {
  const { each } = await openRoom(t, { ...room, seed: 22, servers: 12, faults: atRate(0.3) });
  const ends = await each(inventoryOf);
  assert.equal(ends.size, 12);
});

test('with one in twenty going wrong, power and BIOS of 12 BMCs are changed, or it is said why not, and nothing is written twice', async (t) => {
  const { each } = await openRoom(t, { ...room, seed: 23, servers: 12, faults: atRate(0.05) });
  const ends = await each(async (visit) => {
    const power = await setPower(visit.bmc, { target: 'reset' })
      .then(() => ({ code: 'reset', message: '' }))
      .catch(toTold);
    const told = await install(visit.bmc, await visit.release('bios')).catch(toTold);
    return { power, told };
  });
  const codes = [...ends.values()].map(({ told }) => told.code);
  assert.ok(count(codes, 'installed') >= 6, JSON.stringify([...ends]));
  for (const { power, told } of ends.values()) {
    if (told.code !== 'installed') assert.ok(told.message.length > 20, told.code);
    if (power.code !== 'reset') assert.ok(power.message.length > 20, power.code);
  }
});
