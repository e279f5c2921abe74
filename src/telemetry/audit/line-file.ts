import { createWriteStream, renameSync, rmSync, statSync, type WriteStream } from 'node:fs';

/** A file of lines that does not grow for ever. */
export interface LineFile {
  write(line: string): void;
  /** Why the last line could not be kept; undefined when it was. */
  fault(): string | undefined;
  /** How many lines could not be kept. */
  lost(): number;
  close(): Promise<void>;
}

/** How a file of lines is kept. */
export interface LineFileOptions {
  /** Told when lines begin to be lost; whoever writes goes on. */
  onFault(error: unknown): void;
  /** From how many bytes on the file is put aside; 64 MiB unless told. */
  readonly rotateAtBytes?: number;
  /** How many files that were put aside are kept, as FILE.1, FILE.2 and so on; 1 unless told. */
  readonly kept?: number;
}

const usualRotateAtBytes = 64 * 1024 * 1024;

/** Appends lines to a file that only its owner can read. */
export function openLineFile(path: string, options: LineFileOptions): LineFile {
  return new RotatingFile(path, options);
}

class RotatingFile implements LineFile {
  readonly #path: string;
  readonly #options: LineFileOptions;
  #stream: WriteStream;
  #size: number;
  #lost = 0;
  #fault: Error | undefined;

  constructor(path: string, options: LineFileOptions) {
    this.#path = path;
    this.#options = options;
    this.#size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    this.#stream = this.#open();
  }

  write(line: string): void {
    const text = `${line}\n`;
    this.#size += Buffer.byteLength(text);
    if (this.#stream.destroyed) this.#stream = this.#open(); // the disk may have room again
    this.#stream.write(text, (error) => {
      if (error) this.#lost += 1;
      else this.#fault = undefined;
    });
    if (this.#size > (this.#options.rotateAtBytes ?? usualRotateAtBytes)) this.#rotate();
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
      if (this.#fault === undefined) this.#options.onFault(error);
      this.#fault = error;
    });
    return stream;
  }

  #rotate(): void {
    this.#size = 0; // a file that cannot be put aside grows on, and is tried again later
    try {
      shift(this.#path, this.#options.kept ?? 1);
    } catch (error) {
      this.#options.onFault(error);
      return;
    }
    this.#stream.end(); // goes on writing to the renamed file until it ends
    this.#stream = this.#open();
  }
}

function shift(path: string, kept: number): void {
  const aside = (number: number): string => (number === 0 ? path : `${path}.${number}`);
  rmSync(aside(kept), { force: true });
  for (let number = kept - 1; number >= 0; number--) {
    if (statSync(aside(number), { throwIfNoEntry: false }) === undefined) continue;
    renameSync(aside(number), aside(number + 1));
  }
}
