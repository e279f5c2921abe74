import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { CommitGate } from './commit-gate.ts';
import { generateKey } from './keys.ts';
import { type OpenStore, openStore, type StoreOptions } from './open-store.ts';
import type { Change, Key, Stored, Write } from './store.ts';
import { keyOf, listed, replayed, widget } from './temporary-store.ts';

const buckets = ['example.com/widgets', '/secrets'];
const names = ['a', 'a-b', 'b'];
const keys = buckets.flatMap((bucket) =>
  ['', 'n', 'n-1'].flatMap((namespace) => names.map((name) => keyOf(name, namespace, bucket))),
);

/** Most writes are of one key, so that several of them are on their way at once. */
const anyKey = fc.oneof(
  { weight: 2, arbitrary: fc.constant(keyOf('b', 'n')) },
  { weight: 1, arbitrary: fc.constantFrom(...keys) },
);

/** How far between the oldest and the newest revision; integers, because doubles are drawn mostly next to zero. */
const share = fc.integer({ min: 0, max: 20 }).map((n) => n / 20);

/** What one step of a run does. */
type Step =
  | { do: 'write'; kind: Write['kind'] | 'toggle'; key: Key; isStale: boolean; content: string }
  | { do: 'part' }
  | { do: 'land' }
  | { do: 'settle' }
  | { do: 'reopen' }
  | { do: 'compact'; share: number }
  | { do: 'page'; bucket: string; namespace: string | undefined; limit: number; share: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 30,
      arbitrary: fc.record({
        do: fc.constant('write' as const),
        // A toggle creates what is missing and deletes what is there, where most other kinds would be refused.
        kind: fc.constantFrom('create', 'update', 'delete', 'toggle', 'toggle', 'toggle' as const),
        key: anyKey,
        isStale: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
        content: fc.string({ maxLength: 12, unit: 'binary' }),
      }),
    },
    { weight: 8, arbitrary: fc.constant({ do: 'part' as const }) },
    { weight: 8, arbitrary: fc.constant({ do: 'land' as const }) },
    { weight: 3, arbitrary: fc.constant({ do: 'settle' as const }) },
    { weight: 1, arbitrary: fc.constant({ do: 'reopen' as const }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('compact' as const), share }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('page' as const),
        bucket: fc.constantFrom(...buckets),
        namespace: fc.constantFrom(undefined, '', 'n', 'n-1'),
        limit: fc.integer({ min: 1, max: 4 }),
        share,
      }),
    },
  ),
  { minLength: 40, maxLength: 120 },
);

/** One accepted write, as the naive model remembers it. */
interface Entry {
  readonly revision: number;
  readonly key: Key;
  readonly type: Change['type'];
  readonly json: string;
}

/** The naive model: a list of everything that was ever accepted. */
class Model {
  readonly log: Entry[] = [];

  head(key: Key, at = Number.POSITIVE_INFINITY): Entry | undefined {
    const last = this.log.findLast((entry) => entry.revision <= at && sameKey(entry.key, key));
    return last?.type === 'DELETED' ? undefined : last;
  }

  list(bucket: string, namespace: string | undefined, at: number): string[] {
    const alive = keys
      .filter((key) => key.bucket === bucket && (namespace === undefined || key.namespace === namespace))
      .map((key) => this.head(key, at))
      .filter((entry) => entry !== undefined);
    return alive
      .sort((x, y) => (path(x.key) < path(y.key) ? -1 : 1))
      .map((entry) => `${path(entry.key)} ${entry.json}`);
  }

  changes(bucket: string, since: number): string[] {
    return this.log
      .filter((entry) => entry.key.bucket === bucket && entry.revision > since)
      .map(
        (entry) =>
          `${entry.type} ${path(entry.key)} ${entry.json} was ${this.head(entry.key, entry.revision - 1)?.json}`,
      );
  }
}

/** A store and its model, driven together. */
class Run {
  readonly #model = new Model();
  readonly #options: StoreOptions;
  readonly #live = new Map<string, string[]>();
  #store: OpenStore;
  #pending: Promise<Stored>[] = [];
  readonly #gate: CommitGate;

  constructor(store: OpenStore, options: StoreOptions, gate: CommitGate) {
    this.#store = store;
    this.#gate = gate;
    this.#options = options;
    for (const bucket of buckets) this.#live.set(bucket, []);
    this.#subscribe();
  }

  async take(step: Step): Promise<void> {
    if (step.do === 'write') this.#write(step);
    else if (step.do === 'part') await this.#gate.part();
    else if (step.do === 'land') await this.#land();
    else if (step.do === 'settle') await this.#settle();
    else if (step.do === 'reopen') await this.#reopen();
    else if (step.do === 'compact') await this.#store.compact(this.#between(step.share));
    else this.#page(step);
  }

  async finish(): Promise<void> {
    await this.#settle();
    this.#checkAll();
    await this.#reopen();
    this.#checkAll();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#store.close();
  }

  #write({ key, isStale, content, ...step }: Extract<Step, { do: 'write' }>): void {
    const head = this.#model.head(key);
    const kind = step.kind !== 'toggle' ? step.kind : head ? 'delete' : 'create';
    const expect = (head?.revision ?? 7) - (isStale ? 1 : 0);
    const object = widget(key, content);
    const result = this.#store.write(kind === 'create' ? { kind, key, object } : { kind, key, object, expect });
    const conflict =
      kind === 'create' ? (head ? 'exists' : undefined) : !head ? 'missing' : isStale ? 'stale' : undefined;
    if (!(result instanceof Promise)) {
      assert.equal(result.conflict, conflict);
      assert.equal(result.head?.json, head?.json);
      return;
    }
    assert.equal(conflict, undefined);
    const revision = Number(object.metadata.resourceVersion);
    assert.ok(revision > (this.#model.log.at(-1)?.revision ?? 1), 'revisions grow');
    const type = kind === 'create' ? 'ADDED' : kind === 'update' ? 'MODIFIED' : 'DELETED';
    this.#model.log.push({ revision, key, type, json: JSON.stringify(object) });
    assert.equal(this.#store.head(key)?.json, this.#model.head(key)?.json);
    this.#pending.push(result);
  }

  /** Exactly one commit lands; what was written after it stays on its way. */
  async #land(): Promise<void> {
    const writes = await this.#gate.pass();
    const landed = await Promise.all(this.#pending.splice(0, writes));
    if (landed.length > 0) assert.equal(this.#store.revision(), landed.at(-1)?.revision);
    this.#checkKeys();
  }

  async #settle(): Promise<void> {
    await this.#gate.passAll();
    await Promise.all(this.#pending);
    this.#pending = [];
    assert.equal(this.#store.revision(), this.#model.log.at(-1)?.revision ?? 1);
  }

  async #reopen(): Promise<void> {
    const revision = this.#model.log.at(-1)?.revision ?? 1;
    await this.#store.close();
    this.#store = await openStore(this.#options);
    assert.equal(this.#store.revision(), revision);
    await this.#settle();
    this.#subscribe();
  }

  /** Goes through all pages of a listing at some revision, with writes still in flight. */
  #page({ bucket, namespace, limit, share }: Extract<Step, { do: 'page' }>): void {
    const revision = this.#between(share);
    const expected = this.#model.list(bucket, namespace, revision);
    const found: string[] = [];
    let after: { namespace: string; name: string } | undefined;
    do {
      const page = listed(this.#store, { bucket, namespace, limit, revision, after });
      assert.ok(page.items.length <= limit);
      found.push(...page.items.map((item) => `${path(item)} ${item.json}`));
      assert.equal(page.remaining, page.next === undefined ? undefined : expected.length - found.length);
      after = page.next;
    } while (after !== undefined);
    assert.deepEqual(found, expected);
  }

  #checkAll(): void {
    for (const bucket of buckets) {
      assert.deepEqual(this.#live.get(bucket), this.#model.changes(bucket, 0));
      for (let at = this.#store.oldestRevision(); at <= this.#store.revision(); at++) {
        assert.deepEqual(replayed(this.#store, at, bucket).map(describe), this.#model.changes(bucket, at));
        if (at === 0) continue;
        const items = listed(this.#store, { bucket, revision: at }).items;
        assert.deepEqual(
          items.map((item) => `${path(item)} ${item.json}`),
          this.#model.list(bucket, undefined, at),
        );
      }
    }
    this.#checkKeys();
  }

  /** What is committed and what is the head, of every key, whatever is on its way. */
  #checkKeys(): void {
    const revision = this.#store.revision();
    for (const key of keys) {
      assert.equal(this.#store.get(key)?.json, this.#model.head(key, revision)?.json);
      assert.equal(this.#store.head(key)?.json, this.#model.head(key)?.json);
    }
  }

  /** Live watchers go on where the last ones ended. */
  #subscribe(): void {
    for (const [bucket, seen] of this.#live) {
      const since = this.#store.revision();
      this.#store.subscribe(bucket, since, (changes) => seen.push(...changes.map(describe)));
    }
  }

  #between(share: number): number {
    const oldest = Math.max(1, this.#store.oldestRevision());
    return oldest + Math.floor(share * (this.#store.revision() - oldest));
  }
}

function path(key: { namespace: string; name: string }): string {
  return `${key.namespace}/${key.name}`;
}

function sameKey(one: Key, other: Key): boolean {
  return one.bucket === other.bucket && one.namespace === other.namespace && one.name === other.name;
}

function describe(change: Change): string {
  return `${change.type} ${path(change.key)} ${change.current.json} was ${change.previous?.json}`;
}

test('any interleaving of writes, reads, compactions and restarts gives what a naive model gives', async (t) => {
  const gate = new CommitGate(t);
  const sealing = { keys: [generateKey()], encrypt: (bucket: string) => bucket === '/secrets' };
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom(0, 1, 5, 1000), async (run, changes) => {
      const directory = mkdtempSync(join(tmpdir(), 'object-store-'));
      const options = { directory, ...sealing, history: { changes } };
      try {
        await using driver = new Run(await openStore(options), options, gate);
        for (const step of run) await driver.take(step);
        await driver.finish();
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    }),
    { numRuns: 25 },
  );
});
