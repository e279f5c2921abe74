import type { Random } from '../../src/kube/index.ts';
import type { FaultOpportunity } from '../faults/fault.ts';
import { createRandom, drawHex } from '../time/random.ts';
import type { Session, Sessions } from './machine.ts';
import type { MachineBody } from './machine-body.ts';

/** The log-ins of one BMC. Expired ones are found when somebody looks, so that no timer is needed. */
export class SessionTable implements Sessions {
  readonly #machine: MachineBody;
  #sessions: Session[] = [];
  #count = 0;
  /** Names the stream that tokens come from: a token of an earlier run must not open a session of this one. */
  #life: readonly string[] = [];
  #random: Random | undefined;

  constructor(machine: MachineBody) {
    this.#machine = machine;
  }

  /** How many there ever were. */
  get count(): number {
    return this.#count;
  }

  get all(): readonly Session[] {
    this.#expire();
    return this.#sessions;
  }

  open(username: string): Session | 'exhausted' {
    this.#expire();
    const isFull = this.#sessions.length >= this.#machine.personality.limits.sessions;
    if (isFull || this.#machine.faults.strike('sessions-exhausted') !== undefined) {
      this.#machine.log.add('session.refused', `open=${this.#sessions.length}`);
      return 'exhausted';
    }
    // Tokens come from a stream of their own: log-ins must not change how long the next POST takes.
    this.#random ??= createRandom(this.#machine.seed, this.#machine.name, 'tokens', ...this.#life);
    this.#count++;
    const id = String(this.#count);
    const session = { id, token: drawHex(this.#random, 32), username, lastUsedAt: this.#machine.clock.now() };
    this.#sessions = [...this.#sessions, session];
    this.#machine.log.add('session.open', `id=${id} open=${this.#sessions.length}`);
    return session;
  }

  find(token: string, at?: FaultOpportunity): Session | undefined {
    this.#expire();
    const session = this.#sessions.find((each) => each.token === token);
    if (session === undefined) return undefined;
    if (this.#machine.faults.strike('session-expired', at) !== undefined) {
      this.#drop(session, 'session.expired');
      return undefined;
    }
    session.lastUsedAt = this.#machine.clock.now();
    return session;
  }

  close(id: string): boolean {
    this.#expire();
    const session = this.#sessions.find((each) => each.id === id);
    if (session !== undefined) this.#drop(session, 'session.close');
    return session !== undefined;
  }

  /** Goes on counting from an earlier run; its sessions are gone. */
  restore(count: number): void {
    this.#count = count;
    if (count > 0) this.#life = [String(count)];
  }

  /** The BMC restarts: nobody is logged in any more. */
  closeAll(): void {
    if (this.#sessions.length > 0) this.#machine.log.add('session.lost', `count=${this.#sessions.length}`);
    this.#sessions = [];
  }

  #expire(): void {
    if (this.#sessions.length === 0) return;
    const oldest = this.#machine.clock.now() - this.#machine.personality.limits.sessionTimeoutMs;
    for (const session of this.#sessions) if (session.lastUsedAt < oldest) this.#drop(session, 'session.expired');
  }

  #drop(session: Session, event: string): void {
    this.#sessions = this.#sessions.filter((each) => each !== session);
    this.#machine.log.add(event, `id=${session.id} open=${this.#sessions.length}`);
  }
}
