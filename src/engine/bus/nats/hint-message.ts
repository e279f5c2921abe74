import type { BusHint } from '../bus.ts';

/** A hint as it travels. */
export function encodeHint(hint: BusHint): string {
  return JSON.stringify(hint);
}

/** The fields, all of them text, that each kind of hint has. */
const fieldsOf = {
  work: ['facility', 'kind', 'conditionId'],
  condition: ['conditionId', 'target'],
  online: ['workerId'],
  cancel: ['conditionId'],
} as const satisfies Record<BusHint['about'], readonly string[]>;

/** Reads a hint back; undefined for anything that is none, since anybody with access to NATS can write there. */
export function decodeHint(text: string): BusHint | undefined {
  const value = parse(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const record = value as Readonly<Record<string, unknown>>;
  const { about } = record;
  if (typeof about !== 'string' || !Object.hasOwn(fieldsOf, about)) return undefined;
  const fields = fieldsOf[about as BusHint['about']];
  if (!fields.every((field) => typeof record[field] === 'string')) return undefined;
  const kept = fields.map((field) => [field, record[field]]);
  return { about, ...Object.fromEntries(kept) } as BusHint;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
