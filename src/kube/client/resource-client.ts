import { isExpired, type KubeStatus, kubeError } from '../errors.ts';
import { apiVersionOf, type KubeObject, keyOf, type ObjectKey, type ResourceRef } from '../object.ts';
import type { CallOptions, Requester } from './request.ts';
import { readWatchEvents, type WatchEvent } from './watch-stream.ts';

/** Which objects: all of them, those of a namespace, those that match. */
export interface Selection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** How to list. */
export interface ListOptions extends Selection, CallOptions {
  /** How many objects per request; 500 unless given, 0 for all at once. */
  readonly pageSize?: number | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
}

/** One page of a listing. */
export interface ListPage<T extends KubeObject> {
  readonly items: T[];
  readonly resourceVersion: string;
  readonly continue: string | undefined;
}

/** All objects of a listing, and the version they are of. */
export interface ListResult<T extends KubeObject> {
  readonly items: T[];
  readonly resourceVersion: string;
}

/** How to watch. Without a resourceVersion the server begins with the present state. */
export interface WatchOptions extends Selection, CallOptions {
  readonly resourceVersion?: string | undefined;
  readonly hasBookmarks?: boolean | undefined;
  /** After so long the server ends the watch. */
  readonly timeoutSeconds?: number | undefined;
  readonly sendInitialEvents?: boolean | undefined;
  /** The form objects come in, e.g. as Tables; the caller knows what T is then. */
  readonly accept?: string | undefined;
}

/** What every write may say. */
export interface WriteOptions extends CallOptions {
  readonly isDryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
}

/** How server-side apply treats fields that another manager owns. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Take over fields that others own instead of failing with a conflict. */
  readonly isForced?: boolean | undefined;
}

/** How to delete. */
export interface DeleteOptions extends CallOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan' | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly isDryRun?: boolean | undefined;
}

/** One step of a JSON patch. */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test' | 'move' | 'copy';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** A change to an object, in one of the four ways the API takes it. */
export type Patch =
  | { readonly type: 'json'; readonly operations: readonly JsonPatchOperation[] }
  | { readonly type: 'merge'; readonly body: object }
  | { readonly type: 'strategic'; readonly body: object }
  | { readonly type: 'apply'; readonly body: object; readonly isForced?: boolean | undefined };

/** The scale of a workload (autoscaling/v1). */
export interface Scale extends KubeObject {
  spec?: { replicas?: number };
  status?: { replicas: number; selector?: string };
}

/** Reads and writes one part of an object, such as its status. */
export interface SubresourceClient<T extends KubeObject> {
  get(key: ObjectKey, options?: CallOptions): Promise<T>;
  /** POSTs, as evictions and token requests are made. */
  create(key: ObjectKey, body: object, options?: WriteOptions): Promise<T>;
  replace(object: T, options?: WriteOptions): Promise<T>;
  patch(key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<T>;
  apply(object: T, options: ApplyOptions): Promise<T>;
}

/** Reads and writes the objects of one resource. */
export interface ResourceClient<T extends KubeObject> {
  readonly ref: ResourceRef;
  readonly status: SubresourceClient<T>;
  readonly scale: SubresourceClient<Scale>;
  subresource<S extends KubeObject>(name: string): SubresourceClient<S>;
  get(key: ObjectKey, options?: CallOptions): Promise<T>;
  /** The objects page by page; all pages are of one moment unless the server had to start over. */
  pages(options?: ListOptions): AsyncGenerator<ListPage<T>, void, undefined>;
  /** All objects at once. */
  list(options?: ListOptions): Promise<ListResult<T>>;
  /** Events as they come; ends when the server ends the watch, throws a KubeError when it breaks or expires. */
  watch(options?: WatchOptions): AsyncGenerator<WatchEvent<T>, void, undefined>;
  create(object: T, options?: WriteOptions): Promise<T>;
  replace(object: T, options?: WriteOptions): Promise<T>;
  patch(key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<T>;
  /** Server-side apply. */
  apply(object: T, options: ApplyOptions): Promise<T>;
  /** Gives the object as it is while finalizers hold it, or a Status when it is gone. */
  delete(key: ObjectKey, options?: DeleteOptions): Promise<T | KubeStatus>;
  deleteCollection(options: Selection & DeleteOptions): Promise<void>;
}

const contentTypes: Record<Patch['type'], string> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // JSON is YAML, and older servers know apply by this name only.
  apply: 'application/apply-patch+yaml',
};

/** A client of one resource. */
export function createResourceClient<T extends KubeObject>(
  requester: Requester,
  ref: ResourceRef,
  defaults: { readonly fieldManager: string },
): ResourceClient<T> {
  const paths = createPaths(ref);
  const at = { requester, ref, paths, defaults };
  const whole = createSubresourceClient<T>(at, undefined);
  return {
    ref,
    status: createSubresourceClient<T>(at, 'status'),
    scale: createSubresourceClient<Scale>(at, 'scale'),
    subresource: <S extends KubeObject>(name: string) => createSubresourceClient<S>(at, name),
    get: whole.get,
    replace: whole.replace,
    patch: whole.patch,
    apply: whole.apply,
    pages: (options = {}) => pages<T>(at, options),
    list: (options = {}) => listAll<T>(at, options),
    watch: (options = {}) => watch<T>(at, options),
    create: (object, options = {}) =>
      requester.json<T>({
        ...callOptions(options),
        method: 'POST',
        path: paths.collection(object.metadata?.namespace),
        query: writeQuery(at, options),
        body: withType(ref, object),
      }),
    delete: (key, options = {}) =>
      requester.json<T | KubeStatus>({
        ...callOptions(options),
        method: 'DELETE',
        path: paths.object(key),
        body: deleteBody(options),
      }),
    async deleteCollection(options) {
      await requester.json({
        ...callOptions(options),
        method: 'DELETE',
        path: paths.collection(options.namespace),
        query: { labelSelector: options.labelSelector, fieldSelector: options.fieldSelector },
        body: deleteBody(options),
      });
    },
  };
}

interface At {
  readonly requester: Requester;
  readonly ref: ResourceRef;
  readonly paths: Paths;
  readonly defaults: { readonly fieldManager: string };
}

function createSubresourceClient<T extends KubeObject>(at: At, name: string | undefined): SubresourceClient<T> {
  const { requester, ref } = at;
  const pathOf = (key: ObjectKey): string => at.paths.object(key) + (name === undefined ? '' : `/${name}`);
  const patch = (key: ObjectKey, change: Patch, options: WriteOptions = {}): Promise<T> =>
    requester.json<T>({
      ...callOptions(options),
      method: 'PATCH',
      path: pathOf(key),
      query: { ...writeQuery(at, options), ...(change.type === 'apply' ? { force: change.isForced } : {}) },
      contentType: contentTypes[change.type],
      body: change.type === 'json' ? change.operations : change.body,
    });
  return {
    get: (key, options = {}) => requester.json<T>({ ...callOptions(options), method: 'GET', path: pathOf(key) }),
    patch,
    create: (key, body, options = {}) =>
      requester.json<T>({
        ...callOptions(options),
        method: 'POST',
        path: pathOf(key),
        query: writeQuery(at, options),
        body,
      }),
    replace: (object, options = {}) =>
      requester.json<T>({
        ...callOptions(options),
        method: 'PUT',
        path: pathOf(keyOf(object)),
        query: writeQuery(at, options),
        body: withType(ref, object),
      }),
    apply: (object, options) =>
      patch(keyOf(object), { type: 'apply', body: withType(ref, object), isForced: options.isForced }, options),
  };
}

/** Pages that expire half-way are given up for one listing without pages, which cannot expire. */
async function listAll<T extends KubeObject>(at: At, options: ListOptions): Promise<ListResult<T>> {
  const items: T[] = [];
  let resourceVersion = '';
  try {
    for await (const page of pages<T>(at, options)) {
      items.push(...page.items);
      resourceVersion = page.resourceVersion;
    }
  } catch (error) {
    if (!isExpired(error) || items.length === 0) throw error;
    return listAll<T>(at, { ...options, pageSize: 0 });
  }
  return { items, resourceVersion };
}

interface RawList<T> {
  apiVersion?: string;
  kind?: string;
  metadata?: { resourceVersion?: string; continue?: string };
  items?: T[] | null;
}

async function* pages<T extends KubeObject>(
  at: At,
  options: ListOptions,
): AsyncGenerator<ListPage<T>, void, undefined> {
  let token: string | undefined;
  do {
    const isFirst = token === undefined;
    const page: RawList<T> = await at.requester.json<RawList<T>>({
      ...callOptions(options),
      method: 'GET',
      path: at.paths.collection(options.namespace),
      query: {
        labelSelector: options.labelSelector,
        fieldSelector: options.fieldSelector,
        limit: options.pageSize ?? 500,
        continue: token,
        resourceVersion: isFirst ? options.resourceVersion : undefined,
        resourceVersionMatch: isFirst ? options.resourceVersionMatch : undefined,
      },
    });
    const resourceVersion = page.metadata?.resourceVersion;
    if (!Array.isArray(page.items ?? []) || resourceVersion === undefined) {
      throw kubeError('MalformedAnswer', `a list of ${at.ref.resource} has no items or no resourceVersion`);
    }
    token = page.metadata?.continue === '' ? undefined : page.metadata?.continue;
    yield { items: typedItems(page), resourceVersion, continue: token };
  } while (token !== undefined);
}

/** Items of built-in lists do not repeat what the list already says; give each its apiVersion and kind. */
function typedItems<T extends KubeObject>(page: RawList<T>): T[] {
  const items = page.items ?? [];
  const { apiVersion, kind } = page;
  if (apiVersion === undefined || kind === undefined || !kind.endsWith('List')) return items;
  const itemKind = kind.slice(0, -'List'.length);
  for (const item of items) {
    item.apiVersion ??= apiVersion;
    item.kind ??= itemKind;
  }
  return items;
}

async function* watch<T extends KubeObject>(
  at: At,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const stream = await at.requester.stream({
    ...callOptions(options),
    method: 'GET',
    path: at.paths.collection(options.namespace),
    query: {
      watch: true,
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      resourceVersion: options.resourceVersion,
      allowWatchBookmarks: options.hasBookmarks,
      timeoutSeconds: options.timeoutSeconds,
      sendInitialEvents: options.sendInitialEvents,
      resourceVersionMatch: options.sendInitialEvents === true ? 'NotOlderThan' : undefined,
    },
    accept: options.accept,
  });
  try {
    yield* readWatchEvents<T>(stream.body);
  } finally {
    stream.end();
  }
}

interface Paths {
  collection(namespace: string | undefined): string;
  object(key: ObjectKey): string;
}

function createPaths(ref: ResourceRef): Paths {
  const root = ref.group === '' ? `/api/${ref.version}` : `/apis/${ref.group}/${ref.version}`;
  const collection = (namespace: string | undefined): string => {
    const isWithin = ref.namespaced && namespace !== undefined && namespace !== '';
    return isWithin ? `${root}/namespaces/${encodeURIComponent(namespace)}/${ref.resource}` : `${root}/${ref.resource}`;
  };
  return {
    collection,
    object(key) {
      if (/^\.{0,2}$/.test(key.name)) throw new TypeError(`a name is needed to address one of ${ref.resource}`);
      if (ref.namespaced && (key.namespace === undefined || key.namespace === '')) {
        throw new TypeError(`a namespace is needed to address ${ref.resource} "${key.name}"`);
      }
      return `${collection(key.namespace)}/${encodeURIComponent(key.name)}`;
    },
  };
}

function callOptions(options: CallOptions): CallOptions {
  return { signal: options.signal, timeoutMs: options.timeoutMs };
}

function writeQuery(at: At, options: WriteOptions) {
  return {
    dryRun: options.isDryRun === true ? 'All' : undefined,
    fieldManager: options.fieldManager ?? at.defaults.fieldManager,
    fieldValidation: options.fieldValidation,
  };
}

function withType<T extends KubeObject>(ref: ResourceRef, object: T): T {
  if (object.apiVersion !== undefined && object.kind !== undefined) return object;
  return { apiVersion: apiVersionOf(ref), ...(ref.kind === undefined ? {} : { kind: ref.kind }), ...object };
}

function deleteBody(options: DeleteOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(options.preconditions === undefined ? {} : { preconditions: options.preconditions }),
    ...(options.propagationPolicy === undefined ? {} : { propagationPolicy: options.propagationPolicy }),
    ...(options.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: options.gracePeriodSeconds }),
    ...(options.isDryRun === true ? { dryRun: ['All'] } : {}),
  };
}
