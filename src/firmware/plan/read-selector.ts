import { labelValueFaults, qualifiedNameFaults } from '../../schema/index.ts';
import type { Selector } from '../fleet/selector.ts';

/** A selector, or what is wrong with its text and at which letter, from 1. */
export type ReadSelector =
  | { readonly selector: Selector }
  | { readonly problem: { readonly at: number; readonly message: string } };

interface Token {
  readonly text: string;
  readonly at: number;
}

type Requirement = NonNullable<Selector['matchExpressions']>[number];

class SelectorProblem extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** Reads a label selector as it is written on command lines: `env=prod,tier!=db,rack in (a1,a2),!spare`. */
export function readSelector(text: string): ReadSelector {
  try {
    return { selector: { matchExpressions: readTerms(tokensOf(text), text.length + 1) } };
  } catch (error) {
    if (!(error instanceof SelectorProblem)) throw error;
    return { problem: { at: error.at, message: error.message } };
  }
}

function tokensOf(text: string): Token[] {
  return [...text.matchAll(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g)].map((match) => ({ text: match[0], at: match.index + 1 }));
}

function isWord({ text }: Token): boolean {
  return !/^[=!(),<>]/.test(text) && text !== '';
}

function readTerms(tokens: readonly Token[], end: number): Requirement[] {
  const queue = [...tokens];
  const next = (): Token => queue[0] ?? { text: '', at: end };
  const take = (): Token => queue.shift() ?? { text: '', at: end };
  const terms: Requirement[] = [];
  for (;;) {
    terms.push(readTerm(next, take));
    const after = take();
    if (after.text === '') return terms;
    if (after.text !== ',')
      throw new SelectorProblem(after.at, `"${after.text}" stands where a comma or the end should`);
  }
}

function readTerm(next: () => Token, take: () => Token): Requirement {
  const isAbsent = next().text === '!';
  if (isAbsent) take();
  const key = take();
  if (!isWord(key)) throw new SelectorProblem(key.at, `the key of a label is missing${found(key)}`);
  const [fault] = qualifiedNameFaults(key.text);
  if (fault !== undefined) throw new SelectorProblem(key.at, `"${key.text}" is no key of a label: ${fault}`);
  if (isAbsent) return { key: key.text, operator: 'DoesNotExist' };
  if (next().text === '' || next().text === ',') return { key: key.text, operator: 'Exists' };
  const sign = take();
  switch (sign.text) {
    case '=':
    case '==':
      return { key: key.text, operator: 'In', values: [readValue(next, take)] };
    case '!=':
      return { key: key.text, operator: 'NotIn', values: [readValue(next, take)] };
    case 'in':
      return { key: key.text, operator: 'In', values: readValues(take) };
    case 'notin':
      return { key: key.text, operator: 'NotIn', values: readValues(take) };
    default:
      throw new SelectorProblem(sign.at, `"${sign.text}" stands where =, ==, !=, in or notin should`);
  }
}

function readValue(next: () => Token, take: () => Token): string {
  if (next().text === '' || next().text === ',') return '';
  return checkValue(take());
}

function readValues(take: () => Token): string[] {
  const open = take();
  if (open.text !== '(') throw new SelectorProblem(open.at, `"(" is missing before the values${found(open)}`);
  const values: string[] = [];
  for (;;) {
    values.push(checkValue(take()));
    const after = take();
    if (after.text === ')') return values;
    if (after.text !== ',')
      throw new SelectorProblem(after.at, `")" or a comma is missing after a value${found(after)}`);
  }
}

function checkValue(token: Token): string {
  if (!isWord(token)) throw new SelectorProblem(token.at, `a value is missing${found(token)}`);
  const [fault] = labelValueFaults(token.text);
  if (fault !== undefined) throw new SelectorProblem(token.at, `"${token.text}" is no value of a label: ${fault}`);
  return token.text;
}

function found({ text }: Token): string {
  return text === '' ? ', and the text ends' : `, and "${text}" stands there`;
}
