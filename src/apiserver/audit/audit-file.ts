import { createWriteStream, renameSync, type WriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { AuditLine } from './audit-line.ts';
import type { AuditSink } from './audit-log.ts';

const rotateAtBytes = 64 * 1024 * 1024;

/** Appends one JSON line per write to a file only the owner can read; keeps one older file of the same size. */
export async function openAuditFile(path: string, parts: AuditFileParts): Promise<AuditSink> {
  return new AuditFile(path, (await stat(path).catch(() => undefined))?.size ?? 0, parts);
}

/** What an audit file needs besides its path. */
export interface AuditFileParts {
  /** Told when lines begin to be lost: writes go on, and whoever asks for readiness hears of it. */
  onFault(error: unknown): void;
  /** From how many bytes on the file is put aside; 64 MiB unless told. */
  readonly rotateAtBytes?: number;
}

class AuditFile implements AuditSink {
  readonly #path: string;
  readonly #parts: AuditFileParts;
  #stream: WriteStream;
  #size: number;
  #lost = 0;
  #fault: Error | undefined;

  constructor(path: string, size: number, parts: AuditFileParts) {
    this.#path = path;
    this.#size = size;
    this.#parts = parts;
    this.#stream = this.#open();
  }

  write(line: AuditLine): void {
    const text = `${JSON.stringify(line)}\n`;
    this.#size += text.length;
    if (this.#stream.destroyed) this.#stream = this.#open(); // the disk may have room again
    this.#stream.write(text, (error) => {
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
