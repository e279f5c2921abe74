import { type Digest, isStoreError, parseDigest } from '../firmware-store/index.ts';
import type { FirmwareEntry } from './entry.ts';
import type { EntryDraft } from './formats/format.ts';
import { addressAnywhere, addressBelow } from './formats/image-address.ts';
import { isForModel } from './model-match.ts';
import { checkNames, type ReadContext, refusal } from './reading/context.ts';

/** Looks closely at what formats tell, and keeps what is for one model. */
export interface Collector {
  add(draft: EntryDraft, context: ReadContext): void;
  skip(context: ReadContext): void;
  readonly entries: readonly FirmwareEntry[];
  /** How many were looked at, of whatever kind and model. */
  readonly seen: number;
}

/** Makes a collector for the names of one model. */
export function createCollector(names: readonly string[]): Collector {
  const entries: FirmwareEntry[] = [];
  // All entries of one file may share one list, so each list is looked at once.
  const judged = new WeakMap<readonly string[], boolean>();
  let seen = 0;
  const count = (context: ReadContext): void => {
    seen += 1;
    const { maxEntries } = context.limits;
    if (seen > maxEntries) throw refusal(context, 'tooLarge', { limit: `${maxEntries} entries` });
  };
  return {
    add(draft, context) {
      count(context);
      // All entries are looked at and not only those that are asked for: a catalogue is right or refused.
      const entry = toEntry(draft, context);
      const { models } = draft;
      if (!judged.has(models)) {
        for (const model of models) checkText('model', model, { fileName: entry.fileName, context, most: longestText });
        judged.set(models, isForModel(models, names));
      }
      if (judged.get(models) !== true) return;
      entries.push(entry);
      const { maxMatches } = context.limits;
      if (entries.length > maxMatches)
        throw refusal(context, 'tooLarge', { limit: `${maxMatches} entries for one model` });
    },
    skip: count,
    get entries() {
      return entries;
    },
    get seen() {
      return seen;
    },
  };
}

const longestText = 512;
/** What objects of Kubernetes hold of names and versions. */
const longestName = 253;

function toEntry(draft: EntryDraft, context: ReadContext): FirmwareEntry {
  const { image } = draft;
  const url =
    'path' in image ? addressBelow(image.base, image.path, context) : addressAnywhere(image.base, image.url, context);
  const fileName = fileNameIn(url);
  const texts = { version: draft.version, manufacturer: draft.manufacturer, component: draft.component };
  for (const [name, text] of Object.entries(texts)) checkText(name, text, { fileName, context, most: longestName });
  checkNames(draft.models.length + draft.softwareIds.length, context);
  for (const id of draft.softwareIds) checkText('software id', id, { fileName, context, most: longestText });
  return {
    component: draft.component,
    name: draft.name.slice(0, longestText).replaceAll(/\p{Cc}+/gu, ' '),
    manufacturer: draft.manufacturer,
    version: draft.version,
    models: draft.models,
    softwareIds: draft.softwareIds,
    line: draft.line,
    fileName,
    url: url.href,
    sizeBytes: draft.sizeBytes,
    digests: digestsOf(draft.digests, { fileName, context }),
    releaseDate: draft.releaseDate,
    isRebootNeeded: draft.isRebootNeeded,
  };
}

/** The last name of an address, whatever is encoded in it. */
function fileNameIn({ pathname }: URL): string {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  return decoded(last)
    .replaceAll(/[/\\\p{Cc}]/gu, '_')
    .slice(0, longestText);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // Bytes that are no UTF-8: shown as they are written.
    return name;
  }
}

interface About {
  readonly fileName: string;
  readonly context: ReadContext;
}

function checkText(name: string, text: string, { fileName, context, most }: About & { readonly most: number }): void {
  const fault = textFault(text, most);
  if (fault !== undefined) throw refusal(context, 'badEntry', { entry: fileName, detail: `its ${name} ${fault}` });
}

function textFault(text: string, most: number): string | undefined {
  if (text.trim() === '') return 'is missing';
  if (text.length > most) return `is longer than ${most} characters`;
  return /\p{Cc}/u.test(text) ? 'has control characters' : undefined;
}

const strength = ['sha512', 'sha256', 'md5'];

/** The strongest first. Two that contradict each other are worse than none. */
function digestsOf(texts: readonly string[], { fileName, context }: About): readonly Digest[] {
  const found = new Map<string, Digest>();
  for (const text of texts) {
    const digest = digestOf(text, { fileName, context });
    const before = found.get(digest.algorithm);
    if (before !== undefined && before.hex !== digest.hex) {
      const detail = `it has two ${digest.algorithm} checksums that differ`;
      throw refusal(context, 'badEntry', { entry: fileName, detail });
    }
    found.set(digest.algorithm, digest);
  }
  return [...found.values()].sort((a, b) => strength.indexOf(a.algorithm) - strength.indexOf(b.algorithm));
}

function digestOf(text: string, { fileName, context }: About): Digest {
  try {
    return parseDigest(text);
  } catch (error) {
    if (isStoreError(error)) throw refusal(context, 'badEntry', { entry: fileName, detail: error.message }, error);
    throw error;
  }
}
