import { createWriteStream, renameSync, type WriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { RequestInfo } from './http/request-info.ts';
import type { UserInfo } from './resource.ts';

/** A write and its verdict. */
export interface AuditEntry {
  readonly info: RequestInfo;
  /** Who acted. */
  readonly user: UserInfo;
  /** Who proved who they are; another than `user` when they impersonate; undefined when the proof failed. */
  readonly caller: UserInfo | undefined;
  /** The object's name; a create knows it only afterwards. */
  readonly name: string;
  readonly code: number;
  readonly reason: string;
}

/** Keeps who wrote what, and what came of it; never what was in it. */
export interface AuditLog {
  record(entry: AuditEntry): void;
  close(): Promise<void>;
}

const rotateAtBytes = 64 * 1024 * 1024;

/** Appends one JSON line per write to a file only the owner can read; keeps one older file of the same size. */
export async function openAuditLog(path: string, now: () => Date): Promise<AuditLog> {
  let size = (await stat(path).catch(() => undefined))?.size ?? 0;
  let stream = openStream(path);
  const rotate = (): void => {
    size = 0;
    renameSync(path, `${path}.1`); // the open stream goes on writing to the renamed file until it ends
    stream.end();
    stream = openStream(path);
  };
  return {
    record(entry) {
      const line = `${JSON.stringify(auditLine(entry, now()))}\n`;
      size += line.length;
      stream.write(line);
      if (size > rotateAtBytes) rotate();
    },
    close: () => new Promise((resolve) => stream.end(() => resolve())),
  };
}

function openStream(path: string): WriteStream {
  return createWriteStream(path, { flags: 'a', mode: 0o600 });
}

/** One line of the log: who, what and the verdict. Bodies and selectors, which may hold secrets, are never in it. */
export function auditLine(entry: AuditEntry, now: Date): object {
  const { info, user, caller, name, code, reason } = entry;
  return {
    time: now.toISOString(),
    ...(caller === undefined ? { user: '', groups: [] } : { user: caller.username, groups: caller.groups }),
    ...(caller === undefined || caller === user
      ? {}
      : { impersonatedUser: { username: user.username, groups: user.groups } }),
    verb: info.verb,
    ...(info.isResource ? resourceOf(info) : { path: info.path }),
    ...(name === '' ? {} : { name }),
    ...(info.query.has('dryRun') ? { dryRun: true } : {}),
    code,
    verdict: code < 300 ? 'done' : 'refused',
    ...(reason === '' ? {} : { reason }),
  };
}

function resourceOf(info: RequestInfo): object {
  return {
    group: info.group,
    version: info.version,
    resource: info.resource,
    ...(info.subresource === '' ? {} : { subresource: info.subresource }),
    ...(info.namespace === '' ? {} : { namespace: info.namespace }),
  };
}

const nameFirst =
  /^\{(?:"(?:apiVersion|kind)":"[^"\\]*",)*"metadata":\{(?:"(?!name")[A-Za-z]+":(?:"[^"\\]*"|\d+|null),)*"name":"([^"\\]*)"/;

/** The name of the object in an answer's text. Whole objects are parsed only when the name is not where it usually is. */
export function nameIn(json: string): string {
  const quick = nameFirst.exec(json.slice(0, 2048))?.[1];
  if (quick !== undefined) return quick;
  const { metadata } = JSON.parse(json) as { metadata?: { name?: string } };
  return metadata?.name ?? '';
}
