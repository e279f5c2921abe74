import assert from 'node:assert/strict';
import type { SwitchPortStatus } from '../../api/index.ts';
import type { SwitchResult } from '../../switches/index.ts';
import { cleanSettings, type PortSettings, type PortState, planPort, portAspects } from '../../switches/index.ts';
import type { PortCall } from '../devices/lane.ts';
import { createPortBook, type PortBook } from '../devices/port-book.ts';
import type { SwitchBook } from '../devices/switch-book.ts';
import { decidePort, type PortEffect } from '../port/decide-port.ts';
import type { PortSeen, SwitchStanding } from '../port/port-seen.ts';
import { settingsOfRecord } from '../port/port-situation.ts';
import { linkedByAnnotation } from '../resources.ts';
import { noon, portSeen } from './port-seen.ts';

/** How one call goes: when the device carries it out, when the caller hears of its end, and what it hears. */
export interface CallScript {
  readonly result: 'done' | 'refused' | 'denied' | 'unreachable' | 'uncertain' | 'mismatch';
  readonly endsAfterMs: number;
  /** Undefined: a change whose result is not `done` is never carried out. One that is refused is carried out by its end, or never. */
  readonly landsAfterMs: number | undefined;
}

/** How long after the caller stopped waiting a device may carry out a change. */
export const settleMs = 60_000;

const prompt: CallScript = { result: 'done', endsAfterMs: 0, landsAfterMs: 0 };
const key = 'infra/p1';

interface Timed {
  readonly at: number;
  readonly run: () => void;
}

/** A change that the device may still carry out. */
interface Landing {
  at: number;
  readonly settings: PortSettings;
}

/** For tests: one port with its controller and its device, whose calls end late, out of order, or never. */
export class PortWalk {
  status: SwitchPortStatus | undefined = undefined;
  link: number | undefined = undefined;
  isCleanRequested = false;
  device: PortSettings;
  now = noon;
  writes = 0;
  wasSet = false;
  /** The device has what somebody else set. */
  #isForeign: boolean;
  #isHeld = false;
  #units = 1;
  #scripts: CallScript[] = [];
  #landings: Landing[] = [];
  #ends: Timed[] = [];
  #book: PortBook;
  readonly #start: PortSettings;
  readonly #isBlind: boolean;

  constructor(start: PortSettings, { isBlind }: { readonly isBlind: boolean }) {
    this.device = start;
    this.#start = start;
    this.#isForeign = true;
    this.#isBlind = isBlind;
    this.#book = this.#open();
  }

  #open(): PortBook {
    const clock = { now: () => this.now, after: () => assert.fail('nothing here takes a timer') };
    const switches = { laneOf: () => ({ ask: this.#ask }), standingOf: () => this.#standing, doubt: () => undefined };
    return createPortBook({
      switches: switches as unknown as SwitchBook,
      clock: clock as never,
      settleMs,
      wake: () => undefined,
    });
  }

  get #standing(): SwitchStanding {
    return { kind: 'ready', access: this.#unit, unit: this.#unit, since: 0 };
  }

  get #unit(): string {
    return `unit-${this.#units}`;
  }

  script(calls: readonly CallScript[]): void {
    this.#scripts = [...calls];
  }

  /** Somebody else sets the port; a device that tells nothing of its ports does not show it, so it is not done there. */
  drift(settings: PortSettings): void {
    if (this.#isBlind) return;
    this.device = settings;
    this.#isForeign = true;
    this.#book.doubt(key);
  }

  replace(): void {
    this.device = this.#start;
    this.#isForeign = true;
    this.#units += 1;
    this.#landings = [];
  }

  /** The process is gone with all that it knows; what it sent to the device may still be carried out. */
  restart(): void {
    this.#ends = [];
    for (const landing of this.#landings) landing.at = Math.min(landing.at, this.now + settleMs - 1);
    this.#book = this.#open();
  }

  async wait(ms: number): Promise<void> {
    const until = this.now + ms;
    for (;;) {
      const next = [...this.#landings, ...this.#ends].toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > until) break;
      this.now = Math.max(this.now, next.at);
      if ('run' in next) {
        this.#ends = this.#ends.filter((each) => each !== next);
        next.run();
      } else {
        this.#landings = this.#landings.filter((each) => each !== next);
        this.#land(next.settings);
      }
      await this.reconcile();
    }
    this.now = until;
  }

  /** Nothing goes wrong any more, and time passes. A port that was refused too often gets other attempts by a restart. */
  async settle(): Promise<void> {
    this.#scripts = [];
    await this.wait(4 * settleMs);
    this.restart();
    for (let minutes = 0; minutes < 10; minutes++) {
      await this.reconcile();
      await this.wait(60_000);
    }
    await this.reconcile();
  }

  /** Reconciles until there is nothing to do but to wait. */
  async reconcile(): Promise<void> {
    for (let steps = 0; steps < 50; steps++) {
      const isBusy = this.#step();
      for (let ticks = 0; ticks < 4; ticks++) await Promise.resolve();
      this.#check();
      const due = [...this.#ends].find(({ at }) => at <= this.now);
      if (due !== undefined) await this.wait(0);
      else if (!isBusy) return;
    }
  }

  #step(): boolean {
    const seen = this.#seen();
    const { effects, status } = decidePort(seen, this.now);
    for (const effect of effects) this.#do(effect);
    const isChanged = status !== undefined && JSON.stringify(status) !== JSON.stringify(this.status);
    if (status !== undefined) this.status = status;
    return isChanged || effects.length > 0;
  }

  #seen(): PortSeen {
    const seen = portSeen({
      ...(this.status === undefined ? {} : { status: this.status }),
      configuration: this.link === undefined ? undefined : { untaggedVLAN: this.link },
      finalizers: this.#isHeld ? ['rackwright.io/network'] : [],
      ...(this.isCleanRequested ? { annotations: { [linkedByAnnotation]: 'tenant/h1' } } : {}),
      seen: { standing: this.#standing },
    });
    return { ...seen, memory: this.#book.memoryOf(seen.port) };
  }

  #do(effect: PortEffect): void {
    if (effect.kind === 'add-finalizer') this.#isHeld = true;
    else if (effect.kind === 'resolve') this.#book.resolve(key);
    else if (effect.kind !== 'remove-finalizer') {
      const { socket: port, goal } = effect;
      const call: PortCall =
        effect.kind === 'apply'
          ? { kind: 'apply', port, wanted: effect.wanted }
          : effect.kind === 'clear'
            ? { kind: 'clear', port }
            : { kind: 'read', port };
      this.#book.begin({ port: key, owner: 'infra/leaf', call, goal });
    }
  }

  readonly #ask = (call: PortCall): Promise<SwitchResult<PortState>> => {
    const { result, endsAfterMs, landsAfterMs } = this.#scripts.shift() ?? prompt;
    const endsAt = this.now + endsAfterMs;
    if (call.kind === 'read') {
      // A device tells what it has when it is asked, however late the caller hears of it.
      const told = this.#told();
      const failure = { kind: 'unreachable', message: 'scripted' } as const;
      return this.#answer(endsAt, () => (result === 'done' ? { kind: 'done', value: told } : failure));
    }
    const wanted = call.kind === 'apply' ? call.wanted : cleanSettings();
    // Nothing is set that nobody wants at that moment, and nothing is set before it is recorded.
    if (call.kind === 'apply') {
      assert.equal(wanted.untaggedVlan, this.link);
      assert.equal(this.status?.configuration?.untaggedVLAN, this.link);
      this.wasSet = true;
    }
    if (result === 'unreachable') return this.#answer(endsAt, () => ({ kind: result, message: 'scripted' }));
    // A switch may refuse the second half of a change when it has made the first.
    const isRefused = result === 'refused' || result === 'denied';
    const lastAt = result === 'done' || isRefused ? endsAt : endsAt + settleMs - 1;
    if (landsAfterMs !== undefined || result === 'done')
      this.#landings.push({ at: Math.min(this.now + (landsAfterMs ?? 0), lastAt), settings: wanted });
    return this.#answer(endsAt, () => {
      if (result === 'done') return { kind: 'done', value: this.#told() };
      if (isRefused) return { kind: result, message: 'scripted' };
      if (result === 'mismatch') return { kind: 'mismatch', seen: this.#told(), message: 'scripted' };
      return { kind: 'uncertain', message: 'scripted' };
    });
  };

  #answer(at: number, result: () => SwitchResult<PortState>): Promise<SwitchResult<PortState>> {
    return new Promise((resolve) => this.#ends.push({ at, run: () => resolve(result()) }));
  }

  #told(): PortState {
    const parts = { port: 'Ethernet1', strays: [] };
    return this.#isBlind
      ? { ...cleanSettings(), ...parts, unread: portAspects }
      : { ...this.device, ...parts, unread: [] };
  }

  #land(settings: PortSettings): void {
    this.device = settings;
    this.#isForeign = false;
    this.writes += 1;
    this.#check();
  }

  /** What the status claims is so, unless somebody else set the port since. */
  #check(): void {
    const { state, configuration } = this.status ?? {};
    if (this.#isForeign || (state !== 'Idle' && state !== 'Active')) return;
    const claimed = state === 'Idle' ? cleanSettings() : settingsOfRecord(configuration);
    const device = { ...this.device, port: 'Ethernet1', unread: [], strays: [] };
    assert.deepEqual(planPort(device, claimed ?? cleanSettings()).differences, [], `it says ${state}`);
  }
}
