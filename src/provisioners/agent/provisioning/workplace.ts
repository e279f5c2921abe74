import { createHash, randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../engine/index.ts';
import type { HostIdentity, Outcome } from '../../provisioner.ts';
import type { AgentParts } from '../parts.ts';
import type { MachineRecord, MachineWork } from '../records/machine-record.ts';
import { withoutSecrets } from './without-secrets.ts';

/** All that an operation on one host needs. */
export interface Workplace {
  readonly parts: AgentParts;
  readonly host: HostIdentity;
  /** Starts the machine from the network, where there is a BMC that can. */
  readonly bootFromNetwork?: (() => Promise<Outcome>) | undefined;
}

/** The outcome of what is done and has nothing to tell. */
export const done: Outcome = { kind: 'done', value: undefined };

/** The outcome of what is under way. */
export function goesOn({ parts }: Workplace, hasStarted = false): Outcome<never> {
  const afterMs = parts.times.pollMs;
  return hasStarted ? { kind: 'continue', afterMs, hasStarted } : { kind: 'continue', afterMs };
}

/** The outcome of what waits for somebody. */
export function waits({ parts }: Workplace, message: string): Outcome<never> {
  return { kind: 'busy', afterMs: parts.times.pollMs, message };
}

/** The outcome of what cannot be done, or went wrong. */
export function fails(message: string): Outcome<never> {
  return { kind: 'failed', message };
}

/** The outcome for a host that runs something else than is meant. */
export function runsAnother({ image }: MachineRecord): Outcome<never> {
  const what = image === undefined ? 'something that was installed before' : withoutSecrets(image);
  return { kind: 'failed', message: `it runs ${what}; deprovision it first`, isInUse: true };
}

/** Does something with the machine of a host; a host that has none is not registered. */
export async function withMachine<T>(
  { parts, host }: Workplace,
  work: (machine: MachineRecord) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const machine = await parts.records.ofHost(host);
  return machine === undefined ? { kind: 'unregistered' } : work(machine);
}

/** The same for what must not be done to a host that somebody works on past us. */
export function withFreeMachine<T>(
  place: Workplace,
  work: (machine: MachineRecord) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  return withMachine(place, async (machine) =>
    machine.maintenance === undefined
      ? work(machine)
      : waits(place, `the host is in maintenance: ${machine.maintenance}`),
  );
}

/** A command with what it is to be done with. */
export interface Order {
  readonly kind: MachineWork['kind'];
  readonly stage: MachineWork['stage'];
  readonly mark: string;
  readonly name: string;
  readonly params: JsonObject;
}

/** What tells two orders apart, and gives nothing of them away. */
export function markOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}

/** Gives a machine a command, in place of the one before. */
export async function give({ parts }: Workplace, machine: MachineRecord, order: Order): Promise<void> {
  const { kind, stage, mark, name, params } = order;
  const command = { id: randomUUID(), name, givenAtMs: parts.clock.now() };
  const seen = machine.work?.command.id;
  const now = await parts.records.change(machine.id, (each) => {
    // Somebody else may have given it one meanwhile: one of them is enough.
    if (each.work?.command.id !== seen) return undefined;
    const isUnseen = kind === 'provision' && (each.work === undefined || each.work.isUnseen === true);
    return { ...each, work: { kind, stage, mark, command, ...(isUnseen ? { isUnseen } : {}) } };
  });
  if (now?.work?.command.id === command.id) parts.desk.offer(machine.id, { id: command.id, name, params });
}

/** Lays out again what was given before: another process may have done that. */
export function layOut({ parts }: Workplace, { id, work }: MachineRecord, params: JsonObject): void {
  if (work === undefined || work.command.end !== undefined) return;
  parts.desk.offer(id, { id: work.command.id, name: work.command.name, params });
}

/** Ends what is under way on a machine, and writes what it is then. */
export async function settle(
  { parts }: Workplace,
  { id, work }: MachineRecord,
  edit: (now: MachineRecord) => MachineRecord,
): Promise<void> {
  if (work !== undefined) parts.desk.withdraw(id, work.command.id);
  await parts.records.change(id, ({ work: _, awaitedSinceMs: __, startedAtMs: ___, inspection: ____, ...now }) =>
    edit(now),
  );
}

/** The agent of a machine is expected to be gone: what it asked is answered, and it is not heard any more. */
export function partWithAgent({ parts }: Workplace, id: string): void {
  parts.desk.dismiss(id);
  parts.hearing.forget(id);
}

/** Why what was given has failed, be it that its time is over; undefined while it may still end well. */
export function failureOf({ parts }: Workplace, { work }: MachineRecord): string | undefined {
  if (work === undefined) return undefined;
  const { end, givenAtMs, name } = work.command;
  if (end !== undefined) return end.failure === undefined ? undefined : `${name} failed: ${end.failure}`;
  const { commandMs } = parts.times;
  if (parts.clock.now() - givenAtMs < commandMs) return undefined;
  const minutes = Math.round(commandMs / 60_000);
  return `${name} has not ended within ${minutes} minutes; look at the console of the host`;
}

/** Its BMC has switched a machine off, or anew: whatever ran there is gone, and so is its agent. */
export async function loseAgent(place: Workplace, id: string): Promise<void> {
  partWithAgent(place, id);
  await place.parts.records.change(id, ({ heardAtMs: _, startedAtMs: __, ...now }) => now);
}
