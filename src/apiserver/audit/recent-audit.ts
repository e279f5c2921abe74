import { open } from 'node:fs/promises';
import type { AuditLine } from './audit-line.ts';
import type { AuditSink } from './audit-log.ts';

/** A line with its place in the order of all lines this process knows. */
export interface NumberedLine extends AuditLine {
  readonly seq: number;
}

/** Which lines are asked for; each member that is given has to fit. */
export interface AuditFilter {
  /** Part of a user's name, of whoever acted or was acted as. */
  readonly user?: string | undefined;
  readonly verb?: string | undefined;
  readonly resource?: string | undefined;
  readonly namespace?: string | undefined;
  /** Part of an object's name. */
  readonly name?: string | undefined;
  /** Part of what the program calls itself. */
  readonly agent?: string | undefined;
  readonly verdict?: string | undefined;
  /** Without the writes of programs of this fleet to their own records: events, leases and statuses. */
  readonly isPlain?: boolean | undefined;
  /** Without the writes of the controllers, as they call themselves. */
  readonly isByPeople?: boolean | undefined;
}

/** A page of lines, newest first. */
export interface AuditPage {
  readonly items: readonly NumberedLine[];
  /** Lines below this number come next; undefined when there are none. */
  readonly next: number | undefined;
}

/** So many lines are kept in memory: at some 400 bytes each, 8 MB. */
const usualCapacity = 20_000;
/** So much of the file of an earlier life is read at start. */
const tailBytes = 4 * 1024 * 1024;

/** Keeps the newest lines in memory, for whoever looks. */
export class RecentAudit implements AuditSink {
  readonly #capacity: number;
  #lines: NumberedLine[] = [];
  #seq = 0;

  constructor(earlier: readonly AuditLine[] = [], capacity = usualCapacity) {
    this.#capacity = capacity;
    for (const line of earlier) this.write(line);
  }

  write(line: AuditLine): void {
    this.#seq += 1;
    this.#lines.push({ seq: this.#seq, ...line });
    // Cut in large pieces: moving all lines for each new one would cost more than the write itself.
    if (this.#lines.length >= this.#capacity * 2) this.#lines = this.#lines.slice(-this.#capacity);
  }

  fault(): undefined {
    return undefined;
  }

  lost(): number {
    return 0;
  }

  async close(): Promise<void> {}

  /** The newest lines that fit, those below a number when one is given. */
  page(filter: AuditFilter, { limit, before }: { limit: number; before?: number | undefined }): AuditPage {
    const items: NumberedLine[] = [];
    const oldest = Math.max(0, this.#lines.length - this.#capacity);
    for (let at = this.#lines.length - 1; at >= oldest; at--) {
      const line = this.#lines[at];
      if (line === undefined || (before !== undefined && line.seq >= before) || !fits(line, filter)) continue;
      if (items.length === limit) return { items, next: items.at(-1)?.seq };
      items.push(line);
    }
    return { items, next: undefined };
  }
}

function fits(line: AuditLine, filter: AuditFilter): boolean {
  const { user, verb, resource, namespace, name, agent, verdict, isPlain, isByPeople } = filter;
  const has = (text: string | undefined, part: string): boolean =>
    (text ?? '').toLowerCase().includes(part.toLowerCase());
  return (
    (user === undefined || has(line.user, user) || has(line.impersonatedUser?.username, user)) &&
    (verb === undefined || line.verb === verb) &&
    (resource === undefined || line.resource === resource) &&
    (namespace === undefined || line.namespace === namespace) &&
    (name === undefined || has(line.name, name)) &&
    (agent === undefined || has(line.agent, agent)) &&
    (verdict === undefined || line.verdict === verdict) &&
    !(isPlain === true && isHousekeeping(line)) &&
    !(isByPeople === true && line.agent === controllersAgent)
  );
}

/** What our own programs call themselves unless they say otherwise. */
const controllersAgent = 'rackwright';

/** What kinds of their own and reviews tell nobody anything about the fleet. */
const ownRecords = new Set(['events', 'leases', 'selfsubjectaccessreviews', 'subjectaccessreviews', 'tokenreviews']);

function isHousekeeping({ resource = '', subresource }: AuditLine): boolean {
  return ownRecords.has(resource) || resource.startsWith('selfsubject') || subresource === 'status';
}

/** The last lines of a file of the log; none when there is no file. */
export async function readAuditTail(path: string, bytes = tailBytes): Promise<AuditLine[]> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return [];
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - bytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n');
    return (start === 0 ? lines : lines.slice(1)).flatMap(parseLine); // the first may be a part of one
  } finally {
    await file.close();
  }
}

/** A process that was killed may have left half a line. */
function parseLine(text: string): AuditLine[] {
  try {
    return text === '' ? [] : [JSON.parse(text) as AuditLine];
  } catch {
    return [];
  }
}
