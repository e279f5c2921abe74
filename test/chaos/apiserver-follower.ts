import assert from 'node:assert/strict';
import type { KubeObject } from '../../src/apiserver/object.ts';
import type { ApiClient, WatchEvent, WatchReader } from '../e2e/apiserver-client.ts';
import { type ToldRecord, versionOf } from './apiserver-record.ts';
import { hashOf } from './kill-store-lines.ts';

interface Seen {
  readonly uid: string;
  readonly text: string;
}

/** What became of a watch from an older version. */
export interface Replay {
  /** Events that were told again, all of them as they had been told before; 0 when the version was too old. */
  readonly events: number;
  readonly isExpired: boolean;
}

/** A cache of one collection that is built from watch events alone and goes on after every restart of the server. */
export class Follower {
  readonly path: string;
  readonly #record: ToldRecord;
  readonly #objects = new Map<string, Seen>();
  /** Every event so far, in order; of its text only a fingerprint. */
  readonly #events: { readonly version: number; readonly hash: string }[] = [];
  #version = 0;
  #reader: WatchReader | undefined;
  #running: Promise<void> | undefined;
  #waiters: { name: string; resolve: () => void }[] = [];

  constructor(path: string, record: ToldRecord) {
    this.path = path;
    this.#record = record;
  }

  /** Watches on from the last version that was seen; the first time from a list, which holds nothing of the load. */
  async connect(client: ApiClient): Promise<void> {
    if (this.#version === 0) {
      const list = JSON.parse((await client.request('GET', this.path)).text) as KubeObject & {
        items: KubeObject[];
      };
      for (const item of list.items) {
        const { name = '', uid = '' } = item.metadata;
        this.#objects.set(name, { uid, text: JSON.stringify(item) });
      }
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

  /** Watches from an older version: all that was seen since is told again, the same way, or the client is told to list. */
  async replay(client: ApiClient, since: number): Promise<Replay> {
    const expected = this.#events.filter(({ version }) => version > since);
    const reader = await client.watch(`${this.path}?watch=1&resourceVersion=${since}`);
    try {
      for (const [n, { version, hash }] of expected.entries()) {
        const event = await reader.next();
        const where = `${this.path} from ${since}: event ${n + 1} of ${expected.length}`;
        assert.ok(event !== undefined, `${where} did not come`);
        if (n === 0 && event.type === 'ERROR') {
          assert.equal((event.object as { code?: number }).code, 410, JSON.stringify(event.object));
          return { events: 0, isExpired: true };
        }
        assert.equal(versionOf(event.object), version, where);
        assert.equal(fingerprint(event), hash, `${where} is not as it was`);
      }
      return { events: expected.length, isExpired: false };
    } finally {
      reader.close();
    }
  }

  async #run(reader: WatchReader): Promise<void> {
    for (;;) {
      const event = await reader.next();
      if (event === undefined) return;
      this.#take(event);
    }
  }

  #take(event: WatchEvent): void {
    const { type, object } = event;
    assert.notEqual(type, 'ERROR', JSON.stringify(object));
    const version = versionOf(object);
    assert.ok(version > this.#version, `${this.path}: event ${version} after ${this.#version}`);
    this.#version = version;
    const { name = '', uid = '' } = object.metadata;
    const text = JSON.stringify(object);
    this.#record.watched(event, text);
    this.#events.push({ version, hash: fingerprint(event) });
    const before = this.#objects.get(name);
    assert.equal(before === undefined, type === 'ADDED', `${type} of ${name} at ${version}, which does not fit`);
    if (before !== undefined) assert.equal(uid, before.uid, `${name} got another uid at ${version}`);
    if (type === 'DELETED') this.#objects.delete(name);
    else this.#objects.set(name, { uid, text });
    for (const waiter of this.#waiters.filter((w) => w.name === name)) waiter.resolve();
    this.#waiters = this.#waiters.filter((w) => w.name !== name);
  }
}

function fingerprint(event: WatchEvent): string {
  return hashOf(JSON.stringify(event));
}

function contentOf({ kind: _kind, apiVersion: _apiVersion, ...content }: KubeObject): string {
  return JSON.stringify(content);
}
