import assert from 'node:assert/strict';
import type { Bmc } from '../bmc.ts';
import { poll, setPower } from '../power/index.ts';
import {
  type Bios,
  type BiosOutcome,
  type BiosValue,
  planBiosChange,
  readBios,
  readBiosOutcome,
  type StagedBios,
  stageBios,
} from '../settings/index.ts';
import type { RunningTarget } from './target.ts';

/** Changes one attribute and changes it back, each time by staging, resetting and looking at the outcome. */
export async function changeBios(target: RunningTarget): Promise<void> {
  await target.asProcess(async (bmc) => {
    await setPower(bmc, { target: 'on' });
    const bios = await readBios(bmc);
    assert.ok(bios.current.size > 0);
    const { name, value } = pickChange(bios);
    const old = bios.current.get(name);
    assert.ok(old !== undefined);
    for (const wanted of [value, old]) await change(bmc, { name, wanted, target });
    assert.equal((await readBios(bmc, { hasRegistry: false })).current.get(name), old);
  });
  await target.asProcess(async (bmc) => {
    const bios = await readBios(bmc);
    const { problems } = planBiosChange(bios, { ThereIsNoSuchAttribute: 1 });
    assert.equal(problems[0]?.problem, 'unknown');
  });
}

async function change(
  bmc: Bmc,
  order: { readonly name: string; readonly wanted: BiosValue; readonly target: RunningTarget },
): Promise<void> {
  const { name, wanted, target } = order;
  const bios = await readBios(bmc);
  const plan = planBiosChange(bios, { [name]: wanted });
  assert.deepEqual([plan.problems, [...plan.changes]], [[], [[name, wanted]]]);
  const staged = await stageBios(bmc, bios, plan);
  if (target.capabilities.bios === 'on-reset') {
    const outcome = await readBiosOutcome(bmc, staged);
    assert.equal(outcome.kind, 'pending');
    assert.equal((await readBios(bmc, { hasRegistry: false })).pending.get(name), wanted);
    await setPower(bmc, { target: 'reset' });
  }
  assert.deepEqual(await outcomeOf(bmc, staged), { kind: 'applied' });
}

function outcomeOf(bmc: Bmc, staged: StagedBios): Promise<BiosOutcome> {
  return poll(bmc, {
    what: 'the change of BIOS settings',
    deadlineMs: 30 * 60_000,
    look: async () => {
      const outcome = await readBiosOutcome(bmc, staged);
      return outcome.kind === 'pending' ? undefined : outcome;
    },
  });
}

/** An attribute with two plain values, so that the other one can be set. */
function pickChange({ current, registry }: Bios): { readonly name: string; readonly value: BiosValue } {
  const harmless = /^(?:Enabled|Disabled|Enable|Disable|On|Off)$/;
  for (const attribute of registry?.values() ?? []) {
    const now = current.get(attribute.name);
    const values = attribute.values.map(({ value }) => value);
    const other = values.find((value) => value !== now);
    const isPlain = values.length === 2 && values.every((value) => harmless.test(value));
    if (!attribute.isReadOnly && now !== undefined && isPlain && other !== undefined) {
      return { name: attribute.name, value: other };
    }
  }
  for (const [name, now] of current) {
    if (now === 'Enabled' || now === 'Disabled') return { name, value: now === 'Enabled' ? 'Disabled' : 'Enabled' };
  }
  return assert.fail('no attribute can be switched');
}
