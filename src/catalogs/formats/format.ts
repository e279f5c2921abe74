import type { ReadContext } from '../reading/context.ts';

/** An entry as a format tells it, not yet looked at closely. */
export interface EntryDraft {
  readonly component: string;
  readonly name: string;
  readonly manufacturer: string;
  readonly version: string;
  readonly models: readonly string[];
  readonly softwareIds: readonly string[];
  readonly line: string;
  /** Where the image is: below a base, or, where the format has whole addresses, anywhere. */
  readonly image: { readonly path: string; readonly base: URL } | { readonly url: string; readonly base: URL };
  readonly sizeBytes: number | undefined;
  /** As they are written, with the name of the function where the format tells it. */
  readonly digests: readonly string[];
  readonly releaseDate: string | undefined;
  readonly isRebootNeeded: boolean | undefined;
}

/** What a format is read with. */
export interface FormatContext extends ReadContext {
  /** The address of the file that is read. */
  readonly place: URL;
  /** Where images are, if not where the catalogue says. */
  readonly baseUrl: URL | undefined;
  /** Hosts besides the catalogue's own from which images may come. */
  readonly trustedHosts: readonly string[];
  add(draft: EntryDraft): void;
  /** Counts what is looked at without becoming an entry, such as drivers. */
  skip(): void;
}

/** Reads one file of a catalogue, as text, and adds what is in it. */
export type FormatReader = (text: AsyncIterable<string>, context: FormatContext) => Promise<void>;

/** The folder that a file is in. */
export function folderOf(place: URL): URL {
  return new URL('.', withoutQuery(place));
}

/** An address that names a folder, so that paths can be put behind it. */
export function asFolder(url: URL): URL {
  const folder = withoutQuery(url);
  if (!folder.pathname.endsWith('/')) folder.pathname += '/';
  return folder;
}

function withoutQuery(url: URL): URL {
  const bare = new URL(url);
  bare.search = '';
  bare.hash = '';
  return bare;
}
