import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TokenSource } from '../../conditionorc/index.ts';
import { CliError } from '../errors.ts';
import { readOptionFile } from '../read-option-file.ts';
import type { Settings } from '../settings.ts';

/** Where REST services are, and what they are asked with. */
export interface RestAddress {
  readonly url: string;
  /** Of Serverservice, where it has another one. */
  readonly inventoryUrl?: string | undefined;
  readonly token: TokenSource;
  /** Certificates to trust besides those of the system. */
  readonly caPem: string | undefined;
}

/** The file in which a running `rackwright up` leaves the address of its REST services. */
export function restFileOf(dataDir: string): string {
  return join(dataDir, 'rest.json');
}

/** The services that are named, or else those of the data directory. */
export function findRest(
  settings: Settings<'dataDir' | 'restUrl' | 'inventoryUrl' | 'tokenFile' | 'caFile'>,
): RestAddress {
  const { restUrl, inventoryUrl, tokenFile, caFile, dataDir } = settings;
  if (restUrl !== undefined) {
    if (tokenFile === undefined) throw new CliError('usage', '--rest-url goes with --token-file, which holds a token');
    const caPem = caFile === undefined ? undefined : readOptionFile(caFile, '--ca-file');
    return { url: restUrl, inventoryUrl, token: readOptionFile(tokenFile, '--token-file').trim(), caPem };
  }
  if (inventoryUrl !== undefined) throw new CliError('usage', '--inventory-url goes with --rest-url');
  const url = readUrl(dataDir);
  const token = readOptionFile(tokenFile ?? adminToken(dataDir), '--token-file').trim();
  return { url, token, caPem: caOf(url, settings) };
}

/** Beside a cluster there is no administrator of ours. */
function adminToken(dataDir: string): string {
  const file = join(dataDir, 'admin-token');
  if (existsSync(file)) return file;
  const text = `${file} is not there: services beside a cluster take its tokens, such as "kubectl create token" gives; put one into a file and name it with --token-file`;
  throw new CliError('usage', text);
}

/** Our own authority where there is one; those of the system otherwise. */
function caOf(url: string, { caFile, dataDir }: Settings<'dataDir' | 'caFile'>): string | undefined {
  if (caFile !== undefined) return readOptionFile(caFile, '--ca-file');
  const own = join(dataDir, 'pki', 'ca.crt');
  return url.startsWith('https:') && existsSync(own) ? readOptionFile(own, '--ca-file') : undefined;
}

function readUrl(dataDir: string): string {
  try {
    return (JSON.parse(readFileSync(restFileOf(dataDir), 'utf8')) as { url: string }).url;
  } catch (cause) {
    const text = `no REST services run with the data directory ${dataDir}; start them with "rackwright up", or name them with --data-dir or --rest-url`;
    throw new CliError('unreachable', text, { cause });
  }
}
