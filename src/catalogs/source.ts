import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type SourceCredentials, shownSource } from '../firmware-store/index.ts';
import { CatalogError } from './errors.ts';
import { asFolder } from './formats/format.ts';

/** The formats that are read. */
export const catalogFormats = ['dell', 'hpe', 'lenovo', 'plain'] as const;

/** The form that a catalogue has. */
export type CatalogFormat = (typeof catalogFormats)[number];

/** Where a catalogue is and what form it has. */
export interface CatalogSource {
  readonly format: CatalogFormat;
  /** An `http:`, `https:` or `file:` address of a file, or a folder: its path, or its `file:` address. */
  readonly location: string;
  /** Where images are, if not where the catalogue says or beside it: for copies inside the infrastructure. */
  readonly baseUrl?: string | undefined;
  /** Hosts besides the catalogue's own that it may name for its images; Dell's own download hosts for Dell's format. */
  readonly trustedHosts?: readonly string[] | undefined;
}

/** A source whose addresses were looked at. */
export interface CheckedSource {
  readonly format: CatalogFormat;
  readonly location: URL;
  readonly shown: string;
  readonly baseUrl: URL | undefined;
  readonly trustedHosts: readonly string[];
}

const dellHosts = ['downloads.dell.com', 'dl.dell.com'];

/** Looks at the addresses of a source. Throws `badSource`. */
export function checkSource(source: CatalogSource): CheckedSource {
  if (!catalogFormats.includes(source.format)) {
    throw new CatalogError('badSource', {
      source: 'given',
      detail: `its format is none of ${catalogFormats.join(', ')}`,
    });
  }
  const location = toUrl(source.location, ['http:', 'https:', 'file:']);
  const shown = shownSource(location);
  const baseUrl =
    source.baseUrl === undefined ? undefined : asFolder(toUrl(source.baseUrl, ['http:', 'https:', 'file:']));
  if (baseUrl !== undefined && (baseUrl.username !== '' || baseUrl.password !== '')) {
    throw new CatalogError('badSource', { source: shown, detail: 'its base address has credentials in it' });
  }
  const trustedHosts = source.trustedHosts ?? (source.format === 'dell' ? dellHosts : []);
  return { format: source.format, location, shown, baseUrl, trustedHosts };
}

/**
 * The log-ins in the addresses of catalogues, by origin. Images beside a catalogue want the same log-in as the catalogue, and
 * their own addresses, which are stored and shown, have none.
 */
export function catalogLogins(
  sources: readonly CatalogSource[],
): (origin: string) => Promise<SourceCredentials | undefined> {
  return async (origin) => {
    const urls = sources.map(({ location }) => URL.parse(location));
    const found = urls.find((url) => url !== null && url.origin === origin && url.username !== '');
    if (found === null || found === undefined) return undefined;
    return { username: decodeURIComponent(found.username), password: decodeURIComponent(found.password) };
  };
}

function toUrl(text: string, schemes: readonly string[]): URL {
  if (isAbsolute(text)) return pathToFileURL(text);
  const url = URL.parse(text);
  // The text is not shown: a password may be in it.
  if (url === null)
    throw new CatalogError('badSource', { source: 'given', detail: 'its address is neither a URL nor a path' });
  if (schemes.includes(url.protocol)) return url;
  const detail = `${url.protocol.slice(0, -1)} is not supported; use https, http or a folder`;
  throw new CatalogError('badSource', { source: shownSource(url), detail });
}
