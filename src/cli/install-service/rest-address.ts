import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import type { Settings } from '../settings.ts';

/** Where REST services are, and what they are asked with. */
export interface RestAddress {
  readonly url: string;
  readonly token: string;
  /** Certificates to trust besides those of the system. */
  readonly caPem: string | undefined;
}

/** The file in which a running `rackwright up` leaves the address of its REST services. */
export function restFileOf(dataDir: string): string {
  return join(dataDir, 'rest.json');
}

/** The services that are named, or else those of the data directory. */
export function findRest(settings: Settings<'dataDir' | 'restUrl' | 'tokenFile' | 'caFile'>): RestAddress {
  const { restUrl, tokenFile, caFile, dataDir } = settings;
  if (restUrl !== undefined) {
    if (tokenFile === undefined) throw new CliError('usage', '--rest-url goes with --token-file, which holds a token');
    const caPem = caFile === undefined ? undefined : read(caFile, '--ca-file');
    return { url: restUrl, token: read(tokenFile, '--token-file').trim(), caPem };
  }
  const url = readUrl(dataDir);
  const token = read(tokenFile ?? join(dataDir, 'admin-token'), '--token-file').trim();
  return { url, token, caPem: read(caFile ?? join(dataDir, 'pki', 'ca.crt'), '--ca-file') };
}

function readUrl(dataDir: string): string {
  try {
    return (JSON.parse(readFileSync(restFileOf(dataDir), 'utf8')) as { url: string }).url;
  } catch (cause) {
    const text = `no REST services run with the data directory ${dataDir}; start them with "rackwright up", or name them with --data-dir or --rest-url`;
    throw new CliError('unreachable', text, { cause });
  }
}

function read(file: string, option: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CliError('usage', `${option}: ${file} cannot be read`, { cause });
  }
}
