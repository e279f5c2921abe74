import assert from 'node:assert/strict';
import type { Firmware, PartFirmware } from '../../src/api/index.ts';
import { runCli } from './cli-fixture.ts';
import { findSimulated } from './work-services.ts';

/** A slot of a simulated server for which firmware is offered, as the simulator itself knows it. */
export interface OfferedSlot {
  readonly slot: string;
  readonly installed: string;
  readonly newest: string;
  readonly component: string;
}

/** Every slot of a server that the simulator offers firmware for. Nothing of the product has a part in it. */
export async function readOfferedSlots(dataDir: string, server: string): Promise<readonly OfferedSlot[]> {
  const { offers } = await findSimulated(dataDir, server);
  return offers
    .filter(({ isNewest }) => isNewest)
    .flatMap(({ slots, version: newest, component }) =>
      slots.map(({ slot, version: installed }) => ({ slot, installed, newest, component })),
    );
}

/** Throws when the simulator offers something for a server that no entry asks for. */
export function assertCovered(server: string, slots: readonly OfferedSlot[], entries: readonly Firmware[]): void {
  const missed = slots.filter(({ newest }) => !entries.some(({ version }) => version === newest));
  assert.deepEqual(missed, [], `${server}: no entry asks for what the simulator offers`);
}

/** Throws unless every slot has its newest version, and the record lists a part with that version for each. */
export function assertNewest(server: string, slots: readonly OfferedSlot[], listed: readonly ListedPart[]): void {
  const older = slots.filter(({ installed, newest }) => installed !== newest);
  assert.deepEqual(older, [], `${server} has older versions`);
  assertListed(server, slots, listed);
}

type ListedPart = Pick<PartFirmware, 'version'>;

/** Throws unless the record lists a part with the installed version for each slot; records have other names for slots. */
export function assertListed(server: string, slots: readonly OfferedSlot[], listed: readonly ListedPart[]): void {
  const versions = listed.map(({ version }) => version);
  for (const { slot, installed } of slots) {
    const at = versions.indexOf(installed);
    assert.ok(at >= 0, `${server}: status.firmwares lists no part with the version ${installed} of slot ${slot}`);
    versions.splice(at, 1);
  }
}

/** Throws unless exactly the slots with an older version were flashed, each once and without a failure. Returns how many. */
export async function assertFlashedOnce(
  dataDir: string,
  server: string,
  before: readonly OfferedSlot[],
): Promise<number> {
  const { code, out: log, err } = await runCli(['simulate', 'log', server, '--data-dir', dataDir]);
  assert.equal(code, 0, err);
  assert.doesNotMatch(log, /older events were dropped/, `the log of ${server} is not complete`);
  const flashed = [...log.matchAll(/ update\.flash-begin slot=("(?:[^"\\]|\\.)*"|\S+)/g)].map(([, slot = '']) =>
    slot.startsWith('"') ? (JSON.parse(slot) as string) : slot,
  );
  const outdated = before.filter(({ installed, newest }) => installed !== newest).map(({ slot }) => slot);
  assert.deepEqual(flashed.toSorted(), outdated.toSorted(), `${server}: slots flashed, and slots with older firmware`);
  assert.doesNotMatch(log, /flash-end .*result=(?!ok)/, `${server} failed to flash a part`);
  return flashed.length;
}
