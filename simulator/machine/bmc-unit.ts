import type { Timer } from '../../src/kube/index.ts';
import type { ManagerUnit } from './machine.ts';
import type { MachineBody } from './machine-body.ts';
import { machineRulesOf } from './rules.ts';
import type { SavedManager } from './saved-machine.ts';

/** What a BMC shows whose battery is empty: it starts again in this year. */
const emptyBatteryEpochMs = Date.UTC(2006, 0, 1);

const none: readonly never[] = Object.freeze([]);

/** The BMC of one machine: whether it can be reached, its clock, its certificate. */
export class BmcUnit implements ManagerUnit {
  readonly #machine: MachineBody;
  #indicator: ManagerUnit['indicator'] = 'Off';
  #timer: Timer | undefined;
  #onAway: readonly (() => void)[] = none;
  #onBack: readonly (() => void)[] = none;
  #awayUntilMs = 0;
  #clockOffsetMs = 0;
  #certificateGeneration = 0;
  /** Which life of the BMC the faults that change it have struck in: they strike once a life. */
  #clockLife = -1;
  #certificateLife = -1;
  #restarts = 0;

  constructor(machine: MachineBody) {
    this.#machine = machine;
  }

  get isReachable(): boolean {
    return this.#timer === undefined;
  }

  get isUpdating(): boolean {
    return this.#machine.updates.isBmcBeingWritten;
  }

  get indicator(): ManagerUnit['indicator'] {
    return this.#indicator;
  }

  get certificateGeneration(): number {
    if (this.#certificateLife !== this.#life && this.#machine.faults.strike('certificate-changed') !== undefined) {
      this.#certificateLife = this.#life;
      this.#certificateGeneration++;
    }
    return this.#certificateGeneration;
  }

  setIndicator(state: string): boolean {
    if (state !== 'Lit' && state !== 'Off' && state !== 'Blinking') return false;
    this.#indicator = state;
    return true;
  }

  reset(type: string): 'ok' | 'unsupported' {
    if (!this.#machine.personality.service.managerResetTypes.includes(type)) return 'unsupported';
    this.#machine.log.add('manager.reset', `type=${type}`);
    this.restart({ extraMs: 0, onBack: () => this.#machine.updates.managerIsBack() });
    this.#machine.updates.managerRestarts();
    return 'ok';
  }

  /** Goes away, comes back with nobody logged in, then calls back. */
  restart(order: { readonly extraMs: number; readonly onBack: () => void }): void {
    this.#restarts++;
    this.#machine.sessions.closeAll();
    if (machineRulesOf(this.#machine.personality).losesTasksOnReset) this.#machine.tasks.clear();
    this.goAway(this.#machine.vary(this.#machine.personality.timings.managerResetMs) + order.extraMs, order.onBack);
  }

  /** Cannot be reached for a while; two absences at once last as long as the longer. */
  goAway(durationMs: number, then?: () => void): void {
    if (then !== undefined) this.#onBack = [...this.#onBack, then];
    const nowMs = this.#machine.clock.elapsedMs();
    this.#awayUntilMs = Math.max(this.#awayUntilMs, nowMs + durationMs);
    const wasReachable = this.isReachable;
    this.#timer?.cancel();
    this.#machine.log.add('manager.away', `ms=${this.#awayUntilMs - nowMs}`);
    this.#timer = this.#machine.clock.after(this.#awayUntilMs - nowMs, () => {
      this.#timer = undefined;
      this.#machine.log.add('manager.back');
      const waiting = this.#onBack;
      this.#onBack = none;
      for (const callback of waiting) callback();
      this.#machine.updates.carryOn();
    });
    if (wasReachable) for (const listener of this.#onAway) listener();
  }

  onAway(listener: () => void): () => void {
    const own = (): void => listener();
    this.#onAway = [...this.#onAway, own];
    return () => {
      this.#onAway = this.#onAway.filter((each) => each !== own);
    };
  }

  now(): number {
    if (this.#clockLife !== this.#life) this.#loseClock();
    return this.#machine.clock.now() + this.#clockOffsetMs;
  }

  setClock(epochMs: number): void {
    this.#clockOffsetMs = epochMs - this.#machine.clock.now();
    this.#machine.log.add('manager.clock-set', `offsetMs=${this.#clockOffsetMs}`);
  }

  /** What outlives the simulator; undefined when all is as it was out of the box. */
  save(): SavedManager | undefined {
    if (this.#indicator === 'Off' && this.#clockOffsetMs === 0) return undefined;
    return { indicator: this.#indicator, clockOffsetMs: this.#clockOffsetMs };
  }

  restore(saved: SavedManager): void {
    this.#indicator = saved.indicator;
    this.#clockOffsetMs = saved.clockOffsetMs;
  }

  get #life(): number {
    return this.#restarts + (this.#machine.faults.revision ?? 0) * 1e6;
  }

  #loseClock(): void {
    const struck = this.#machine.faults.strike('clock-off');
    if (struck === undefined) return;
    this.#clockLife = this.#life;
    this.#clockOffsetMs = struck.durationMs ?? emptyBatteryEpochMs - this.#machine.clock.now();
  }
}
