import type { JsonValue } from '../redfish/route.ts';
import type { FirmwareSlot } from './firmware.ts';
import type { MachineBody } from './machine-body.ts';
import type { SavedMachine } from './saved-machine.ts';

type SavedSlots = NonNullable<SavedMachine['firmware']>;

/** What outlives the simulator; undefined when nothing has happened to the machine yet. Every change is logged, so the log tells. */
export function saveMachine(machine: MachineBody, firstPassword: string): SavedMachine | undefined {
  if (machine.log.count === 0) return undefined;
  const updates = machine.updates.save();
  const { password } = machine.accounts;
  const parts = {
    firmware: saveFirmware(machine, new Set(updates.flatMap(({ slots }) => slots))),
    bios: machine.bios.save(),
    biosTask: machine.bios.saveTask(),
    boot: machine.boot.save(),
    password: password === firstPassword ? undefined : password,
    media: machine.media.save(),
    notes: machine.notes.size === 0 ? undefined : Object.fromEntries(machine.notes),
    updates: updates.length === 0 ? undefined : [...updates],
    manager: machine.manager.save(),
    events: machine.events.save(),
  };
  return { power: machine.power.save(), counts: countsOf(machine), ...withoutUndefined(parts) };
}

/** Makes a new machine what an earlier one was. */
export function restoreMachine(machine: MachineBody, saved: SavedMachine): void {
  const { counts } = saved;
  restoreFirmware(machine, saved.firmware ?? {});
  machine.tasks.countFrom(counts.tasks);
  machine.sessions.restore(counts.sessions);
  machine.events.restore(saved.events, counts.subscriptions);
  machine.updates.restore(saved.updates ?? [], counts.updates);
  if (saved.bios !== undefined) machine.bios.restore(saved.bios, saved.biosTask);
  if (saved.boot !== undefined) machine.boot.restore(saved.boot);
  if (saved.password !== undefined) machine.accounts.restore(saved.password);
  if (saved.media !== undefined) machine.media.restore(saved.media);
  for (const [name, value] of Object.entries(saved.notes ?? {})) machine.notes.set(name, value as JsonValue);
  if (saved.manager !== undefined) machine.manager.restore(saved.manager);
  machine.power.restore(saved.power);
  machine.log.add('machine.restored', `power=${saved.power.state}`);
}

function countsOf({ tasks, updates, sessions, events }: MachineBody): SavedMachine['counts'] {
  return { tasks: tasks.count, updates: updates.count, sessions: sessions.count, subscriptions: events.count };
}

/** Slots that are not as they came. What a flash in its course has written is left out: it counts as interrupted. */
function saveFirmware(machine: MachineBody, waiting: ReadonlySet<string>): SavedSlots | undefined {
  const first = new Map(machine.personality.firmware(machine.hardware).map((slot) => [slot.slot, slot]));
  const saved: SavedSlots = {};
  for (const slot of machine.firmware) {
    const { pendingVersion, ...settled } = slot;
    const now = waiting.has(slot.slot) ? slot : settled;
    if (!isAlike(now, first.get(slot.slot))) saved[slot.slot] = versionsOf(now);
  }
  return Object.keys(saved).length === 0 ? undefined : saved;
}

function restoreFirmware(machine: MachineBody, saved: SavedSlots): void {
  for (const slot of machine.firmware) {
    const versions = saved[slot.slot];
    if (versions === undefined) continue;
    delete slot.previousVersion;
    delete slot.pendingVersion;
    Object.assign(slot, versionsOf(versions));
  }
}

type Versions = Pick<FirmwareSlot, 'version' | 'previousVersion' | 'pendingVersion'>;

function isAlike(slot: Versions, other: Versions | undefined): boolean {
  return (
    slot.version === other?.version &&
    slot.previousVersion === other.previousVersion &&
    slot.pendingVersion === other.pendingVersion
  );
}

function versionsOf({ version, previousVersion, pendingVersion }: Versions): SavedSlots[string] {
  return { version, ...withoutUndefined({ previousVersion, pendingVersion }) };
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(parts: T): Given<T> {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as Given<T>;
}
