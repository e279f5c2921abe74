import type { Timer } from '../../src/kube/index.ts';
import type { BootProgress, HostPower } from './machine.ts';
import type { MachineBody } from './machine-body.ts';
import { machineRulesOf } from './rules.ts';
import type { SavedPower } from './saved-machine.ts';

type Phase =
  | 'off'
  | 'powering-on'
  | 'post'
  | 'flashing'
  | 'setup'
  | 'booting'
  | 'running'
  | 'restarting'
  | 'powering-off';

type BootDevice = NonNullable<HostPower['bootedFrom']>;

/** POST as Redfish tells it: from which share of its time on which step shows. */
const postSteps: readonly { readonly from: number; readonly progress: BootProgress }[] = [
  { from: 0.85, progress: 'SystemHardwareInitializationComplete' },
  { from: 0.5, progress: 'PCIResourceConfigStarted' },
  { from: 0.1, progress: 'MemoryInitializationStarted' },
  { from: 0, progress: 'PrimaryProcessorInitializationStarted' },
];

/** The share of POST after which settings and firmware that wait for a reset have their turn. */
const settingsShare = 0.3;

const none: readonly never[] = Object.freeze([]);

/** The host of one machine: a power supply, POST, a boot device and an operating system. */
export class HostUnit implements HostPower {
  readonly #machine: MachineBody;
  #phase: Phase;
  #timer: Timer | undefined;
  #postSinceMs = 0;
  #postMs = 0;
  #bootedFrom: BootDevice | undefined;
  #hasSoftware: boolean;
  /** It comes back by itself after a fault, which must not strike at that again. */
  #isSpared = false;
  /** It is off, or on its way there, only for a while: in a power cycle, or by a fault that ends. */
  #comesBack = false;
  #listeners: readonly ((from: BootDevice) => void)[] = none;
  #offListeners: readonly (() => void)[] = none;

  constructor(machine: MachineBody, options: { readonly isPoweredOn: boolean }) {
    this.#machine = machine;
    this.#phase = options.isPoweredOn ? 'running' : 'off';
    this.#bootedFrom = options.isPoweredOn ? 'disk' : undefined;
    this.#hasSoftware = options.isPoweredOn;
  }

  get state(): HostPower['state'] {
    switch (this.#phase) {
      case 'off':
        return 'Off';
      case 'powering-on':
        return 'PoweringOn';
      case 'powering-off':
        return 'PoweringOff';
      default:
        return 'On';
    }
  }

  get bootProgress(): BootProgress {
    switch (this.#phase) {
      case 'post':
        return this.#postProgress();
      case 'flashing':
        return 'PCIResourceConfigStarted';
      case 'setup':
        return 'SetupEntered';
      case 'booting':
        return 'OSBootStarted';
      case 'running':
      case 'restarting':
        return 'OSRunning';
      default:
        return 'None';
    }
  }

  get bootedFrom(): BootDevice | undefined {
    return this.#bootedFrom;
  }

  onBoot(listener: (from: BootDevice) => void): () => void {
    const own = (from: BootDevice): void => listener(from);
    this.#listeners = [...this.#listeners, own];
    return () => {
      this.#listeners = this.#listeners.filter((each) => each !== own);
    };
  }

  onOff(listener: () => void): () => void {
    const own = (): void => listener();
    this.#offListeners = [...this.#offListeners, own];
    return () => {
      this.#offListeners = this.#offListeners.filter((each) => each !== own);
    };
  }

  reset(type: string): 'ok' | 'unsupported' | 'wrong-state' {
    if (!this.#machine.personality.service.resetTypes.includes(type)) return 'unsupported';
    const outcome = this.#machine.updates.isHostNeeded ? 'wrong-state' : this.#reset(type);
    this.#machine.log.add('power.reset', `type=${type} outcome=${outcome}`);
    if (this.#phase === 'powering-on') this.#machine.updates.hostComesOn();
    return outcome;
  }

  /** Restarts a host that is on, for an update that does so by itself. */
  restart(): void {
    if (this.state === 'On') this.#beginPost();
  }

  /** What held POST up is written: the host starts over with it. */
  resumePost(): void {
    if (this.#phase === 'flashing') this.#beginPost();
  }

  /** What outlives the simulator. */
  save(): SavedPower {
    const bootedFrom = this.#bootedFrom === undefined ? {} : { bootedFrom: this.#bootedFrom };
    switch (this.#phase) {
      case 'off':
      case 'powering-off':
        return { state: this.#comesBack ? 'starting' : 'off', ...bootedFrom };
      case 'setup':
      case 'booting':
      case 'running':
        return { state: 'running', ...bootedFrom };
      default:
        return { state: 'starting', ...bootedFrom };
    }
  }

  /** Becomes what was saved; time does not go on for it before `resume`. */
  restore({ state, bootedFrom }: SavedPower): void {
    this.#bootedFrom = bootedFrom;
    this.#hasSoftware = state === 'running';
    if (state === 'running') this.#phase = bootedFrom === 'bios' ? 'setup' : 'running';
    else this.#phase = state === 'off' ? 'off' : 'powering-on';
  }

  /** A host that was on its way through POST sets out again. */
  resume(): void {
    if (this.#phase === 'powering-on' && this.#timer === undefined) this.#powerOn();
  }

  #reset(type: string): 'ok' | 'unsupported' | 'wrong-state' {
    switch (type) {
      case 'On':
      case 'ForceOn':
        return this.#phase === 'off' ? this.#powerOn() : this.#repeated(this.state !== 'PoweringOff');
      case 'ForceOff':
        return this.#phase === 'off'
          ? this.#repeated(true)
          : this.#powerOff(this.#machine.personality.timings.forceOffMs);
      case 'GracefulShutdown':
        return this.#phase === 'off' ? this.#repeated(true) : this.#shutDown();
      case 'PushPowerButton':
        return this.#phase === 'off' ? this.#powerOn() : this.#shutDown();
      case 'Nmi':
        return this.state === 'On' ? 'ok' : 'wrong-state';
      case 'GracefulRestart':
      case 'ForceRestart':
      case 'PowerCycle':
        return this.#restart(type);
      default:
        return 'unsupported';
    }
  }

  #repeated(isThere: boolean): 'ok' | 'wrong-state' {
    return isThere && machineRulesOf(this.#machine.personality).hasLenientResets ? 'ok' : 'wrong-state';
  }

  #restart(type: 'GracefulRestart' | 'ForceRestart' | 'PowerCycle'): 'ok' | 'wrong-state' {
    const isLenient = machineRulesOf(this.#machine.personality).hasLenientResets;
    if (this.#phase === 'off') return isLenient ? this.#powerOn() : 'wrong-state';
    if (this.state !== 'On') return 'wrong-state';
    const { gracefulShutdownMs, forceOffMs } = this.#machine.personality.timings;
    if (type === 'PowerCycle') return this.#powerOff(forceOffMs, () => this.#powerOn());
    if (type === 'GracefulRestart' && this.#phase === 'flashing') return 'wrong-state';
    if (type === 'GracefulRestart' && this.#phase === 'running') {
      this.#enter('restarting', gracefulShutdownMs, () => this.#beginPost());
      return 'ok';
    }
    this.#loseFlash();
    this.#beginPost();
    return 'ok';
  }

  /** The operating system is asked; without one, UEFI switches off at once. */
  #shutDown(): 'ok' | 'wrong-state' {
    if (this.state !== 'On' || this.#phase === 'flashing') return 'wrong-state';
    const { gracefulShutdownMs, forceOffMs } = this.#machine.personality.timings;
    const hasOs = this.#phase === 'running' || this.#phase === 'restarting';
    return this.#powerOff(hasOs ? gracefulShutdownMs : forceOffMs);
  }

  #powerOn(): 'ok' {
    this.#comesBack = false;
    this.#enter('powering-on', this.#machine.personality.timings.powerOnMs, () => {
      this.#machine.log.add('power.on');
      this.#announce('On');
      this.#beginPost();
    });
    return 'ok';
  }

  #powerOff(durationMs: number, then?: () => void): 'ok' {
    this.#loseFlash();
    this.#comesBack = then !== undefined;
    this.#enter('powering-off', durationMs, () => {
      this.#goOff();
      then?.();
    });
    return 'ok';
  }

  #goOff(): void {
    this.#timer?.cancel();
    this.#stopSoftware();
    this.#phase = 'off';
    this.#machine.log.add('power.off');
    this.#announce('Off');
  }

  /** Power is cut while firmware is being written during POST. */
  #loseFlash(): void {
    if (this.#phase !== 'flashing') return;
    this.#phase = 'post';
    this.#machine.updates.hostLost();
  }

  /** Whatever booted is gone; told once, and only when something had booted. */
  #stopSoftware(): void {
    if (!this.#hasSoftware) return;
    this.#hasSoftware = false;
    for (const listener of this.#offListeners) listener();
  }

  #beginPost(): void {
    this.#stopSoftware();
    const struck = this.#isSpared ? undefined : this.#machine.faults.strike('host-stays-down');
    this.#isSpared = false;
    if (struck !== undefined) {
      this.#machine.log.add('host.stays-down');
      this.#goOff();
      if (struck.durationMs !== undefined) this.#comeBackAfter(struck.durationMs);
      return;
    }
    this.#postMs = this.#machine.vary(this.#machine.personality.timings.postMs);
    this.#postSinceMs = this.#machine.clock.elapsedMs();
    this.#machine.log.add('post.begin');
    this.#phase = 'post';
    this.#wake(Math.floor(this.#postMs * settingsShare), () => this.#changeSettings());
  }

  #comeBackAfter(durationMs: number): void {
    this.#comesBack = true;
    this.#wake(durationMs, () => {
      this.#isSpared = true;
      this.#powerOn();
    });
  }

  #changeSettings(): void {
    this.#machine.bios.apply();
    if (this.#machine.updates.hostInPost()) {
      this.#phase = 'flashing';
      this.#timer = undefined;
      return;
    }
    this.#wake(this.#postMs - Math.floor(this.#postMs * settingsShare), () => this.#endPost());
  }

  #endPost(): void {
    this.#machine.log.add('post.done');
    const from = this.#machine.boot.choose();
    this.#bootedFrom = from;
    this.#hasSoftware = true;
    this.#machine.log.add('boot', `from=${from}`);
    if (from === 'bios') {
      this.#phase = 'setup';
      this.#timer = undefined;
    } else {
      this.#enter('booting', this.#machine.personality.timings.osBootMs, () => {
        this.#phase = 'running';
        this.#machine.log.add('os.running');
      });
    }
    for (const listener of this.#listeners) listener(from);
  }

  #enter(phase: Phase, durationMs: number, then: () => void): void {
    this.#phase = phase;
    this.#wake(this.#machine.vary(durationMs), then);
  }

  #wake(delayMs: number, then: () => void): void {
    this.#timer?.cancel();
    this.#timer = this.#machine.clock.after(delayMs, then);
  }

  #postProgress(): BootProgress {
    const share = (this.#machine.clock.elapsedMs() - this.#postSinceMs) / Math.max(1, this.#postMs);
    return postSteps.find((step) => share >= step.from)?.progress ?? 'PrimaryProcessorInitializationStarted';
  }

  #announce(state: 'On' | 'Off'): void {
    this.#machine.events.publish({
      messageId: 'ResourceEvent.1.0.ResourceChanged',
      message: `The host is ${state.toLowerCase()}.`,
      severity: 'OK',
      origin: `/redfish/v1/Systems/${this.#machine.personality.ids.system}`,
    });
  }
}
