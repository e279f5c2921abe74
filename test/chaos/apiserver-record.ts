import assert from 'node:assert/strict';
import type { KubeObject } from '../../src/apiserver/object.ts';
import type { WatchEvent } from '../e2e/apiserver-client.ts';
import { hashOf } from './kill-store-lines.ts';
import type { SeededRandom } from './seeded-random.ts';

/** What the outside world has been told, and may therefore rely on. */
export class ToldRecord {
  /** Answered versions by resourceVersion: the object's text. */
  readonly #answered = new Map<number, string>();
  /** The uids of objects whose deletion was answered. */
  readonly #gone = new Set<string>();
  /** Every event that was watched, by resourceVersion. */
  readonly #watched = new Map<number, string>();
  readonly #deleted = new Set<string>();
  readonly #counts = new Map<string, number>();
  /** Versions that writes were answered with, in no order: clients may go on from any of them. */
  readonly #resumable: number[] = [];
  #newest = 0;
  #writes = 0;

  /** The newest version anybody was told of. */
  get newest(): number {
    return this.#newest;
  }

  /** How many writes were answered. */
  get writes(): number {
    return this.#writes;
  }

  /** Answered writes by what they did. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** A write of this kind was answered. */
  count(kind: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  /** A version that some write was answered with; the newer, the likelier. */
  anyAnswered(random: SeededRandom): number {
    const reach = 1 + random.below(this.#resumable.length);
    return this.#resumable.at(-1 - random.below(reach)) ?? 0;
  }

  /** A write was answered with the object it made. `since`: the newest version known when it was sent. */
  wrote(object: KubeObject, text: string, since: number): void {
    const version = versionOf(object);
    assert.ok(version > since, `a write got version ${version}, although ${since} had been told before`);
    assertWhole(object);
    this.#answered.set(version, text);
    this.#resumable.push(version);
    this.#writes += 1;
    this.told(version);
  }

  /** The deletion of an object was answered. */
  deleted(uid: string): void {
    this.#gone.add(uid);
    this.#writes += 1;
  }

  /** A read was answered. */
  read(version: number, since: number): void {
    assert.ok(version >= since, `a read showed version ${version}, although ${since} had been told before`);
    this.told(version);
  }

  watched(event: WatchEvent, text: string): void {
    const version = versionOf(event.object);
    assert.equal(this.#watched.get(version), undefined, `version ${version} was watched twice`);
    this.#watched.set(version, text);
    if (event.type === 'DELETED') this.#deleted.add(event.object.metadata.uid ?? '');
    else assertWhole(event.object);
    this.told(version);
  }

  told(version: number): void {
    this.#newest = Math.max(this.#newest, version);
  }

  /** Everything that was answered has been watched, exactly as it was answered. Call when watchers have caught up. */
  checkAnswered(): void {
    for (const [version, text] of this.#answered) {
      assert.equal(this.#watched.get(version), text, `version ${version}, which was answered, was watched differently`);
    }
    for (const uid of this.#gone) assert.ok(this.#deleted.has(uid), `the deletion of ${uid} was answered, but is lost`);
    this.#answered.clear();
    this.#gone.clear();
  }
}

/** The resourceVersion as a number. */
export function versionOf(object: KubeObject): number {
  return Number(object.metadata.resourceVersion);
}

/** The body and the fingerprint of it that every object of the load carries. */
export function assertWhole(object: KubeObject): void {
  const fields = (object.spec ?? object.data) as { body?: string; hash?: string } | undefined;
  if (fields?.body === undefined) return; // a marker
  const isSecret = object.kind === 'Secret';
  const body = isSecret ? Buffer.from(fields.body, 'base64').toString() : fields.body;
  const hash = isSecret ? Buffer.from(fields.hash ?? '', 'base64').toString() : fields.hash;
  const where = `${object.kind} ${object.metadata.name} at ${object.metadata.resourceVersion}`;
  assert.equal(hash, hashOf(body), `${where} is half written`);
}
