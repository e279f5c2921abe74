import type { Random } from '../../src/kube/index.ts';
import type { FaultSet } from '../faults/fault.ts';
import type { FaultSets } from '../faults/fault-sets.ts';
import { createHttpDownloader, type ImageDownloader } from '../images/download-image.ts';
import { createImageDigests, type ImageDigests } from '../images/image-digests.ts';
import type { Personality } from '../personalities/personality.ts';
import type { JsonValue } from '../redfish/route.ts';
import { createRandom } from '../time/random.ts';
import type { SimClock } from '../time/sim-clock.ts';
import { AccountTable } from './account-table.ts';
import { BiosSetup } from './bios-setup.ts';
import { BmcUnit } from './bmc-unit.ts';
import { BootOverride } from './boot-override.ts';
import type { EventLog } from './event-log.ts';
import { EventSource } from './event-source.ts';
import type { FirmwareSlot } from './firmware.ts';
import type { Hardware } from './hardware.ts';
import { HostUnit } from './host-unit.ts';
import type { Machine, Neighbour } from './machine.ts';
import type { MachineBody } from './machine-body.ts';
import { createEventLog } from './machine-log.ts';
import { MediaSlots } from './media-slots.ts';
import { reportFirmware } from './reported-firmware.ts';
import { restoreMachine, saveMachine } from './save-machine.ts';
import type { SavedMachine } from './saved-machine.ts';
import { SessionTable } from './session-table.ts';
import { TaskList } from './task-list.ts';
import { UpdateLine } from './update-line.ts';

/** What a machine is made from. */
export interface MachineOptions {
  readonly name: string;
  readonly personality: Personality;
  readonly hardware: Hardware;
  readonly clock: SimClock;
  readonly seed: number;
  readonly password: string;
  /** `admin` unless given. */
  readonly username?: string;
  /** The faults of the data centre, or a set of the machine's own; none unless given. */
  readonly faults?: FaultSets | FaultSet;
  readonly log?: EventLog;
  /** What is on the other end of the cable in a NIC port, by MAC. */
  readonly neighbourOf?: (mac: string) => Neighbour | undefined;
  /** Its operating system runs already; off unless given. */
  readonly isPoweredOn?: boolean;
  /** Share one among all machines: it remembers the digests of images. */
  readonly images?: ImageDigests;
  /** How a pull fetches its image; share one among all machines. Over HTTP unless given. */
  readonly download?: ImageDownloader;
  /** By what share each duration varies, either way; a tenth unless given. */
  readonly variation?: number;
}

const noFaults: FaultSet = { strike: () => undefined };

class SimulatedMachine implements MachineBody {
  readonly name: string;
  readonly personality: Personality;
  readonly hardware: Hardware;
  readonly clock: SimClock;
  readonly seed: number;
  readonly random: Random;
  readonly log: EventLog;
  readonly faults: FaultSet;
  readonly firmware: readonly FirmwareSlot[];
  readonly accounts: AccountTable;
  readonly sessions: SessionTable;
  readonly power: HostUnit;
  readonly boot: BootOverride;
  readonly bios: BiosSetup;
  readonly media: MediaSlots;
  readonly tasks: TaskList;
  readonly updates: UpdateLine;
  readonly manager: BmcUnit;
  readonly events: EventSource;
  #notes: Map<string, JsonValue> | undefined;
  readonly #firstPassword: string;
  readonly #neighbourOf: ((mac: string) => Neighbour | undefined) | undefined;
  #images: ImageDigests | undefined;
  #download: ImageDownloader | undefined;
  readonly #variation: number;

  constructor(options: MachineOptions) {
    this.name = options.name;
    this.personality = options.personality;
    this.hardware = options.hardware;
    this.clock = options.clock;
    this.seed = options.seed;
    this.random = createRandom(options.seed, options.name);
    this.log = options.log ?? createEventLog(options.clock);
    this.faults = faultsOf(options.faults, this);
    this.firmware = options.personality.firmware(options.hardware);
    this.accounts = new AccountTable(this, { username: options.username ?? 'admin', password: options.password });
    this.sessions = new SessionTable(this);
    this.power = new HostUnit(this, { isPoweredOn: options.isPoweredOn ?? false });
    this.boot = new BootOverride(this);
    this.bios = new BiosSetup(this);
    this.media = new MediaSlots(this);
    this.tasks = new TaskList(this);
    this.updates = new UpdateLine(this);
    this.manager = new BmcUnit(this);
    this.events = new EventSource(this);
    this.#firstPassword = options.password;
    this.#neighbourOf = options.neighbourOf;
    this.#images = options.images;
    this.#download = options.download;
    this.#variation = options.variation ?? 0.1;
  }

  get notes(): Map<string, JsonValue> {
    this.#notes ??= new Map();
    return this.#notes;
  }

  get images(): ImageDigests {
    this.#images ??= createImageDigests();
    return this.#images;
  }

  get download(): ImageDownloader {
    this.#download ??= createHttpDownloader();
    return this.#download;
  }

  reportedFirmware(): readonly FirmwareSlot[] {
    return reportFirmware(this);
  }

  save(): SavedMachine | undefined {
    return saveMachine(this, this.#firstPassword);
  }

  restore(saved: SavedMachine): void {
    restoreMachine(this, saved);
  }

  resume(): void {
    this.power.resume();
    this.updates.carryOn();
  }

  neighbour(mac: string): Neighbour | undefined {
    return this.#neighbourOf?.(mac);
  }

  vary(durationMs: number): number {
    const share = this.#variation;
    return Math.round(durationMs * (1 - share + 2 * share * this.random()));
  }
}

function faultsOf(
  faults: FaultSets | FaultSet | undefined,
  machine: Pick<Machine, 'name' | 'clock' | 'log'>,
): FaultSet {
  if (faults === undefined) return noFaults;
  return 'of' in faults ? faults.of(machine) : faults;
}

/** Makes a server and its BMC, without the HTTP around it. */
export function createMachine(options: MachineOptions): Machine {
  return new SimulatedMachine(options);
}
