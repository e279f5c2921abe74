import type { Key, Stored } from './store.ts';

type Labels = Readonly<Record<string, string>> | undefined;

/** What a version is made of; `labels` is left out when only the JSON is at hand. */
export interface VersionFields {
  readonly key: Key;
  readonly uid: string;
  readonly revision: number;
  readonly createdRevision: number;
  readonly json: string;
  readonly labels?: Labels;
}

/**
 * A stored version. Labels of a version that was read back from disk are parsed when first asked for, because opening
 * a store with many objects would otherwise parse every one of them.
 */
export class StoredVersion implements Stored {
  readonly bucket: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly revision: number;
  readonly createdRevision: number;
  readonly json: string;
  #labels: Labels | null;

  constructor(fields: VersionFields) {
    this.bucket = fields.key.bucket;
    this.namespace = fields.key.namespace;
    this.name = fields.key.name;
    this.uid = fields.uid;
    this.revision = fields.revision;
    this.createdRevision = fields.createdRevision;
    this.json = fields.json;
    this.#labels = 'labels' in fields ? fields.labels : null;
  }

  get labels(): Labels {
    if (this.#labels === null) this.#labels = labelsIn(this.json);
    return this.#labels;
  }
}

function labelsIn(json: string): Labels {
  // Most objects carry no labels at all; finding that out without parsing is far cheaper.
  if (!json.includes('"labels":')) return undefined;
  const object = JSON.parse(json) as { metadata?: { labels?: Record<string, string> } };
  return object.metadata?.labels;
}

/**
 * The key of an object inside its bucket. A slash cannot occur in a namespace or a name, and ordering by this string
 * is the order in which etcd, hence kube-apiserver, lists: `a-b/x` comes before `a/x`.
 */
export function pathOf(key: { readonly namespace: string; readonly name: string }): string {
  return `${key.namespace}/${key.name}`;
}

/** The paths of one namespace, or of all: from `start` (inclusive) to `end` (exclusive; undefined is no end). */
export function pathRange(namespace: string | undefined): { start: string; end: string | undefined } {
  if (namespace === undefined) return { start: '', end: undefined };
  // '0' is the character after '/'.
  return { start: `${namespace}/`, end: `${namespace}0` };
}
