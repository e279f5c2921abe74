import type { JsonValue } from '../../engine/index.ts';
import { InventoryError } from '../errors.ts';

const maxDepth = 64;

/**
 * JSON text in which equal values are equal texts, however their members were ordered. Refuses what PostgreSQL's JSON
 * cannot hold, so that what one database took can be moved to the other.
 */
export function storeJson(value: JsonValue, what: string): string {
  return write(value, { what, depth: 0 });
}

function write(value: JsonValue, at: { readonly what: string; readonly depth: number }): string {
  if (at.depth > maxDepth) throw refuse(at.what, `it is nested more than ${maxDepth} levels deep`);
  if (typeof value === 'string') return writeText(value, at.what);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const deeper = { ...at, depth: at.depth + 1 };
  if (Array.isArray(value)) return `[${value.map((item) => write(item, deeper)).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${writeText(name, at.what)}:${write(member, deeper)}`).join(',')}}`;
}

function writeText(text: string, what: string): string {
  if (text.includes('\0')) throw refuse(what, 'a text in it contains the character U+0000');
  if (!text.isWellFormed()) throw refuse(what, 'a text in it contains half of a surrogate pair');
  return JSON.stringify(text);
}

function refuse(what: string, problem: string): InventoryError {
  return new InventoryError('badValue', { what }, { problems: [problem] });
}
