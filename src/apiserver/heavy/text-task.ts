import { stringify } from 'yaml';
import type { Json } from '../../schema/index.ts';
import { readValue } from '../http/read-value.ts';
import type { TypeName } from '../protobuf/index.ts';

/** Work on a text that may take long: reading a body, or writing an answer as its client wants it. */
export type TextTask =
  | { readonly kind: 'read'; readonly bytes: Uint8Array; readonly mediaType: string; readonly expected: TypeName }
  | { readonly kind: 'write'; readonly json: string; readonly form: WrittenForm };

/** A form that takes more than the JSON text at hand. */
export type WrittenForm = 'yaml' | 'pretty';

/** What became of it. A value is a JSON text, which is passed between threads and parsed again faster than the value itself. */
export type TextResult =
  | {
      readonly kind: 'value';
      readonly json: string;
      readonly duplicates: string[];
      readonly overflow: string | undefined;
    }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-many-values' }
  | { readonly kind: 'fault'; readonly error: string; readonly type: TypeName | undefined };

/** Does a task, without looking at the time. */
export function doTextTask(task: TextTask, mostValues: number): TextResult {
  return task.kind === 'write' ? { kind: 'text', text: writeForm(task.json, task.form) } : readBody(task, mostValues);
}

function readBody(task: Extract<TextTask, { kind: 'read' }>, mostValues: number): TextResult {
  const { mediaType, expected } = task;
  const bytes = Buffer.from(task.bytes.buffer, task.bytes.byteOffset, task.bytes.byteLength);
  const read = readValue({ bytes, mediaType }, expected);
  if ('error' in read) return { kind: 'fault', error: read.error, type: read.type };
  if (countValues(read.value, mostValues) > mostValues) return { kind: 'too-many-values' };
  const json = mediaType === 'application/json' ? bytes.toString('utf8') : JSON.stringify(read.value);
  return { kind: 'value', json, duplicates: read.duplicates(), overflow: read.overflow() };
}

/** How many fields and elements a value has, itself included; counting ends past the most that is of interest. */
export function countValues(value: Json, most: number): number {
  let count = 1;
  if (typeof value !== 'object' || value === null) return count;
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    count += typeof part === 'object' ? countValues(part, most - count) : 1;
    if (count > most) break;
  }
  return count;
}

/** YAML as kube-apiserver writes it: sorted, lists not indented, texts that look like times quoted. */
const yamlForm = {
  sortMapEntries: true,
  indentSeq: false,
  version: '1.1',
  lineWidth: 0,
  aliasDuplicateObjects: false,
} as const;

/** Writes a JSON text in another form. */
export function writeForm(json: string, form: WrittenForm): string {
  return form === 'yaml' ? stringify(JSON.parse(json), yamlForm) : JSON.stringify(JSON.parse(json), null, 2);
}
