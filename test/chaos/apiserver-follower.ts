import assert from 'node:assert/strict';
import type { KubeObject } from '../../src/apiserver/object.ts';
import type { ApiClient, WatchReader } from '../e2e/apiserver-client.ts';
import { type ToldRecord, versionOf } from './apiserver-record.ts';

interface Seen {
  readonly uid: string;
  readonly text: string;
}

/** A cache of one collection that is built from watch events alone and goes on after every restart of the server. */
export class Follower {
  readonly path: string;
  readonly #record: ToldRecord;
  readonly #objects = new Map<string, Seen>();
  #version = 0;
  #reader: WatchReader | undefined;
  #running: Promise<void> | undefined;
  #waiters: { name: string; resolve: () => void }[] = [];

  constructor(path: string, record: ToldRecord) {
    this.path = path;
    this.#record = record;
  }

  /** Watches on from the last version that was seen; the first time from an empty collection. */
  async connect(client: ApiClient): Promise<void> {
    if (this.#version === 0) {
      const list = JSON.parse((await client.request('GET', this.path)).text) as KubeObject & { items: unknown[] };
      assert.deepEqual(list.items, []);
      this.#version = versionOf(list);
    }
    this.#reader = await client.watch(`${this.path}?watch=1&resourceVersion=${this.#version}`);
    this.#running = this.#run(this.#reader);
  }

  /** Resolves when an object of this name was seen. */
  saw(name: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#objects.has(name)) resolve();
      else this.#waiters.push({ name, resolve });
    });
  }

  /** Waits until what the server sent before it went away is read. */
  async disconnected(): Promise<void> {
    await this.#running;
    this.#reader?.close();
  }

  close(): void {
    this.#reader?.close();
  }

  /** The names of what is there, as far as is known. */
  has(name: string): boolean {
    return this.#objects.has(name);
  }

  /** The collection as the server lists it is the one that was watched. */
  async check(client: ApiClient): Promise<void> {
    const since = this.#record.newest;
    const reply = await client.request('GET', this.path);
    const list = JSON.parse(reply.text) as KubeObject & { items: KubeObject[] };
    this.#record.read(versionOf(list), since);
    // Items of built-in lists come without their type.
    const listed = list.items.map((item) => [item.metadata.name ?? '', contentOf(item)] as const);
    const watched = [...this.#objects].map(
      ([name, { text }]) => [name, contentOf(JSON.parse(text) as KubeObject)] as const,
    );
    assert.deepEqual(new Map(listed), new Map(watched), `${this.path} is not what was watched`);
  }

  async #run(reader: WatchReader): Promise<void> {
    for (;;) {
      const event = await reader.next();
      if (event === undefined) return;
      this.#take(event);
    }
  }

  #take(event: Awaited<ReturnType<WatchReader['next']>> & object): void {
    const { type, object } = event;
    assert.notEqual(type, 'ERROR', JSON.stringify(object));
    const version = versionOf(object);
    assert.ok(version > this.#version, `${this.path}: event ${version} after ${this.#version}`);
    this.#version = version;
    const { name = '', uid = '' } = object.metadata;
    const text = JSON.stringify(object);
    this.#record.watched(event, text);
    const before = this.#objects.get(name);
    assert.equal(before === undefined, type === 'ADDED', `${type} of ${name} at ${version}, which does not fit`);
    if (before !== undefined) assert.equal(uid, before.uid, `${name} got another uid at ${version}`);
    if (type === 'DELETED') this.#objects.delete(name);
    else this.#objects.set(name, { uid, text });
    for (const waiter of this.#waiters.filter((w) => w.name === name)) waiter.resolve();
    this.#waiters = this.#waiters.filter((w) => w.name !== name);
  }
}

function contentOf({ kind: _kind, apiVersion: _apiVersion, ...content }: KubeObject): string {
  return JSON.stringify(content);
}
