import { compileJsonPath, type Json, type JsonObject } from '../../schema/index.ts';
import { usageError } from '../errors.ts';

/** The forms results are printed in. */
export type OutputForm =
  | { readonly form: 'table'; readonly isWide: boolean }
  | { readonly form: 'json' | 'yaml' | 'name' }
  | { readonly form: 'jsonpath'; readonly template: JsonPathTemplate };

/** Reads the value of `-o`. */
export function readOutputForm(text: string | undefined): OutputForm {
  if (text === undefined || text === '') return { form: 'table', isWide: false };
  if (text === 'wide') return { form: 'table', isWide: true };
  if (text === 'json' || text === 'yaml' || text === 'name') return { form: text };
  if (text.startsWith('jsonpath='))
    return { form: 'jsonpath', template: compileTemplate(text.slice('jsonpath='.length)) };
  throw usageError(`-o ${text}: not a form of output; there are json, yaml, name, wide and jsonpath=TEMPLATE`);
}

/** A text with paths in braces. */
export type JsonPathTemplate = (object: JsonObject) => string;

/** Compiles `{.metadata.name}{"\n"}`; a path alone may leave the braces out. */
export function compileTemplate(text: string): JsonPathTemplate {
  const template = text.includes('{') ? text : `{${text.startsWith('.') ? '' : '.'}${text}}`;
  const parts: JsonPathTemplate[] = [];
  let at = 0;
  for (const match of template.matchAll(/\{((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^{}"'])*)\}/g)) {
    const plain = template.slice(at, match.index);
    parts.push(() => plain, compilePart((match[1] ?? '').trim(), text));
    at = match.index + match[0].length;
  }
  const rest = template.slice(at);
  if (/[{}]/.test(rest)) throw usageError(`${text}: a brace is not closed`);
  return (object) => parts.map((part) => part(object)).join('') + rest;
}

function compilePart(part: string, whole: string): JsonPathTemplate {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(part)?.[1];
  if (quoted !== undefined) {
    const literal = quoted.replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c === 't' ? '\t' : c));
    return () => literal;
  }
  if (/^(range|end)\b/.test(part)) throw usageError(`${whole}: {${part}} is not supported; use -o json for lists`);
  const path = compileJsonPath(part);
  if ('error' in path) throw usageError(`${whole}: ${path.error}`);
  return (object) => path.find(object).map(valueText).join(' ');
}

function valueText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
