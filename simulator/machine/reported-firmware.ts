import { createRandom } from '../time/random.ts';
import type { FirmwareSlot } from './firmware.ts';
import type { MachineBody } from './machine-body.ts';

/** What a BMC says is installed. A wrong inventory is wrong in one place, and in the same place each time. */
export function reportFirmware(machine: MachineBody): readonly FirmwareSlot[] {
  const struck = machine.faults.strike('wrong-inventory');
  if (struck === undefined) return machine.firmware;
  const candidates = machine.firmware.filter(
    (slot) => struck.component === undefined || slot.component === struck.component,
  );
  const random = createRandom(machine.seed, machine.name, 'wrong-inventory');
  const victim = candidates[Math.floor(random() * candidates.length)];
  if (victim === undefined) return machine.firmware;
  if (random() < 0.5) return machine.firmware.filter((slot) => slot !== victim);
  const old = { ...victim, version: victim.previousVersion ?? olderThan(victim.version) };
  return machine.firmware.map((slot) => (slot === victim ? old : slot));
}

/** A version like the given one with its last number lower, or another first digit when there is none to lower. */
function olderThan(version: string): string {
  const lowered = version.replace(/(\d*[1-9]\d*)(?=\D*$)/, (number) =>
    String(Number(number) - 1).padStart(number.length, '0'),
  );
  return lowered === version ? `0-${version}` : lowered;
}
