import type { Json, JsonObject } from '../../src/schema/index.ts';
import { isJsonObject } from './json-value.ts';

/**
 * The real server lists several faults of one object in an order that changes from run to run, and prints whole
 * objects with keys in any order. This rewrites both into one order. It also checks the metadata of built-in kinds up
 * to four times and repeats each fault as a cause (never in the message): repetitions are dropped.
 */
export function canonicalStatus(value: JsonObject): JsonObject {
  if (value.kind !== 'Status' || typeof value.message !== 'string') return value;
  const message = value.message;
  if (!isJsonObject(value.details) || !Array.isArray(value.details.causes)) return { ...value, message };
  const causes = unrepeated(value.details.causes.filter(isJsonObject));
  const sorted = [...causes].sort((left, right) => compareText(causeText(left), causeText(right)));
  const listed = `[${causes.map(causeText).join(', ')}]`;
  const inOrder = message.replace(listed, () => `[${sorted.map(causeText).join(', ')}]`);
  return { ...value, message: inOrder, details: { ...value.details, causes: sorted } };
}

function unrepeated(causes: JsonObject[]): JsonObject[] {
  const seen = new Set<string>();
  return causes.filter((cause) => {
    const text = `${String(cause.reason)} ${causeText(cause)}`;
    return !seen.has(text) && seen.add(text);
  });
}

/** Prints JSON that a message holds, quoted or bare, with its keys in order. */
export function canonicalQuotedJson(text: string): string {
  const quoted = text.replace(/Invalid value: ("\{(?:[^"\\]|\\.)*\}")/g, (whole, found: string) => {
    const inner = parsed(found);
    const value = typeof inner === 'string' ? parsed(inner) : undefined;
    return value === undefined ? whole : `Invalid value: ${JSON.stringify(JSON.stringify(sortKeys(value)))}`;
  });
  return quoted.replace(/(?<=Invalid value: )([{[](?:[^"]|"(?:[^"\\]|\\.)*")*?[}\]])(?=: )/g, (whole) => {
    const value = parsed(whole);
    return value === undefined ? whole : JSON.stringify(sortKeys(value));
  });
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([left], [right]) => compareText(left, right));
  return Object.fromEntries(entries.map(([key, each]) => [key, sortKeys(each)]));
}

function causeText(cause: JsonObject): string {
  return `${String(cause.field)}: ${String(cause.message)}`;
}

/** Orders texts by their characters alone, whatever the machine's language. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
