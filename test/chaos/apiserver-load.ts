import assert from 'node:assert/strict';
import type { KubeObject } from '../../src/apiserver/object.ts';
import type { ApiClient, Reply, RequestParts } from '../e2e/apiserver-client.ts';
import { corePath, widgetPath } from '../e2e/apiserver-fixture.ts';
import { type ToldRecord, versionOf } from './apiserver-record.ts';
import { sealedBody } from './kill-store-lines.ts';
import type { SeededRandom } from './seeded-random.ts';

/** The collections that are written to; Secrets are encrypted on disk. */
export const loadPaths: readonly string[] = [widgetPath(), corePath('secrets')];

const holdingFinalizer = 'example.com/hold';
const merge = 'application/merge-patch+json';

/** Sixteen clients that write whatever comes to their mind until the server is gone. */
export class Load {
  readonly #client: ApiClient;
  readonly #record: ToldRecord;
  readonly #random: SeededRandom;
  readonly #known = new Map<string, KubeObject>();
  #isOver = false;

  constructor(client: ApiClient, record: ToldRecord, random: SeededRandom) {
    this.#client = client;
    this.#record = record;
    this.#random = random;
  }

  /** Settles when every client has lost its connection. `onWrite` is told after every answered write. */
  async run(onWrite: () => void): Promise<void> {
    await Promise.all(Array.from({ length: 16 }, () => this.#runClient(onWrite)));
  }

  /** From now on a lost connection is what is expected. */
  end(): void {
    this.#isOver = true;
  }

  async #runClient(onWrite: () => void): Promise<void> {
    for (;;) {
      const before = this.#record.writes;
      try {
        await this.#step();
      } catch (error) {
        if (this.#isOver && isConnectionError(error)) return;
        throw error;
      }
      if (this.#record.writes > before) onWrite();
    }
  }

  async #step(): Promise<void> {
    const collection = this.#pick(loadPaths);
    const path = `${collection}/o${this.#random.below(30)}`;
    const known = this.#known.get(path);
    if (known === undefined) return this.#random.below(2) === 0 ? this.#create(collection, path) : this.#get(path);
    switch (this.#random.below(12)) {
      case 0:
        return this.#delete(path);
      case 1:
        return this.#list(collection);
      case 2:
        return this.#get(path);
      case 3:
      case 4:
        return this.#update(path, known);
      case 5:
      case 6:
        return this.#patchStatus(path, known);
      case 7:
      case 8:
        return this.#jsonPatch(path, known);
      default:
        return this.#mergePatch(path, known);
    }
  }

  async #create(collection: string, path: string): Promise<void> {
    const isSecret = collection !== widgetPath();
    const metadata = {
      name: path.slice(collection.length + 1),
      ...(this.#random.below(6) === 0 ? { finalizers: [holdingFinalizer] } : {}),
    };
    const type = isSecret ? { apiVersion: 'v1', kind: 'Secret' } : { apiVersion: 'example.com/v1', kind: 'Widget' };
    await this.#write(path, 'POST', collection, { body: { ...type, metadata, ...this.#content(isSecret) } });
  }

  async #update(path: string, known: KubeObject): Promise<void> {
    await this.#write(path, 'PUT', path, { body: { ...known, ...this.#content(known.kind === 'Secret') } });
  }

  async #mergePatch(path: string, known: KubeObject): Promise<void> {
    const metadata = { annotations: { n: String(this.#random.below(1000)) } };
    const body = { metadata, ...this.#content(known.kind === 'Secret') };
    await this.#write(path, 'PATCH', path, { body, headers: { 'content-type': merge } });
  }

  async #jsonPatch(path: string, known: KubeObject): Promise<void> {
    const [[field, value] = ['', {}]] = Object.entries(this.#content(known.kind === 'Secret'));
    const body = [{ op: 'replace', path: `/${field}`, value }];
    await this.#write(path, 'PATCH', path, { body, headers: { 'content-type': 'application/json-patch+json' } });
  }

  async #patchStatus(path: string, known: KubeObject): Promise<void> {
    if (known.kind === 'Secret') return this.#mergePatch(path, known);
    const body = { status: { phase: `p${this.#random.below(1_000_000)}` } };
    await this.#write(path, 'PATCH', `${path}/status`, { body, headers: { 'content-type': merge } });
  }

  /** Deletes; what a finalizer holds is freed in a second step. */
  async #delete(path: string): Promise<void> {
    const since = this.#record.newest;
    const reply = await this.#client.request('DELETE', path);
    if (isRefusedByOthers(reply)) return this.#forget(path);
    const answer = JSON.parse(reply.text) as KubeObject & { details?: { uid: string } };
    this.#forget(path);
    if (answer.kind === 'Status') return this.#record.deleted(answer.details?.uid ?? '');
    // A second delete changes nothing, and is answered with the version of the first.
    if (versionOf(answer) > since) this.#record.wrote(answer, reply.text.trim(), since);
    await this.#free(path);
  }

  async #free(path: string): Promise<void> {
    const body = { metadata: { finalizers: null } };
    const reply = await this.#client.request('PATCH', path, { body, headers: { 'content-type': merge } });
    if (isRefusedByOthers(reply)) return;
    const object = JSON.parse(reply.text) as KubeObject;
    if (object.metadata.deletionTimestamp !== undefined) this.#record.deleted(object.metadata.uid ?? '');
  }

  async #get(path: string): Promise<void> {
    const since = this.#known.get(path);
    const reply = await this.#client.request('GET', path);
    if (isRefusedByOthers(reply)) return this.#forget(path);
    const object = JSON.parse(reply.text) as KubeObject;
    if (since?.metadata.uid === object.metadata.uid) this.#record.read(versionOf(object), versionOf(since ?? object));
    this.#known.set(path, object);
  }

  async #list(collection: string): Promise<void> {
    const since = this.#record.newest;
    const reply = await this.#client.request('GET', `${collection}?limit=5`);
    this.#record.read(versionOf(JSON.parse(reply.text) as KubeObject), since);
  }

  async #write(path: string, method: string, url: string, parts: RequestParts): Promise<void> {
    const since = this.#record.newest;
    const reply = await this.#client.request(method, url, parts);
    if (isRefusedByOthers(reply)) return this.#forget(path);
    const object = JSON.parse(reply.text) as KubeObject;
    // Freed of its finalizers by somebody else's patch in between, it is gone with this write.
    const isGone = object.metadata.deletionTimestamp !== undefined && object.metadata.finalizers === undefined;
    if (isGone) this.#record.deleted(object.metadata.uid ?? '');
    else this.#record.wrote(object, reply.text.trim(), since);
    this.#known.set(path, object);
  }

  #content(isSecret: boolean): Record<string, Record<string, string>> {
    const label = `${this.#random.below(1_000_000)} ${'ä'.repeat(this.#random.below(2))}`;
    const { body, hash } = sealedBody(`${label}${'x'.repeat(this.#random.below(3000))}`);
    const encode = (text: string): string => Buffer.from(text).toString('base64');
    return isSecret ? { data: { body: encode(body), hash: encode(hash) } } : { spec: { body, hash } };
  }

  #forget(path: string): void {
    this.#known.delete(path);
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#random.below(list.length)] as T;
  }
}

/** Another client was faster; anything else that is not a success is a fault of the server. */
function isRefusedByOthers(reply: Reply): boolean {
  if (reply.code < 300) return false;
  assert.ok(reply.code === 404 || reply.code === 409, `${reply.code} ${reply.text}`);
  return true;
}

function isConnectionError(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(code) || String(error).includes('aborted');
}
