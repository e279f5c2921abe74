import { createWriteStream, renameSync, type WriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { RequestInfo } from './http/request-info.ts';
import type { UserInfo } from './resource.ts';

/** A write and its verdict. */
export interface AuditEntry {
  readonly info: RequestInfo;
  readonly user: UserInfo;
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

function auditLine({ info, user, code, reason }: AuditEntry, now: Date): object {
  return {
    time: now.toISOString(),
    user: user.username,
    groups: user.groups,
    verb: info.verb,
    group: info.group,
    version: info.version,
    resource: info.resource,
    ...(info.subresource === '' ? {} : { subresource: info.subresource }),
    ...(info.namespace === '' ? {} : { namespace: info.namespace }),
    ...(info.name === '' ? {} : { name: info.name }),
    ...(info.query.has('dryRun') ? { dryRun: true } : {}),
    code,
    verdict: code < 300 ? 'done' : 'refused',
    ...(reason === '' ? {} : { reason }),
  };
}
