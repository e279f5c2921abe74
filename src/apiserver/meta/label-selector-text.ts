import { labelValueFaults, qualifiedNameFaults } from '../../schema/index.ts';
import { badRequest } from '../status.ts';

/** One term of a label selector. */
export interface Requirement {
  readonly key: string;
  readonly operator: 'in' | 'notin' | 'exists' | 'absent' | 'gt' | 'lt';
  readonly values: readonly string[];
}

const operators: Readonly<Record<string, Requirement['operator']>> = {
  in: 'in',
  notin: 'notin',
  '=': 'in',
  '==': 'in',
  '!=': 'notin',
  '>': 'gt',
  '<': 'lt',
};

/** Parses `a=b,c in (d,e),!f`; throws 400 with the token that does not fit. */
export function parseLabelSelector(text: string): Requirement[] {
  const tokens = new Tokens(text);
  const requirements: Requirement[] = [];
  while (tokens.next() !== '') {
    if (!isIdentifier(tokens.next()) && tokens.next() !== '!') {
      throw badRequest(`found '${tokens.next()}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(parseRequirement(tokens));
    const after = tokens.take();
    if (after === '') break;
    if (after !== ',') throw badRequest(`found '${after}', expected: ',' or 'end of string'`);
    if (!isIdentifier(tokens.next()) && tokens.next() !== '!') {
      throw badRequest(`found '${tokens.next()}', expected: identifier after ','`);
    }
  }
  return requirements;
}

/** Reads one token at a time; the empty string is the end. */
class Tokens {
  readonly #list: string[];
  #at = 0;
  constructor(text: string) {
    this.#list = text.match(/[(),]|[=!<>]+|[^\s(),=!<>]+/g)?.flatMap(splitSymbols) ?? [];
  }
  next(): string {
    return this.#list[this.#at] ?? '';
  }
  take(): string {
    return this.#list[this.#at++] ?? '';
  }
}

/** `!x=` may stand together; the longest known symbol at each place is a token. */
function splitSymbols(run: string): string[] {
  return /^[=!<>]/.test(run) ? (run.match(/==|!=|[=!<>]/g) ?? []) : [run];
}

function isIdentifier(token: string): boolean {
  return token !== '' && !/^[(),=!<>]/.test(token);
}

function fail(why: string): never {
  throw badRequest(`unable to parse requirement: ${why}`);
}

function parseRequirement(tokens: Tokens): Requirement {
  const isNegated = tokens.next() === '!';
  if (isNegated) tokens.take();
  const key = tokens.take();
  if (!isIdentifier(key)) fail(`found '${key}', expected: identifier`);
  const faults = qualifiedNameFaults(key);
  if (faults.length > 0) fail(`<nil>: Invalid value: ${JSON.stringify(key)}: ${faults.join('; ')}`);
  if (isNegated) return { key, operator: 'absent', values: [] };
  if (tokens.next() === '' || tokens.next() === ',') return { key, operator: 'exists', values: [] };
  const symbol = tokens.take();
  const operator = Object.hasOwn(operators, symbol) ? operators[symbol] : undefined;
  if (operator === undefined) return fail(`found '${symbol}', expected: in, notin, =, ==, !=, gt, lt`);
  const values = symbol === 'in' || symbol === 'notin' ? parseValues(tokens) : [parseValue(tokens)];
  checkValues(key, operator, values);
  return { key, operator, values };
}

function parseValues(tokens: Tokens): string[] {
  const open = tokens.take();
  if (open !== '(') fail(`found '${open}' expected: '('`);
  const values = new Set<string>();
  for (;;) {
    const token = tokens.take();
    if (isIdentifier(token)) {
      values.add(token);
      const after = tokens.take();
      if (after === ')') return [...values].sort();
      if (after !== ',') fail(`found '${after}', expected: ',' or ')'`);
    } else if (token === ',') {
      values.add('');
    } else if (token === ')') {
      return [...values, ''].sort();
    } else {
      fail(`found '${token}', expected: ',', ')' or identifier`);
    }
  }
}

function parseValue(tokens: Tokens): string {
  if (tokens.next() === '' || tokens.next() === ',') return '';
  const value = tokens.take();
  return isIdentifier(value) ? value : fail(`found '${value}', expected: identifier`);
}

function checkValues(key: string, operator: Requirement['operator'], values: string[]): void {
  values.forEach((value, i) => {
    const faults = labelValueFaults(value);
    if (faults.length > 0) fail(`values[${i}][${key}]: Invalid value: ${JSON.stringify(value)}: ${faults.join('; ')}`);
    if ((operator === 'gt' || operator === 'lt') && !/^-?\d+$/.test(value)) {
      fail(
        `values[${i}]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    }
  });
}
