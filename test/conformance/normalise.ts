import type { Json, JsonObject } from '../../src/schema/index.ts';
import { canonicalQuotedJson, canonicalStatus, compareText } from './canonical-message.ts';
import { isOwnDescription } from './fixtures.ts';
import { isJsonObject } from './json-value.ts';
import type { RunContext, Transcript, TranscriptEntry } from './transcript.ts';

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;
const longDate = /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g;
const jwt = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const dayMs = 86_400_000;

/** Rewrites what differs by chance (ids, times, versions, ports) into names that are equal on every server. */
export function normalise(transcript: Transcript): TranscriptEntry[] {
  const names = new NamesOfChance(transcript);
  return transcript.entries.map(({ step, seen }) => ({ step: names.rewriteText(step), seen: names.rewrite(seen) }));
}

/** Names for the values of one transcript that are chosen by the server. */
class NamesOfChance {
  readonly #context: RunContext;
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, Map<string, string>>();
  readonly #texts: [string, string][];

  constructor(transcript: Transcript) {
    this.#context = transcript.context;
    const texts = new Map<string, string>(Object.entries(transcript.context.aliases));
    const seenVersions = new Map<string, Set<string>>();
    for (const { seen } of transcript.entries) {
      for (const metadata of metadataOf(seen)) this.#collect(metadata, texts, seenVersions);
    }
    for (const [uid, versions] of seenVersions) this.#versions.set(uid, ranked(versions));
    texts.set(transcript.context.url, '<server>');
    texts.set(new URL(transcript.context.url).host, '<server-host>');
    texts.set(Buffer.from(transcript.context.caPem).toString('base64'), '<server-ca>');
    texts.set(transcript.context.caPem, '<server-ca-pem>');
    // Longest first, so that an address is not torn apart by a rule for its port.
    this.#texts = [...texts].sort(([left], [right]) => right.length - left.length);
  }

  #collect(metadata: JsonObject, texts: Map<string, string>, seenVersions: Map<string, Set<string>>): void {
    const { uid, name, generateName, resourceVersion } = metadata;
    if (typeof uid !== 'string') return;
    if (typeof name === 'string' && typeof generateName === 'string') {
      // The server cuts the prefix so that the whole name fits a label value.
      const prefix = generateName.slice(0, 58);
      if (name.startsWith(prefix)) texts.set(name, `${prefix}<${name.length - prefix.length} random>`);
    }
    if (!this.#uids.has(uid))
      this.#uids.set(uid, this.#nameUid(typeof generateName === 'string' ? generateName : name));
    if (typeof resourceVersion !== 'string') return;
    const versions = seenVersions.get(uid) ?? new Set();
    seenVersions.set(uid, versions.add(resourceVersion));
  }

  /** Ids are named for the first object that carries them, so that one missing object does not rename all others. */
  #nameUid(name: Json | undefined): string {
    const base = `uid of ${String(name)}`;
    const taken = new Set(this.#uids.values());
    let candidate = `<${base}>`;
    for (let n = 2; taken.has(candidate); n++) candidate = `<${base}, number ${n}>`;
    return candidate;
  }

  rewrite(value: Json): Json {
    if (typeof value === 'string') return this.rewriteText(value);
    if (Array.isArray(value)) return value.map((each) => this.rewrite(each));
    if (!isJsonObject(value)) return value;
    const rewritten: JsonObject = {};
    for (const [key, each] of Object.entries(canonicalStatus(value))) {
      rewritten[this.rewriteText(key)] = this.#rewriteMember(key, each);
    }
    return rewritten;
  }

  #rewriteMember(key: string, value: Json): Json {
    if (key === 'metadata' && isJsonObject(value)) return this.#rewriteMetadata(value);
    // Ages in tables count up while a case runs.
    if (key === 'description' && typeof value === 'string' && isProse(value)) return '<prose>';
    if (key === 'cells' && Array.isArray(value)) return value.map((cell) => this.rewrite(isAge(cell) ? '<age>' : cell));
    return this.rewrite(value);
  }

  #rewriteMetadata(metadata: JsonObject): JsonObject {
    const rewritten: JsonObject = {};
    for (const [key, each] of Object.entries(metadata)) {
      if (key === 'resourceVersion' && typeof each === 'string') rewritten[key] = this.#nameVersion(metadata.uid, each);
      else if (key === 'managedFields' && Array.isArray(each))
        rewritten[key] = inOneOrder(this.rewrite(each) as Json[]);
      else if (key === 'continue' && each !== '') rewritten[key] = '<continue token>';
      else rewritten[key] = this.#rewriteMember(key, each);
    }
    return rewritten;
  }

  #nameVersion(uid: Json | undefined, version: string): string {
    if (version === '' || version === '0') return version;
    return this.#versions.get(String(uid))?.get(version) ?? '<version>';
  }

  rewriteText(text: string): string {
    let out = canonicalQuotedJson(text);
    for (const [from, to] of this.#texts) out = out.replaceAll(from, to);
    out = out.replace(uuid, (found) => this.#uids.get(found) ?? '<uuid>');
    out = out.replace(instant, (found, fraction: string | undefined) => this.#nameInstant(found, fraction));
    out = out.replace(longDate, '<date>');
    out = out.replace(jwt, '<jwt>');
    out = out.replace(/yaml: (line \d+: )?[^("\n]*/g, nameYamlFault);
    out = out.replace(/resourceVersion(\\*"?: ?\\*")\d+(\\*")/g, 'resourceVersion$1<version>$2');
    return out.replace(/resource version: \d+ \(\d+\)/g, 'resource version: <old> (<oldest>)');
  }

  /** Times near the run are the server's; the case's own fixed times lie years away and stay. */
  #nameInstant(found: string, fraction: string | undefined): string {
    if (Math.abs(Date.parse(found) - this.#context.startedAtMs) > 2 * dayMs) return found;
    return fraction === undefined ? '<time>' : `<time with ${fraction.length - 1} digits>`;
  }
}

/** What exactly is wrong with a YAML text is told in the words of each parser; repeated keys are told in Kubernetes' own. */
function nameYamlFault(found: string): string {
  return found.includes('unmarshal errors') ? found : 'yaml: <syntax> ';
}

/** Descriptions of built-in fields are each server's own words; those of the case's own CRDs must come back unchanged. */
function isProse(text: string): boolean {
  return text !== '' && !isOwnDescription(text) && !text.startsWith('Custom resource definition column');
}

/** The real server sorts managed fields by time, so their order depends on whether a second ticked over in between. */
function inOneOrder(entries: Json[]): Json[] {
  return [...entries].sort((left, right) => compareText(orderKey(left), orderKey(right)));
}

function orderKey(entry: Json): string {
  if (!isJsonObject(entry)) return '';
  const { operation, manager, subresource, apiVersion, fieldsV1 } = entry;
  return JSON.stringify([operation, manager, subresource, apiVersion, fieldsV1]);
}

function isAge(cell: Json): boolean {
  return typeof cell === 'string' && /^\d+(s|m\d*s?)$/.test(cell);
}

function ranked(versions: Set<string>): Map<string, string> {
  const ordered = [...versions].sort((left, right) => Number(left) - Number(right));
  return new Map(ordered.map((version, index) => [version, `<version ${index + 1}>`]));
}

function* metadataOf(value: Json): Generator<JsonObject> {
  if (Array.isArray(value)) for (const each of value) yield* metadataOf(each);
  if (!isJsonObject(value)) return;
  if (isJsonObject(value.metadata)) yield value.metadata;
  for (const each of Object.values(value)) yield* metadataOf(each);
}
