import type {
  BmcMarks,
  HostIdentity,
  HostSeen,
  Outcome,
  PowerOrder,
  Preparation,
  Provisioner,
  Serviced,
  Servicing,
} from '../provisioner.ts';
import type { DemoMachine } from './demo-machine.ts';
import { type DemoRecord, done } from './demo-record.ts';

/** What a demo host with a machine is made of. */
export interface MachineParts {
  /** Keeps the record of the host. */
  readonly base: Provisioner;
  readonly machine: DemoMachine;
  readonly host: HostIdentity;
  findRecord(): DemoRecord | undefined;
  /** How long to wait until the machine is looked at again. */
  readonly pollMs: number;
}

/** What may be changed about the firmware of a host. */
type Change = Pick<Preparation, 'settings' | 'updates' | 'isWanted'>;

/** A demo host with a machine behind it: what is read comes from the machine, and what is switched is switched there. */
export function machineProvisionerOf(parts: MachineParts): Provisioner {
  const { base, machine, findRecord } = parts;
  const known = <T>(tell: () => T): Outcome<T> =>
    findRecord() === undefined ? { kind: 'unregistered' } : { kind: 'done', value: tell() };
  return {
    ...base,
    inspect: async (order) => withValue(await base.inspect(order), () => machine.readHardware()),
    readInventory: async () =>
      withValue(await base.readInventory(), (seen) => (seen === undefined ? undefined : machine.readHardware())),
    look: async () => withValue(await base.look(), (seen) => seePower(seen, machine)),
    setPower: async (order) => whyLeftAlone(parts) ?? switchPower(parts, order),
    readMarks: async () => ({ kind: 'done', value: marksOf(machine) }),
    ...(machine.bootFromNetwork === undefined
      ? {}
      : { bootFromNetwork: async () => whyLeftAlone(parts) ?? bootFromNetwork(parts) }),
    async prepare(order) {
      const changed = changeFirmware(parts, order);
      return changed.kind === 'done' ? base.prepare({ isRetry: order.isRetry, isWanted: false }) : changed;
    },
    service: async (order) => (order.isSpecified ? serviceMachine(parts, order) : base.service(order)),
    async provision(order) {
      const isNew = findRecord()?.use !== 'deployed';
      const written = await base.provision(order);
      if (written.kind !== 'done') return written;
      if (isNew) machine.writeDisk(order.deployment.image);
      return beginning(bringTo(parts, 'on'), { isNew });
    },
    async deprovision(order) {
      const isNew = findRecord()?.use !== 'unused';
      const wiped = await base.deprovision(order);
      if (wiped.kind !== 'done') return wiped;
      if (isNew) machine.writeDisk(undefined);
      return beginning(bringTo(parts, 'off'), { isNew });
    },
    readFirmwareSettings: async () => known(() => machine.readSettings()),
    readFirmwareComponents: async () => known(() => machine.readComponents()),
  };
}

function withValue<T, U>(outcome: Outcome<T>, change: (value: T) => U): Outcome<U> {
  return outcome.kind === 'done' ? { kind: 'done', value: change(outcome.value) } : outcome;
}

function seePower(seen: HostSeen, machine: DemoMachine): HostSeen {
  const power = machine.readPower();
  return { ...seen, isPoweredOn: power === 'changing' ? undefined : power === 'on' };
}

/** Why nothing may be done to the machine now; undefined when it may. */
function whyLeftAlone({ findRecord, pollMs }: MachineParts): Outcome<never> | undefined {
  const record = findRecord();
  if (record === undefined) return { kind: 'unregistered' };
  if (record.maintenance === undefined) return undefined;
  return { kind: 'busy', afterMs: pollMs, message: `the host is in maintenance: ${record.maintenance}` };
}

function switchPower(parts: MachineParts, order: PowerOrder): Outcome {
  const isReboot = order.target === 'reboot' || (order.target === 'off' && parts.host.isPowerOffDisabled);
  if (!isReboot) return bringTo(parts, order.target === 'on' ? 'on' : 'off', order.mode);
  const power = parts.machine.readPower();
  if (power === 'changing') return { kind: 'continue', afterMs: parts.pollMs };
  const target = power === 'on' ? 'reboot' : 'on';
  return parts.machine.switchPower({ target, mode: order.mode }) ? done : unwilling(parts);
}

/** Sees to it that the machine is on or off, over as many calls as that takes. */
function bringTo(parts: MachineParts, target: 'on' | 'off', mode: PowerOrder['mode'] = 'hard'): Outcome {
  const power = parts.machine.readPower();
  if (power === target) return done;
  const underWay = { kind: 'continue', afterMs: parts.pollMs } as const;
  if (power === 'changing') return underWay;
  return parts.machine.switchPower({ target, mode }) ? { ...underWay, hasStarted: true } : unwilling(parts);
}

function bootFromNetwork(parts: MachineParts): Outcome {
  if (parts.machine.readPower() === 'changing') return { kind: 'continue', afterMs: parts.pollMs };
  return parts.machine.bootFromNetwork?.() === true ? done : unwilling(parts);
}

function marksOf(machine: DemoMachine): BmcMarks {
  const { nics = [], systemVendor } = machine.readHardware();
  const { serialNumber = '' } = systemVendor ?? {};
  return {
    macs: nics.flatMap(({ mac = '' }) => (mac === '' ? [] : [mac.toLowerCase()])),
    serialNumbers: serialNumber === '' ? [] : [serialNumber],
  };
}

function unwilling({ pollMs }: MachineParts): Outcome<never> {
  return { kind: 'busy', afterMs: pollMs, message: 'the machine cannot be switched now' };
}

/** Its disk was seen to by the call before, so that only the call that did so has begun it. */
function beginning(outcome: Outcome, { isNew }: { readonly isNew: boolean }): Outcome {
  return outcome.kind === 'continue' ? { ...outcome, hasStarted: isNew } : outcome;
}

/** Settings are staged, and the machine started once so that it takes them over. */
function changeFirmware(parts: MachineParts, { settings = {}, updates = [], isWanted }: Change): Outcome {
  const { machine, findRecord, pollMs } = parts;
  const held = whyLeftAlone(parts);
  if (held !== undefined) return held;
  const record = findRecord();
  if (isWanted && updates.length > 0) return { kind: 'failed', message: noUpdates };
  const isBegun = record?.isStarting === true;
  if (isBegun && machine.hasStagedSettings()) return { kind: 'continue', afterMs: pollMs };
  if (record !== undefined) record.isStarting = false;
  if (isBegun || !isWanted || Object.keys(settings).length === 0) return done;
  const problem = machine.stageSettings(settings);
  if (problem !== undefined) return { kind: 'failed', message: problem };
  if (!machine.hasStagedSettings()) return done;
  const begun = switchPower(parts, { target: 'reboot', mode: 'hard', isForced: false, isRetry: false });
  if (begun.kind === 'busy') return begun;
  if (record !== undefined) record.isStarting = begun.kind === 'done';
  return { kind: 'continue', afterMs: pollMs, hasStarted: begun.kind === 'done' };
}

/** Changes the machine of a host in use, once for each attempt. */
function serviceMachine(parts: MachineParts, order: Servicing): Outcome<Serviced> {
  const record = parts.findRecord();
  if (record === undefined) return { kind: 'unregistered' };
  const isOther = record.serviced?.ticket !== order.ticket;
  const what: Serviced = { settings: order.settings ?? {}, updates: order.updates ?? [] };
  const begun =
    isOther || record.serviced === undefined ? { ticket: order.ticket, what, isOver: false } : record.serviced;
  if (begun.isOver) return { kind: 'done', value: begun.what };
  const changed = changeFirmware(parts, { ...order, isWanted: isOther });
  if (changed.kind !== 'done' && changed.kind !== 'continue') return changed;
  begun.isOver = changed.kind === 'done';
  record.serviced = begun;
  return changed.kind === 'done' ? { kind: 'done', value: begun.what } : changed;
}

const noUpdates =
  'firmware of a demo host is not written by way of HostFirmwareComponents; use a ServerFirmware or "rackwright install-firmware"';
