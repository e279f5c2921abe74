import { isAbsolute, resolve } from 'node:path';
import type { CatalogFormat, CatalogSource } from '../../catalogs/index.ts';
import { usageError } from '../errors.ts';
import { parsePath } from '../parse-setting.ts';
import type { Given } from '../setting.ts';

// Every command reads this file: what can be done with the places is loaded only by those that do it.
const catalogFormats = ['dell', 'hpe', 'lenovo', 'plain'] as const satisfies readonly CatalogFormat[];

/** Catalogues as they are named on a command line: `FORMAT=LOCATION`, separated by commas. */
export function parseCatalogs(text: string, { as, cwd, variable }: Given): readonly CatalogSource[] {
  return text.split(',').map((each) => {
    const at = each.indexOf('=');
    const word = each.slice(0, Math.max(at, 0)).trim();
    const format = catalogFormats.find((one) => one === word);
    const location = each.slice(at + 1).trim();
    // An address may have a password in it.
    const option = as.replace(text, '...');
    if (format === undefined || location === '') {
      throw usageError(
        `${option}: a catalogue is FORMAT=LOCATION, where FORMAT is one of ${catalogFormats.join(', ')}`,
      );
    }
    if (isAbsolute(location)) return { format, location };
    const { protocol, password = '' } = URL.parse(location) ?? {};
    if (protocol === undefined) return { format, location: resolve(cwd, location) };
    if (!['http:', 'https:', 'file:'].includes(protocol)) {
      throw usageError(
        `${option}: a catalogue is at an http, https or file address, or in a folder, not at ${protocol}`,
      );
    }
    if (variable !== undefined && password !== '') {
      const instead = `keep the log-in in the file of --catalog-file, or set ${variable}`;
      throw usageError(`${option}: whoever lists processes reads a password on a command line; ${instead}`);
    }
    return { format, location };
  });
}

/** Where images are kept, as it is named: a folder, or a part of a bucket. */
export type NamedPlace =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

/** Reads `--image-store`. */
export function parseStore(text: string, given: Given): NamedPlace {
  if (!text.startsWith('s3:')) return { kind: 'folder', folder: parsePath(text, given) };
  const [, bucket = '', prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._/-]*))?$/.exec(text) ?? [];
  if (bucket === '') throw usageError(`${given.as}: a bucket is given as s3://bucket or s3://bucket/prefix`);
  return { kind: 's3', bucket, prefix: prefix.replace(/\/+$/, '') };
}

/** Reads `host:port`. */
export function parseListen(text: string, { as }: Given): { readonly host: string; readonly port: number } {
  const [, host = '', port = ''] = /^(\[[0-9A-Fa-f:]+\]|[0-9A-Za-z.-]+):(\d{1,5})$/.exec(text) ?? [];
  if (host === '' || Number(port) > 65_535) throw usageError(`${as}: host:port is needed, as in 0.0.0.0:8090`);
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

/** Names of packages and paths of modules, separated by commas; relative paths begin with a dot. */
export function parseModules(text: string, { as, cwd }: Given): readonly string[] {
  return text.split(',').map((each) => {
    const name = each.trim();
    if (name === '') throw usageError(`${as}: the name of a package or a path is needed`);
    return name.startsWith('.') ? resolve(cwd, name) : name;
  });
}
