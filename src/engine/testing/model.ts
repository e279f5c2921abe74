import assert from 'node:assert/strict';
import type { Condition } from '../condition.ts';
import type { Engine } from '../engine.ts';
import type { Lease } from '../worker/worker-port.ts';
import { held, type Rig } from './rig.ts';

/** A lease as the model remembers it, long after it ended. */
interface Known {
  readonly lease: Lease;
  readonly isPassive: boolean;
  until: number;
  /** From when nobody is in its way any more; undefined while it is held. */
  freeFrom: number | undefined;
}

const leaseMs = 10_000;
const requestDeadlineMs = 5000;

/** For tests: what must be true of an engine, kept so simply that it can be seen to be right. */
export class EngineModel {
  readonly #rig: Rig;
  readonly #engines: readonly Engine[];
  readonly known: Known[] = [];
  readonly #lastToken = new Map<string, number>();

  constructor(rig: Rig, engines: readonly Engine[]) {
    this.#rig = rig;
    this.#engines = engines;
  }

  engine(pick: number): Engine {
    return this.#engines[pick % this.#engines.length] ?? this.#rig.engine;
  }

  get now(): number {
    return this.#rig.clock.now();
  }

  async lease(pick: number, max: number): Promise<void> {
    const worker = `w${pick % 3}`;
    for (const lease of await this.engine(pick).worker.lease(worker, { max, waitMs: 0 })) this.#took(lease);
  }

  #took(lease: Lease): void {
    const { condition, token } = lease;
    const isPassive = condition.kind === 'catalogueLookup';
    const last = this.#lastToken.get(condition.lockKey) ?? 0;
    assert.ok(token > last, `token ${token} of ${condition.lockKey} does not come after ${last}`);
    this.#lastToken.set(condition.lockKey, token);
    const others = this.known.filter((one) => one.lease.condition.id === condition.id && this.isHeld(one));
    assert.deepEqual(others, [], 'it was leased while another held it');
    for (const one of this.known) {
      if (isPassive || one.isPassive || one.lease.condition.lockKey !== condition.lockKey) continue;
      const freeFrom = one.freeFrom ?? one.until + requestDeadlineMs;
      if (isShared(one.lease.condition) && isShared(condition)) continue;
      assert.ok(this.now >= freeFrom, `${condition.kind} was leased ${freeFrom - this.now} ms too early`);
    }
    this.known.push({ lease, isPassive, until: this.now + leaseMs, freeFrom: undefined });
  }

  isHeld(one: Known): boolean {
    return one.freeFrom === undefined && this.now < one.until;
  }

  /** Reports with any lease that was ever given; only a held one may be taken. */
  async report(pick: number, state: 'active' | 'failed' | 'succeeded'): Promise<void> {
    const one = this.known[pick % Math.max(1, this.known.length)];
    if (one === undefined) return;
    const isHeld = this.isHeld(one);
    const before = await this.#rig.engine.get(one.lease.condition.id);
    const outcome = await this.engine(pick).worker.report(held(one.lease), { state, progress: { pick } });
    const after = await this.#rig.engine.get(one.lease.condition.id);
    const isRepeated = state !== 'active' && before?.state === state && before.fencingToken === one.lease.token;
    assert.equal(outcome.outcome, isHeld || isRepeated ? 'kept' : 'lost');
    if (!isHeld) assert.equal(after?.lock, before?.lock, 'a stale report wrote something');
    else if (state === 'active') one.until = this.now + leaseMs;
    else one.freeFrom = this.now;
  }

  async check(pick: number): Promise<void> {
    const one = this.known[pick % Math.max(1, this.known.length)];
    if (one === undefined) return;
    const isKept = await this.engine(pick)
      .worker.check(held(one.lease))
      .then(
        () => true,
        () => false,
      );
    assert.equal(isKept, this.isHeld(one));
  }

  async release(pick: number, afterMs: number | undefined): Promise<void> {
    const one = this.known[pick % Math.max(1, this.known.length)];
    if (one === undefined) return;
    const options = afterMs === undefined ? {} : { afterMs };
    await this.engine(pick).worker.release(held(one.lease), 'for now', options);
    if (this.isHeld(one)) one.freeFrom = this.now;
  }

  async cancel(pick: number, isForced: boolean): Promise<void> {
    const { conditions } = await this.#rig.engine.list({ states: ['pending', 'active'] });
    const chosen = conditions[pick % Math.max(1, conditions.length)];
    if (chosen === undefined) return;
    await this.engine(pick).cancel(chosen.id, { client: 'model', isForced, doesInsist: false });
    if (isForced) this.#cutOff(chosen.id);
  }

  #cutOff(id: string): void {
    for (const one of this.known) {
      if (one.lease.condition.id !== id || one.freeFrom !== undefined) continue;
      // A lease that ran out before was quiet from then on; the engine may only be more careful.
      one.freeFrom = Math.min(this.now, one.until) + requestDeadlineMs;
    }
  }

  /** What is true of the rows, whatever happened. */
  async checkRows(): Promise<void> {
    const rows = await this.#rig.database.read((tx) =>
      tx.all(`SELECT target, kind, owner, lock_key, sharing, state FROM conditions WHERE finalized_at IS NULL`),
    );
    const names = rows.map((row) => `${row.target} ${row.kind} ${row.owner}`);
    assert.equal(new Set(names).size, names.length, 'two un-finalized conditions of a kind and an owner on one target');
    for (const [key, line] of Map.groupBy(rows, (row) => row.lock_key)) {
      const active = line.filter((row) => row.state === 'active' && row.sharing !== 'passive');
      const exclusive = active.filter((row) => row.sharing === 'exclusive');
      assert.ok(exclusive.length === 0 || active.length === 1, `exclusive work on ${key} is not alone`);
    }
  }

  /** Works everything off; whatever happened before, all of it must come to an end. */
  async finish(): Promise<void> {
    for (let round = 0; round < 60; round++) {
      await this.#rig.engine.sweep();
      const { conditions } = await this.#rig.engine.list({ states: ['pending', 'active'] });
      if (conditions.length === 0) return;
      const from = this.known.length;
      for (let worker = 0; worker < 3; worker++) {
        await this.engine(worker).worker.heartbeat(`w${worker}`);
        await this.lease(worker, 20);
      }
      for (let index = from; index < this.known.length; index++) await this.report(index, 'succeeded');
      this.#rig.clock.advance(5000);
    }
    assert.fail('not everything came to an end');
  }
}

function isShared(condition: Condition): boolean {
  return condition.kind === 'inventoryOOB' || condition.kind === 'sensorRead';
}
