import { RestError } from './errors.ts';

/** Deeper bodies are refused: writing them out again would exhaust the stack. */
const maxDepth = 64;

/** Reads a body of JSON. An empty one is no body. */
export function readJsonBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return undefined;
  const value = parse(decode(bytes));
  const problem = problemOf(value, 'body', 0);
  if (problem !== undefined) throw new RestError('badRequest', {}, { problems: [problem] });
  return value;
}

/** Refuses texts in the path or the query that no database takes. */
export function checkTexts(value: unknown, where: string): void {
  const problem = problemOf(value, where, 0);
  if (problem !== undefined) throw new RestError('badRequest', {}, { problems: [problem] });
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new RestError('badRequest', {}, { problems: ['body: is not UTF-8'], cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message would quote the body, which may hold a password.
    throw new RestError('badRequest', {}, { problems: ['body: is not JSON'] });
  }
}

function problemOf(value: unknown, where: string, depth: number): string | undefined {
  if (typeof value === 'string') return textProblem(value, where);
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === maxDepth) return `body: is nested more than ${maxDepth} levels deep`;
  for (const [name, member] of Object.entries(value)) {
    // Harmless to us, but a trap for whoever copies members of what we stored.
    if (name === '__proto__') return `${where}: has a member named __proto__`;
    const problem = textProblem(name, where) ?? problemOf(member, `${where}.${name}`, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function textProblem(text: string, where: string): string | undefined {
  if (text.includes('\0')) return `${where}: contains the character U+0000`;
  return text.isWellFormed() ? undefined : `${where}: contains half of a surrogate pair`;
}
