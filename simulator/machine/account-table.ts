import type { FaultOpportunity } from '../faults/fault.ts';
import type { Accounts } from './machine.ts';
import type { MachineBody } from './machine-body.ts';

const lockedByFaultMs = 5 * 60_000;

/** The one account of a BMC, with the lockout of its vendor. */
export class AccountTable implements Accounts {
  readonly username: string;
  readonly #machine: MachineBody;
  #password: string;
  #badTries = 0;
  #lastBadMs = 0;
  #lockedUntilMs = 0;

  constructor(machine: MachineBody, credentials: { readonly username: string; readonly password: string }) {
    this.#machine = machine;
    this.username = credentials.username;
    this.#password = credentials.password;
  }

  get password(): string {
    return this.#password;
  }

  get isLocked(): boolean {
    return this.#machine.clock.elapsedMs() < this.#lockedUntilMs;
  }

  check(username: string, password: string, at?: FaultOpportunity): 'ok' | 'refused' | 'locked' {
    const struck = this.#machine.faults.strike('locked-out', at);
    if (struck !== undefined)
      this.#lock(struck.durationMs ?? (this.#machine.personality.limits.lockoutMs || lockedByFaultMs));
    if (username !== this.username) return 'refused';
    if (this.isLocked) return 'locked';
    if (password !== this.#password) return this.#refuse();
    this.#badTries = 0;
    return 'ok';
  }

  change(username: string, change: { readonly password?: string }): boolean {
    if (username !== this.username) return false;
    if (change.password === undefined) return true;
    this.#password = change.password;
    this.#badTries = 0;
    this.#machine.log.add('account.changed', `username=${username}`);
    return true;
  }

  /** Takes over a password that was changed in an earlier run. */
  restore(password: string): void {
    this.#password = password;
  }

  #refuse(): 'refused' {
    const { lockoutThreshold, lockoutMs } = this.#machine.personality.limits;
    const nowMs = this.#machine.clock.elapsedMs();
    // As its AccountLockoutCounterResetAfter says: old mistakes are forgotten.
    if (nowMs - this.#lastBadMs >= lockoutMs) this.#badTries = 0;
    this.#lastBadMs = nowMs;
    this.#badTries++;
    this.#machine.log.add('account.refused', `username=${this.username} tries=${this.#badTries}`);
    if (lockoutThreshold > 0 && this.#badTries >= lockoutThreshold) this.#lock(lockoutMs);
    return 'refused';
  }

  #lock(durationMs: number): void {
    this.#badTries = 0;
    this.#lockedUntilMs = this.#machine.clock.elapsedMs() + durationMs;
    this.#machine.log.add('account.locked', `username=${this.username} ms=${durationMs}`);
  }
}
