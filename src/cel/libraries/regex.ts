import { RE2JS } from 're2js';
import { ValueList } from '../collections.ts';
import type { Library } from '../declarations.ts';
import { CelError } from '../errors.ts';
import type { Value } from '../values.ts';

/** A compiled pattern, or the error RE2 has with it. */
export function compileRegex(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    // Of all messages only this one lacks the part of the pattern, which is empty.
    throw new CelError(
      message.endsWith('trailing backslash at end of expression') ? `${message}: \`\`` : message,
      'evaluation',
      { cause },
    );
  }
}

/** True when the pattern is found anywhere in the text. */
export function matchesRegex(text: Value, regex: RE2JS): boolean {
  return regex.matcher(text as string).find();
}

/** The first match, or an empty string. */
export function findRegex(text: Value, regex: RE2JS): string {
  const matcher = regex.matcher(text as string);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

/** All matches, at most `limit` of them; a negative limit means all. */
export function findAllRegex(text: Value, regex: RE2JS, limit: Value = -1): ValueList {
  const max = Number(limit);
  const matcher = regex.matcher(text as string);
  const found: string[] = [];
  while ((max < 0 || found.length < max) && matcher.find()) found.push(matcher.group() ?? '');
  return new ValueList(found);
}

function compileAtRuntime(pattern: Value): RE2JS {
  try {
    return compileRegex(pattern as string);
  } catch (cause) {
    if (!(cause instanceof CelError)) throw cause;
    throw new CelError(`Illegal regex: ${cause.message}`, 'evaluation', { cause });
  }
}

const matches = (text: Value, pattern: Value): Value => matchesRegex(text, compileRegex(pattern as string));

/** Regular expressions of RE2. Literal patterns are compiled once, by the evaluator. */
export const matchLibrary: Library = {
  matches: { matches: ['(string, string) -> bool', matches], matches_string: ['string.(string) -> bool', matches] },
};

/** `find` and `findAll`. */
export const findLibrary: Library = {
  find: {
    string_find_string: ['string.(string) -> string', (text, pattern) => findRegex(text, compileAtRuntime(pattern))],
  },
  findAll: {
    string_find_all_string: [
      'string.(string) -> list(string)',
      (text, pattern) => findAllRegex(text, compileAtRuntime(pattern)),
    ],
    string_find_all_string_int: [
      'string.(string, int) -> list(string)',
      (text, pattern, limit) => findAllRegex(text, compileAtRuntime(pattern), limit),
    ],
  },
};
