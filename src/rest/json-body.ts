import { RestError } from './errors.ts';

/** Deeper bodies are refused: writing them out again would exhaust the stack. */
const maxDepth = 64;

/** A body of a megabyte can hold half a million values, and all that follows looks at each; no record has so many. */
const mostValues = 100_000;

/**
 * Bodies from this size on are read one by one, each in a turn of the event loop of its own: a megabyte takes tens of
 * milliseconds, and those of many connections may arrive at the same moment.
 */
export const pacedBodyBytes = 4 * 1024;

/** Reads a body of JSON. An empty one is no body. */
export function readJsonBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return undefined;
  const value = parse(decode(bytes));
  refuse(findProblem(value, { depth: 0, left: { values: mostValues } }), 'body');
  return value;
}

/** Refuses texts in the path or the query that no database takes. */
export function checkTexts(value: unknown, where: string): void {
  refuse(findProblem(value, { depth: 0, left: { values: mostValues } }), where);
}

function refuse(problem: Problem | undefined, where: string): void {
  if (problem === undefined) return;
  const at = problem.path === undefined ? 'body' : `${where}${problem.path}`;
  throw new RestError('badRequest', {}, { problems: [`${at}: ${problem.what}`] });
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

/** What is wrong, and where: undefined for the body as a whole. Paths are made on the way back from what was found. */
interface Problem {
  readonly path: string | undefined;
  readonly what: string;
}

interface Walk {
  readonly depth: number;
  readonly left: { values: number };
}

function findProblem(value: unknown, walk: Walk): Problem | undefined {
  if (--walk.left.values < 0) return { path: undefined, what: `has more than ${mostValues} values` };
  if (typeof value === 'string') return textProblem(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (walk.depth === maxDepth) return { path: undefined, what: `is nested more than ${maxDepth} levels deep` };
  const inner = { depth: walk.depth + 1, left: walk.left };
  if (Array.isArray(value)) return findInList(value, inner);
  for (const name in value) {
    // Harmless to us, but a trap for whoever copies members of what we stored.
    if (name === '__proto__') return { path: '', what: 'has a member named __proto__' };
    const problem = textProblem(name) ?? below(name, findProblem((value as Record<string, unknown>)[name], inner));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findInList(list: readonly unknown[], inner: Walk): Problem | undefined {
  for (let index = 0; index < list.length; index++) {
    const problem = below(index, findProblem(list[index], inner));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function below(name: string | number, problem: Problem | undefined): Problem | undefined {
  return problem?.path === undefined ? problem : { ...problem, path: `.${name}${problem.path}` };
}

function textProblem(text: string): Problem | undefined {
  if (text.includes('\0')) return { path: '', what: 'contains the character U+0000' };
  return text.isWellFormed() ? undefined : { path: '', what: 'contains half of a surrogate pair' };
}
