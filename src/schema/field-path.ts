import { isJsonObject } from './json.ts';
import type { JsonSchema } from './json-schema.ts';

/** A path such as `.spec.ports['http']` resolved in a schema, or why it does not fit. */
export type FieldPath =
  | { readonly error: string }
  | { readonly path: string; readonly root: string; readonly schema: JsonSchema };

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

/** Follows a path of fields and map keys through a schema, as `fieldPath` of a rule and selectable fields use it. */
export function resolveFieldPath(text: string, schema: JsonSchema, options: { allowsBrackets: boolean }): FieldPath {
  const tokens = text.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/gs) ?? [];
  let at: Walked = { path: '', root: '', schema };
  for (let i = 0; i < tokens.length; ) {
    const token = tokens[i] ?? '';
    if (token === '[' && !options.allowsBrackets) return { error: 'array notation is not allowed' };
    if (token !== '.' && token !== '[') return { error: `expected [ or . but got: ${token}` };
    const name = token === '.' ? readPlain(tokens[i + 1]) : readQuoted(tokens[i + 1], tokens[i + 2]);
    if ('error' in name) return name;
    const next = enter(at, name.text);
    if ('error' in next) return next;
    at = next;
    i += token === '.' ? 2 : 3;
  }
  return at;
}

interface Walked {
  readonly path: string;
  readonly root: string;
  readonly schema: JsonSchema;
}

function enter(at: Walked, name: string): Walked | { error: string } {
  const { properties, additionalProperties } = at.schema;
  const isNamed = properties !== undefined && Object.keys(properties).length > 0;
  if (!isNamed && !isJsonObject(additionalProperties)) return { error: 'does not refer to a valid field' };
  const child = isNamed ? (Object.hasOwn(properties, name) ? properties[name] : undefined) : additionalProperties;
  if (!isJsonObject(child)) return { error: 'does not refer to a valid field' };
  const path = !isNamed ? `${at.path}[${name}]` : at.path === '' ? name : `${at.path}.${name}`;
  return { path, root: at.root === '' ? name : at.root, schema: child as JsonSchema };
}

type Token = { readonly text: string } | { readonly error: string };

function readPlain(token: string | undefined): Token {
  return token === undefined ? { error: 'unexpected end of JSON path' } : { text: token };
}

function readQuoted(token: string | undefined, close: string | undefined): Token {
  if (token === undefined) return { error: 'unexpected end of JSON path' };
  if (!/^'.*'$/s.test(token) || token.length < 2) return { error: `expected single quoted string but got ${token}` };
  let bad: string | undefined;
  const text = token.slice(1, -1).replace(/\\./gs, (sequence) => {
    const char = escapes[sequence.charAt(1)];
    if (char === undefined) bad ??= sequence;
    return char ?? '';
  });
  if (bad !== undefined) return { error: `invalid string literal: invalid escape char ${bad}` };
  if (close === undefined) return { error: 'unexpected end of JSON path' };
  return close === ']' ? { text } : { error: `expected ] but got ${close}` };
}
