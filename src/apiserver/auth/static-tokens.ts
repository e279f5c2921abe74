import { readFileSync, type Stats, statSync } from 'node:fs';
import type { UserInfo } from '../resource.ts';

/** Bearer tokens of people and programs, as the operator wrote them down. */
export interface StaticTokens {
  find(token: string): UserInfo | undefined;
}

/** How a tokens file is followed. */
export interface TokensFileOptions {
  readonly path: string;
  now(): Date;
  /** Told when the file cannot be used; its tokens are then not accepted. */
  onFault(error: unknown): void;
}

const lookAgainMs = 1000;

/**
 * The tokens of a CSV file: `token,user,uid,"group1,group2"`. It may be missing, must be readable by its owner only, and
 * is read again within a second of a change.
 */
export function openTokensFile(options: TokensFileOptions): StaticTokens {
  let users = new Map<string, UserInfo>();
  let version = '';
  let lookAt = Number.NEGATIVE_INFINITY;
  const reload = (): void => {
    const stats = statSync(options.path, { throwIfNoEntry: false });
    const found = versionOf(stats);
    if (found === version) return;
    version = found;
    users = new Map();
    try {
      if (stats !== undefined) users = readTokens(options.path, stats);
    } catch (error) {
      options.onFault(error);
    }
  };
  return {
    find(token) {
      const nowMs = options.now().getTime();
      if (nowMs >= lookAt) {
        lookAt = nowMs + lookAgainMs;
        reload();
      }
      return users.get(token);
    },
  };
}

function versionOf(stats: Stats | undefined): string {
  return stats === undefined ? '' : `${stats.ino} ${stats.mtimeMs} ${stats.size} ${stats.mode} ${stats.uid}`;
}

function readTokens(path: string, stats: Stats): Map<string, UserInfo> {
  if ((stats.mode & 0o077) !== 0) {
    throw new Error(`${path} can be read by others than its owner, so its tokens are not used; run chmod 600 on it`);
  }
  const user = process.geteuid?.() ?? stats.uid;
  if (stats.uid !== user && stats.uid !== 0) {
    throw new Error(
      `${path} belongs to user ${stats.uid}, not to user ${user}, so its tokens are not used; run chown on it`,
    );
  }
  return parseTokens(readFileSync(path, 'utf8'), path);
}

/** Reads the lines of a tokens file. Blank lines and lines that begin with # are left out. */
export function parseTokens(text: string, path: string): Map<string, UserInfo> {
  const users = new Map<string, UserInfo>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [token = '', username = '', uid = '', groups = ''] = splitLine(line);
    if (token === '' || username === '') {
      throw new Error(`${path}:${index + 1}: expected token,user,uid and perhaps groups in quotes`);
    }
    const named = groups
      .split(',')
      .map((g) => g.trim())
      .filter((g) => g !== '');
    users.set(token, { username, ...(uid === '' ? {} : { uid }), groups: withAuthenticated(named) });
  }
  return users;
}

/** Fields of one CSV line; a quoted field may hold commas and doubled quotes. */
function splitLine(line: string): string[] {
  const fields = line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return [...fields].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '').trim() : quoted.replaceAll('""', '"'),
  );
}

/** Everybody who proved who they are is in this group too. */
export function withAuthenticated(groups: readonly string[]): string[] {
  return groups.includes('system:authenticated') ? [...groups] : [...groups, 'system:authenticated'];
}
