import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { done, type SwitchResult } from '../switch-result.ts';

/** Whose host keys are kept: an AnsibleSwitch, at a place as known_hosts names it. */
export interface KeyOwner {
  readonly namespace: string;
  readonly name: string;
  readonly place: string;
}

/** Keeps the host keys that switches showed at first sight. Throws when that cannot be done. */
export interface HostKeyBook {
  find(owner: KeyOwner, signal: AbortSignal): Promise<string | undefined>;
  /** Keeps keys unless there are some already; those that count from now on. */
  keep(owner: KeyOwner, keys: string, signal: AbortSignal): Promise<string>;
}

/** Host keys in memory, for tests. */
export function createMemoryHostKeys(): HostKeyBook & { readonly keys: Map<string, string> } {
  const keys = new Map<string, string>();
  return {
    keys,
    find: async ({ place }) => keys.get(place),
    async keep({ place }, seen) {
      const kept = keys.get(place) ?? seen;
      keys.set(place, kept);
      return kept;
    },
  };
}

/** Where a switch is reached. */
export interface SshPlace {
  readonly host: string;
  readonly port: number;
}

/** How known_hosts names a place. */
export function placeName({ host, port }: SshPlace): string {
  return port === 22 ? host : `[${host}]:${port}`;
}

const keyPattern = /(?:ssh-|ecdsa-|sk-)\S+\s+([A-Za-z0-9+/=]+)/g;

/** Turns what an object says of a host key into lines of known_hosts: with or without the name in front. */
export function knownHostLines(place: SshPlace, hostKey: string): string {
  return hostKey
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const key = /(?:ssh-|ecdsa-|sk-)\S+\s+[A-Za-z0-9+/=]+/.exec(line)?.[0];
      return key === undefined ? line : `${placeName(place)} ${key}`;
    })
    .join('\n');
}

/** A short digest of each key in lines of known_hosts, whatever name is in front of it. */
export function keyDigests(lines: string): string[] {
  const keys = [...lines.matchAll(keyPattern)].map(([, key = '']) => key);
  return [...new Set(keys)].map((key) => createHash('sha256').update(key).digest('hex').slice(0, 12)).sort();
}

/** Asks a switch for its host keys; no credentials are sent. */
export function scanHostKeys({ host, port }: SshPlace, signal: AbortSignal): Promise<SwitchResult<string>> {
  return new Promise((resolve) => {
    execFile('ssh-keyscan', ['-T', '10', '-p', String(port), '--', host], { signal }, (error, stdout) => {
      const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      if (lines.length > 0) return resolve(done(`${lines.join('\n')}\n`));
      const why = signal.aborted ? 'given up' : (error?.code ?? 'no answer');
      resolve({
        kind: signal.aborted ? 'cancelled' : 'unreachable',
        message: `${placeName({ host, port })} shows no SSH host key: ${why}`,
      });
    });
  });
}
