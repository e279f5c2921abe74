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
  /** Nothing was to be stored, whatever the verdict. */
  readonly isDryRun: boolean;
  readonly code: number;
  readonly reason: string;
}

/** Keeps who wrote what, and what came of it; never what was in it. */
export interface AuditLog {
  record(entry: AuditEntry): void;
  /** Why the last line could not be kept; undefined when it was. */
  fault(): string | undefined;
  /** How many lines could not be kept. */
  lost(): number;
  close(): Promise<void>;
}

const rotateAtBytes = 64 * 1024 * 1024;

/** Appends one JSON line per write to a file only the owner can read; keeps one older file of the same size. */
export async function openAuditLog(path: string, parts: AuditParts): Promise<AuditLog> {
  return new AuditFile(path, (await stat(path).catch(() => undefined))?.size ?? 0, parts);
}

/** What the log needs besides its file. */
export interface AuditParts {
  now(): Date;
  /** Told when lines begin to be lost: writes go on, and whoever asks for readiness hears of it. */
  onFault(error: unknown): void;
  /** From how many bytes on the file is put aside; 64 MiB unless told. */
  readonly rotateAtBytes?: number;
}

class AuditFile implements AuditLog {
  readonly #path: string;
  readonly #parts: AuditParts;
  #stream: WriteStream;
  #size: number;
  #lost = 0;
  #fault: Error | undefined;

  constructor(path: string, size: number, parts: AuditParts) {
    this.#path = path;
    this.#size = size;
    this.#parts = parts;
    this.#stream = this.#open();
  }

  record(entry: AuditEntry): void {
    const line = `${JSON.stringify(auditLine(entry, this.#parts.now()))}\n`;
    this.#size += line.length;
    if (this.#stream.destroyed) this.#stream = this.#open(); // the disk may have room again
    this.#stream.write(line, (error) => {
      if (error) this.#lost += 1;
      else this.#fault = undefined;
    });
    if (this.#size > (this.#parts.rotateAtBytes ?? rotateAtBytes)) this.#rotate();
  }

  fault(): string | undefined {
    return this.#fault?.message;
  }

  lost(): number {
    return this.#lost;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#stream.end(() => resolve()));
  }

  #open(): WriteStream {
    const stream = createWriteStream(this.#path, { flags: 'a', mode: 0o600 });
    stream.on('error', (error) => {
      if (this.#fault === undefined) this.#parts.onFault(error);
      this.#fault = error;
    });
    return stream;
  }

  #rotate(): void {
    this.#size = 0; // a file that cannot be put aside grows on, and is tried again later
    try {
      renameSync(this.#path, `${this.#path}.1`); // the open stream goes on writing to the renamed file until it ends
    } catch (error) {
      this.#parts.onFault(error);
      return;
    }
    this.#stream.end();
    this.#stream = this.#open();
  }
}

/** One line of the log: who, what and the verdict. Bodies and selectors, which may hold secrets, are never in it. */
export function auditLine(entry: AuditEntry, now: Date): object {
  const { info, user, caller, name, isDryRun, code, reason } = entry;
  return {
    time: now.toISOString(),
    ...(caller === undefined ? { user: '', groups: [] } : { user: caller.username, groups: caller.groups }),
    ...(caller === undefined || caller === user
      ? {}
      : { impersonatedUser: { username: user.username, groups: user.groups } }),
    verb: info.verb,
    ...(info.isResource ? resourceOf(info) : { path: info.path }),
    ...(name === '' ? {} : { name }),
    ...(isDryRun ? { dryRun: true } : {}),
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
