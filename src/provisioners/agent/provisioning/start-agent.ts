import type { Outcome } from '../../provisioner.ts';
import type { MachineRecord } from '../records/machine-record.ts';
import { goesOn, type Workplace } from './workplace.ts';

/**
 * Has the BMC start a silent machine from the network, where its agent is. Undefined where there is nothing more to do for
 * it from here: it was done, or nobody can.
 */
export async function startAgent(place: Workplace, machine: MachineRecord): Promise<Outcome<never> | undefined> {
  const { parts, bootFromNetwork } = place;
  const { records, hearing, clock } = parts;
  if (bootFromNetwork === undefined || hearing.isHeard(machine) || isStarting(place, machine)) return undefined;
  const outcome = await bootFromNetwork();
  if (outcome.kind === 'continue') return goesOn(place);
  if (outcome.kind !== 'done') return outcome;
  await records.change(machine.id, (now) => ({ ...now, startedAtMs: clock.now() }));
  return undefined;
}

/** Whether it was started lately, so that its agent may still come. */
export function isStarting({ parts }: Workplace, { startedAtMs }: MachineRecord): boolean {
  return startedAtMs !== undefined && parts.clock.now() - startedAtMs < parts.times.bootMs;
}

/** What is said of an agent that does not come. */
export const notCome =
  'its BMC has started it from the network, and its agent has not come yet: look at the console of the host and at what it boots';
