import assert from 'node:assert/strict';
import type { KubeObject } from '../../src/apiserver/object.ts';
import type { ApiClient, Reply, RequestParts } from '../e2e/apiserver-client.ts';
import { corePath, widgetPath } from '../e2e/apiserver-fixture.ts';
import { type ToldRecord, versionOf } from './apiserver-record.ts';
import { sealedBody } from './kill-store-lines.ts';
import type { SeededRandom } from './seeded-random.ts';

/** The collections that are written to; Secrets are encrypted on disk. */
export const loadPaths: readonly string[] = [widgetPath(), corePath('secrets'), corePath('configmaps')];

/** Who writes: the administrator, whom nothing keeps waiting, and users who wait for their turn. */
const users: readonly (string | undefined)[] = [undefined, 'load-a', 'load-b', 'load-c'];

/** Lets the users of the load do what they do. */
export async function admitLoadUsers(client: ApiClient): Promise<void> {
  const named = users.filter((name) => name !== undefined);
  const body = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'load' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: named.map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name })),
  };
  const reply = await client.request('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { body });
  assert.ok(reply.code === 201 || reply.code === 409, reply.text);
}

/** The type and the kind-specific fields of what a collection holds. */
function typeOf(collection: string): { apiVersion: string; kind: string } {
  if (collection === widgetPath()) return { apiVersion: 'example.com/v1', kind: 'Widget' };
  return { apiVersion: 'v1', kind: collection === corePath('secrets') ? 'Secret' : 'ConfigMap' };
}

/** An object by which a watch that goes on is known to have caught up. */
export function markerFor(collection: string, name: string): object {
  return { ...typeOf(collection), metadata: { name } };
}

const holdingFinalizer = 'example.com/hold';
const merge = 'application/merge-patch+json';
const kindsOfWrites: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch' };

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
    await Promise.all(Array.from({ length: 16 }, (_, n) => this.#runClient(users[n % users.length], onWrite)));
  }

  /** From now on a lost connection is what is expected. */
  end(): void {
    this.#isOver = true;
  }

  async #runClient(user: string | undefined, onWrite: () => void): Promise<void> {
    const one = new LoadClient(this.#client, { user, record: this.#record, random: this.#random, known: this.#known });
    for (;;) {
      const before = this.#record.writes;
      try {
        await one.step();
      } catch (error) {
        if (this.#isOver && isConnectionError(error)) return;
        throw error;
      }
      if (this.#record.writes > before) onWrite();
    }
  }
}

/** One of the clients. What it knows of the objects it shares with the others. */
class LoadClient {
  readonly #client: ApiClient;
  readonly #user: Readonly<Record<string, string>>;
  readonly #record: ToldRecord;
  readonly #random: SeededRandom;
  readonly #known: Map<string, KubeObject>;

  constructor(
    client: ApiClient,
    parts: { user: string | undefined; record: ToldRecord; random: SeededRandom; known: Map<string, KubeObject> },
  ) {
    this.#client = client;
    this.#user = parts.user === undefined ? {} : { 'impersonate-user': parts.user };
    this.#record = parts.record;
    this.#random = parts.random;
    this.#known = parts.known;
  }

  async step(): Promise<void> {
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
    const type = typeOf(collection);
    const metadata = {
      name: path.slice(collection.length + 1),
      ...(this.#random.below(6) === 0 ? { finalizers: [holdingFinalizer] } : {}),
    };
    await this.#write(path, 'POST', collection, { body: { ...type, metadata, ...this.#content(type.kind) } });
  }

  async #update(path: string, known: KubeObject): Promise<void> {
    await this.#write(path, 'PUT', path, { body: { ...known, ...this.#content(known.kind) } });
  }

  async #mergePatch(path: string, known: KubeObject): Promise<void> {
    const metadata = { annotations: { n: String(this.#random.below(1000)) } };
    const body = { metadata, ...this.#content(known.kind) };
    await this.#write(path, 'PATCH', path, { body, headers: { 'content-type': merge } });
  }

  async #jsonPatch(path: string, known: KubeObject): Promise<void> {
    const [[field, value] = ['', {}]] = Object.entries(this.#content(known.kind));
    const body = [{ op: 'replace', path: `/${field}`, value }];
    await this.#write(path, 'PATCH', path, { body, headers: { 'content-type': 'application/json-patch+json' } });
  }

  async #patchStatus(path: string, known: KubeObject): Promise<void> {
    if (known.kind !== 'Widget') return this.#mergePatch(path, known);
    const body = { status: { phase: `p${this.#random.below(1_000_000)}` } };
    await this.#write(path, 'PATCH', `${path}/status`, { body, headers: { 'content-type': merge } });
  }

  /** Deletes; what a finalizer holds is freed in a second step. */
  async #delete(path: string): Promise<void> {
    const since = this.#record.newest;
    const reply = await this.#request('DELETE', path);
    if (isRefusedByOthers(reply)) return this.#forget(path);
    this.#record.count('delete');
    const answer = JSON.parse(reply.text) as KubeObject & { details?: { uid: string } };
    this.#forget(path);
    if (answer.kind === 'Status') return this.#record.deleted(answer.details?.uid ?? '');
    // A second delete changes nothing, and is answered with the version of the first.
    if (versionOf(answer) > since) this.#record.wrote(answer, reply.text.trim(), since);
    await this.#free(path);
  }

  async #free(path: string): Promise<void> {
    const body = { metadata: { finalizers: null } };
    const reply = await this.#request('PATCH', path, { body, headers: { 'content-type': merge } });
    if (isRefusedByOthers(reply)) return;
    const object = JSON.parse(reply.text) as KubeObject;
    if (object.metadata.deletionTimestamp !== undefined) this.#record.deleted(object.metadata.uid ?? '');
  }

  async #get(path: string): Promise<void> {
    const since = this.#known.get(path);
    const reply = await this.#request('GET', path);
    if (isRefusedByOthers(reply)) return this.#forget(path);
    const object = JSON.parse(reply.text) as KubeObject;
    if (since?.metadata.uid === object.metadata.uid) this.#record.read(versionOf(object), versionOf(since ?? object));
    this.#known.set(path, object);
  }

  async #list(collection: string): Promise<void> {
    const since = this.#record.newest;
    const reply = await this.#request('GET', `${collection}?limit=5`);
    this.#record.read(versionOf(JSON.parse(reply.text) as KubeObject), since);
  }

  async #write(path: string, method: string, url: string, parts: RequestParts): Promise<void> {
    const since = this.#record.newest;
    const reply = await this.#request(method, url, parts);
    if (isRefusedByOthers(reply)) return this.#forget(path);
    this.#record.count(url.endsWith('/status') ? 'patch of status' : (kindsOfWrites[method] ?? method));
    const object = JSON.parse(reply.text) as KubeObject;
    // Freed of its finalizers by somebody else's patch in between, it is gone with this write.
    const isGone = object.metadata.deletionTimestamp !== undefined && object.metadata.finalizers === undefined;
    if (isGone) this.#record.deleted(object.metadata.uid ?? '');
    else this.#record.wrote(object, reply.text.trim(), since);
    this.#known.set(path, object);
  }

  #request(method: string, path: string, parts: RequestParts = {}): Promise<Reply> {
    return this.#client.request(method, path, { ...parts, headers: { ...this.#user, ...parts.headers } });
  }

  #content(kind: string): Record<string, Record<string, string>> {
    const label = `${this.#random.below(1_000_000)} ${'ä'.repeat(this.#random.below(2))}`;
    const { body, hash } = sealedBody(`${label}${'x'.repeat(this.#random.below(3000))}`);
    const encode = (text: string): string => Buffer.from(text).toString('base64');
    if (kind === 'Secret') return { data: { body: encode(body), hash: encode(hash) } };
    return kind === 'ConfigMap' ? { data: { body, hash } } : { spec: { body, hash } };
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
