import type { Deprovisioning, Outcome } from '../../provisioner.ts';
import { type MachineRecord, type MachineWork, withoutAgent } from '../records/machine-record.ts';
import { notCome, startAgent } from './start-agent.ts';
import { imageMarkOf } from './without-secrets.ts';
import {
  done,
  fails,
  failureOf,
  give,
  goesOn,
  layOut,
  type Order,
  partWithAgent,
  runsAnother,
  settle,
  type Workplace,
  waits,
  withFreeMachine,
} from './workplace.ts';

const erase: Order = {
  kind: 'deprovision',
  stage: 'erase',
  mark: 'erase',
  name: 'clean.execute_clean_step',
  params: { step: { step: 'erase_devices_metadata', interface: 'deploy', args: {} } },
};

/** Takes off a host what runs there. Its agent does it, so that has to run again first. */
export function deprovisionHost(place: Workplace, order: Deprovisioning): Promise<Outcome> {
  return withFreeMachine(place, async (found) => {
    const { use, image } = found;
    const { attempted, cleaningMode, isRetry } = order;
    if (use === 'unused' && found.work === undefined) return done;
    const isOther = attempted !== undefined && image !== markOfImage(attempted.image);
    if (use === 'deployed' && isOther) return runsAnother(found);
    const machine = (await takeBack(place, found)) ?? found;
    const { work } = machine;
    if (use === 'unused' && work?.isUnseen === true) return giveBack(place, machine);
    const isErased = work?.kind === 'deprovision' && work.command.end?.failure === undefined && work.command.end;
    if (isErased || (cleaningMode === 'disabled' && isThere(place, machine))) return giveBack(place, machine);
    return eraseDisks(place, machine, isRetry);
  });
}

function markOfImage(image: { readonly url?: string | undefined } | undefined): string | undefined {
  return image?.url === undefined ? undefined : imageMarkOf(image.url);
}

/** Takes back what was to be written: nobody is told of it from here on. */
async function takeBack(place: Workplace, { id, work }: MachineRecord): Promise<MachineRecord | undefined> {
  const { parts } = place;
  if (work?.kind !== 'provision') return undefined;
  parts.desk.withdraw(id, work.command.id);
  const machine = await parts.records.change(id, (now) =>
    now.work?.kind === 'provision' ? withoutOrder(now, now.work) : undefined,
  );
  if (machine?.token === undefined) partWithAgent(place, id);
  return machine;
}

function withoutOrder(now: MachineRecord, work: MachineWork): MachineRecord | undefined {
  const { command, stage } = work;
  const isWritten = stage === 'restart' || (command.end !== undefined && command.end.failure === undefined);
  if (command.end?.failure === takenBack || (command.end?.failure !== undefined && !isWritten)) return undefined;
  // It may have started from what was written, which can read what the agent kept.
  const machine = isWritten ? withoutAgent(now) : now;
  return { ...machine, work: { ...work, command: { ...command, end: { failure: takenBack } } } };
}

const takenBack = 'it was taken back';

function isThere({ parts }: Workplace, machine: MachineRecord): boolean {
  return parts.hearing.isHeard(machine);
}

async function giveBack(place: Workplace, machine: MachineRecord): Promise<Outcome> {
  await settle(place, machine, ({ image: _, ...now }) => ({ ...now, use: 'unused' }));
  return done;
}

async function eraseDisks(place: Workplace, machine: MachineRecord, isRetry: boolean): Promise<Outcome> {
  const isBegun = machine.work?.kind === 'deprovision';
  const failure = isBegun ? failureOf(place, machine) : undefined;
  if (failure !== undefined && !isRetry) return fails(failure);
  if (isBegun && failure === undefined) {
    layOut(place, machine, erase.params);
    return goesOn(place);
  }
  if (!isThere(place, machine)) return awaitAgent(place, machine);
  await give(place, machine, erase);
  return goesOn(place, true);
}

/**
 * Waits for the agent, which the BMC starts where there is one: only then is anybody believed to be the agent. That it does
 * not come is said as a failure once it lasts: somebody has to know, and may give up.
 */
async function awaitAgent(place: Workplace, machine: MachineRecord): Promise<Outcome> {
  const starting = await startAgent(place, machine);
  if (starting !== undefined) return starting;
  const { records, clock, times } = place.parts;
  const { awaitedSinceMs = clock.now() } = machine;
  if (machine.awaitedSinceMs === undefined) await records.change(machine.id, (now) => ({ ...now, awaitedSinceMs }));
  const canStart = place.bootFromNetwork !== undefined;
  const message = canStart ? notCome : noAgent;
  const isLate = clock.now() - awaitedSinceMs >= (canStart ? times.bootMs : times.silenceMs);
  return isLate ? fails(message) : waits(place, message);
}

const noAgent =
  'its agent does not run, and without credentials of its BMC nobody can start it from here: boot the host from the network';
