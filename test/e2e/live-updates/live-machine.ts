import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { buildImage, type FirmwareSlot, type Machine, type RunningBmc } from '../../../simulator/index.ts';
import { lookByReading } from '../../real/ironic/ironic-steps.ts';
import type { SushyTools } from '../../real/ironic/sushy-tools.ts';
import { until } from '../../real/ironic/until.ts';
import { patienceMs } from '../hosts/host-diary.ts';
import type { SlowImages } from './slow-images.ts';

/** How an update goes: to the middle until it is let go on, or wrong. */
export type Course = 'held' | 'bad';

/** An image for the BIOS of a machine. */
export interface Offer {
  readonly url: string;
  /** What the machine says of itself afterwards. */
  readonly version: string;
  /** `sha256:` and so on. */
  readonly checksum: string;
  /** Resolves when an update that is held has come to where it stays, and nothing but its end can disturb it. */
  inTheMiddle(): Promise<void>;
  letGo(): void;
}

/** A machine that runs something and whose firmware is changed. */
export interface LiveMachine {
  /** Of the host, and of its objects. */
  readonly name: string;
  /** Scheme, host and port of its BMC. */
  readonly origin: string;
  readonly systemPath: string;
  readonly bootMac: string;
  readonly login: { readonly username: string; readonly password: string };
  readonly vendor: string;
  readonly model: string;
  /** The setting that is changed; without it the first one that can be. */
  readonly biosSetting?: string;
  offer(course: Course): Offer;
  isPoweredOn(): Promise<boolean>;
  bios(name: string): Promise<unknown>;
  biosVersion(): Promise<unknown>;
  /** How often its firmware was written; undefined where nobody can tell. */
  flashes(): number | undefined;
}

/** One of the systems of sushy-tools; a suite has an emulator of its own, whose updates all go the same way. */
export function emulatedMachine(emulator: SushyTools, { index }: { readonly index: number }): LiveMachine {
  const systemPath = emulator.systemPaths[index] ?? assert.fail('there is no such system');
  const look = lookByReading(emulator.reader, systemPath);
  const { username, password } = emulator;
  let offered = 0;
  return {
    name: 'on-sushy-tools',
    origin: emulator.url,
    systemPath,
    bootMac: `52:54:00:00:00:${String(index + 1).padStart(2, '0')}`,
    login: { username, password },
    ...{ vendor: 'sushy', model: 'emulated', biosSetting: 'ProcTurboMode' },
    offer(course) {
      offered += 1;
      emulator.setTaskState(course === 'held' ? 'Running' : 'Exception');
      return {
        // The emulator fetches nothing, and counts up.
        ...{ url: `http://127.0.0.1:9/bios-${offered}.bin`, version: `1.${offered}.0`, checksum: '' },
        inTheMiddle: async () => {},
        letGo: () => emulator.setTaskState('Completed'),
      };
    },
    isPoweredOn: async () => (await look.power()) === 'On',
    bios: look.bios,
    biosVersion: look.biosVersion,
    flashes: () => undefined,
  };
}

/** A server of the simulator; whoever updates it either lets the BMC pull the image or brings it. */
export function simulatedMachine(
  bmc: RunningBmc,
  { images, isPulled }: { readonly images: SlowImages; readonly isPulled: boolean },
): LiveMachine {
  const { machine } = bmc;
  const { manufacturer } = machine.personality;
  const { model } = machine.hardware;
  let offered = 0;
  const offer = (course: Course): Offer => {
    offered += 1;
    const { softwareId, version: present } = biosOf(machine);
    const version = present.replace(/\d+(?=\D*$)/, String(100 + offered));
    const order = { vendor: manufacturer, models: [model], softwareId, component: 'bios', version } as const;
    const bytes = course === 'bad' ? Buffer.alloc(4096, 'x') : buildImage({ ...order, payloadBytes: 20_000 }).bytes();
    const gate = Promise.withResolvers<void>();
    if (course === 'bad') gate.resolve();
    const url = images.add(`${machine.name}-${offered}.bin`, bytes, gate.promise);
    const begun = countOf(machine, 'power.reset');
    // Ironic restarts the host once when it sees the update run, and that would break a flash that has begun.
    const isThere = (): boolean => images.isFetched(url) && (!isPulled || countOf(machine, 'power.reset') > begun);
    return {
      ...{ url, version },
      checksum: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
      inTheMiddle: () => waitFor(machine, isThere),
      letGo: gate.resolve,
    };
  };
  return {
    name: 'on-simulator',
    origin: bmc.url,
    systemPath: bmc.systemPath,
    bootMac: machine.hardware.nics[0]?.ports[0]?.mac.toLowerCase() ?? assert.fail('it has no NIC'),
    login: { username: bmc.username, password: bmc.password },
    ...{ vendor: manufacturer, model, offer },
    isPoweredOn: async () => machine.power.state === 'On',
    bios: async (name) => machine.bios.current[name],
    biosVersion: async () => biosOf(machine).version,
    flashes: () => countOf(machine, 'update.flash-begin'),
  };
}

function biosOf(machine: Machine): FirmwareSlot {
  return machine.firmware.find(({ component }) => component === 'bios') ?? assert.fail(`${machine.name} has no BIOS`);
}

function countOf({ log }: Machine, event: string): number {
  return log.events.filter((each) => each.event === event).length;
}

async function waitFor(machine: Machine, isSo: () => boolean): Promise<void> {
  await until({
    what: `${machine.name}: the middle of its update`,
    timeoutMs: patienceMs,
    look: async () => (isSo() ? true : undefined),
  });
}
