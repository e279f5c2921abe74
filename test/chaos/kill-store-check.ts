import assert from 'node:assert/strict';
import type { Change, Key, ObjectStore, Stored } from '../../src/apiserver/store/store.ts';
import { hashOf, killBuckets, type Line } from './kill-store-lines.ts';

type Answered = Extract<Line, { what: 'answered' }>;

/** Everything the killed processes have said so far, and what must therefore be true of the store. */
export class Witness {
  readonly #last = new Map<string, Answered>();
  #round: Line[] = [];
  #newest = 1;
  #answered = 0;

  /** How many writes were answered in all rounds. */
  get answered(): number {
    return this.#answered;
  }

  hear(line: Line): void {
    if (line.what === 'opening') return;
    this.#round.push(line);
    this.#newest = Math.max(this.#newest, line.revision);
    if (line.what !== 'answered') return;
    this.#answered += 1;
    const name = nameOf(line.key);
    if ((this.#last.get(name)?.revision ?? 0) < line.revision) this.#last.set(name, line);
  }

  /** Checks a store that was opened after the kill. */
  check(store: ObjectStore): void {
    assert.ok(
      store.revision() >= this.#newest,
      `revision ${store.revision()} is below ${this.#newest}, which was answered`,
    );
    this.#newest = store.revision();
    const history = killBuckets.flatMap((bucket) => replay(store, bucket));
    history.sort((one, other) => one.revision - other.revision);
    checkHistory(store, history);
    this.#checkRound(store, new Map(history.map((change) => [change.revision, change])));
    for (const line of this.#last.values()) checkKey(store, line);
    for (const bucket of killBuckets) for (const item of store.scan(bucket)) checkWhole(item);
  }

  /** Whatever was answered or watched, and is not compacted away, is in the history exactly as it was. */
  #checkRound(store: ObjectStore, history: ReadonlyMap<number, Change>): void {
    for (const line of this.#round) {
      if (line.what === 'opening' || line.what === 'read' || line.revision <= store.oldestRevision()) continue;
      const change = history.get(line.revision);
      assert.ok(change, `${line.what} revision ${line.revision} is not in the history`);
      assert.equal(
        hashOf(change.current.json),
        line.hash,
        `${line.what} revision ${line.revision} has another content`,
      );
      if (line.what === 'answered')
        assert.equal(`${change.type} ${nameOf(change.key)}`, `${line.type} ${nameOf(line.key)}`);
    }
    this.#round = [];
  }
}

function replay(store: ObjectStore, bucket: string): Change[] {
  const changes: Change[] = [];
  const subscription = store.subscribe(bucket, store.oldestRevision(), (batch) => changes.push(...batch));
  assert.ok(subscription !== 'expired');
  subscription.close();
  return changes;
}

/** The history has no gap, and leads from the oldest state to the newest. */
function checkHistory(store: ObjectStore, history: readonly Change[]): void {
  const first = Math.max(store.oldestRevision(), 1) + 1;
  const expected = Array.from({ length: store.revision() - first + 1 }, (_, n) => first + n);
  assert.deepEqual(
    history.map((change) => change.revision),
    expected,
  );
  const state = new Map(everything(store, first - 1).map((item) => [nameOf(item), item.json]));
  for (const change of history) {
    const name = nameOf(change.key);
    assert.equal(change.previous?.json, state.get(name), `what revision ${change.revision} replaced`);
    checkWhole(change.current);
    if (change.type === 'DELETED') state.delete(name);
    else state.set(name, change.current.json);
  }
  const newest = new Map(everything(store, store.revision()).map((item) => [nameOf(item), item.json]));
  assert.deepEqual(state, newest);
}

function everything(store: ObjectStore, revision: number): Stored[] {
  return killBuckets.flatMap((bucket) => {
    const page = store.list({ bucket, namespace: undefined, revision });
    assert.ok(page !== 'expired', `the state at ${revision} has expired`);
    return page.items;
  });
}

/** The last answered write of a key is its state, unless something newer is. */
function checkKey(store: ObjectStore, line: Answered): void {
  const found = store.get(line.key);
  const where = `${nameOf(line.key)}, ${line.type} at ${line.revision}`;
  if (line.type === 'DELETED') {
    assert.ok(found === undefined || found.createdRevision > line.revision, `${where}, is back`);
    return;
  }
  if (found === undefined) {
    // Only a later deletion that reached the disk, but not the client, may have taken it away.
    const later = replay(store, line.key.bucket).findLast((change) => nameOf(change.key) === nameOf(line.key));
    assert.ok(later?.type === 'DELETED' && later.revision > line.revision, `${where}, is lost`);
    return;
  }
  assert.ok(found.revision >= line.revision, `${where}, went back to ${found.revision}`);
  if (found.revision === line.revision) assert.equal(hashOf(found.json), line.hash, `${where}, has another content`);
}

function checkWhole(version: Stored): void {
  const object = JSON.parse(version.json) as {
    metadata: { resourceVersion: string };
    spec: { body: string; hash: string };
  };
  assert.equal(object.metadata.resourceVersion, String(version.revision));
  assert.equal(hashOf(object.spec.body), object.spec.hash, `${nameOf(version)} at ${version.revision} is half written`);
}

function nameOf(key: Key): string {
  return `${key.bucket} ${key.namespace}/${key.name}`;
}
