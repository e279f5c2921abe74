import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type FaultRule, personalityNames } from '../../simulator/index.ts';
import {
  type Bmc,
  planBiosChange,
  readBios,
  readBiosOutcome,
  readInventory,
  setPower,
  stageBios,
  waitForPost,
} from '../../src/bmc/index.ts';
import { toTold } from './fault-case.ts';
import { openRoom, type Visit } from './fault-room.ts';
import { install } from './install.ts';

/** What happened to one BMC: its own log, and what its client was told. */
export interface History {
  readonly log: string;
  readonly told: readonly string[];
}

const faults: readonly FaultRule[] = [
  { kind: 'busy', rate: 0.02 },
  { kind: 'slow-answer', rate: 0.03, durationMs: 12_000 },
  { kind: 'slow-answer', rate: 0.01, durationMs: 90_000 },
  { kind: 'connection-reset', rate: 0.02 },
  { kind: 'truncated-json', rate: 0.02 },
  { kind: 'malformed-json', rate: 0.01 },
  { kind: 'wrong-content-type', rate: 0.05 },
  { kind: 'session-expired', rate: 0.02 },
  { kind: 'task-vanishes', machineRate: 0.1 },
  { kind: 'version-stays', machineRate: 0.1 },
  { kind: 'unreachable-after-flash', machineRate: 0.2, durationMs: 7 * 60_000 },
  { kind: 'host-stays-down', rate: 0.1, durationMs: 90_000 },
  { kind: 'clock-off', machineRate: 0.2 },
];

async function changeBios(bmc: Bmc): Promise<string> {
  const bios = await readBios(bmc);
  const found = [...(bios.registry ?? [])].find(([, { isReadOnly, type }]) => !isReadOnly && type === 'Enumeration');
  assert.ok(found !== undefined);
  const [name, { values }] = found;
  const other = values.find(({ value }) => value !== bios.current.get(name))?.value ?? '';
  const staged = await stageBios(bmc, bios, planBiosChange(bios, { [name]: other }));
  await setPower(bmc, { target: 'reset' });
  await waitForPost(bmc);
  return (await readBiosOutcome(bmc, staged)).kind;
}

/** A day's work on one BMC; what fails is told, and the work goes on. */
async function work(visit: Visit): Promise<readonly string[]> {
  const { bmc } = visit;
  const told: string[] = [];
  const step = async (name: string, act: () => Promise<string>): Promise<void> => {
    const end = await act().catch((error: unknown) => toTold(error).code);
    told.push(`${visit.clock.monotonic()} ${name} ${end}`);
  };
  await step('inventory', async () => {
    const { firmware, ports, gaps } = await readInventory(bmc);
    return `${firmware.length} ${ports.length} ${gaps.length}`;
  });
  await step('off', async () => (await setPower(bmc, { target: 'off', isGraceful: true })).sent.join());
  await step('on', async () => (await setPower(bmc, { target: 'on' })).sent.join());
  await step('settings', () => changeBios(bmc));
  await step('update', async () => (await install(bmc, await visit.release('bios'))).code);
  await step('inventory', async () => String((await readInventory(bmc)).gaps.length));
  return told;
}

/** Drives a fleet of all vendors with faults, over real sockets and in simulated time. */
export async function runFleet(
  t: TestContext,
  order: { readonly seed: number; readonly servers: number },
): Promise<readonly History[]> {
  const room = await openRoom(t, { ...order, personalities: personalityNames, faults, doesLogReads: true });
  const told = await room.each(work);
  return room.dataCentre.bmcs.map(({ name, machine }) => ({ log: machine.log.text(), told: told.get(name) ?? [] }));
}

/** Two runs are the same, BMC by BMC and line by line. */
export function assertSameHistories(first: readonly History[], second: readonly History[]): void {
  for (const [index, { log, told }] of first.entries()) {
    assert.deepEqual(second[index]?.told, told, `what the client of BMC ${index} was told`);
    const [one, other] = [log.split('\n'), second[index]?.log.split('\n') ?? []];
    const at = one.findIndex((line, number) => line !== other[number]);
    assert.equal(at, -1, `BMC ${index} differs in line ${at}: "${one[at]}" and "${other[at]}"`);
    assert.equal(other.length, one.length);
  }
}

/** All that should happen in a fleet did happen somewhere. */
export function assertEventful(histories: readonly History[]): void {
  const all = histories.map(({ log }) => log).join('\n');
  for (const { kind } of faults) assert.ok(all.includes(`fault kind=${kind}`), `${kind} did not strike`);
  for (const event of [
    'power.off',
    'post.done',
    'bios.applied',
    'update.flash-begin',
    'update.active',
    'session.close',
  ]) {
    assert.ok(all.includes(event), `${event} did not happen`);
  }
  const updated = histories.filter(({ told }) => told.some((line) => line.endsWith('update installed'))).length;
  assert.ok(updated * 2 > histories.length, `${updated} of ${histories.length} were updated`);
}
