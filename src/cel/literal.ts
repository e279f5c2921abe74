import type { Token } from './lexer.ts';
import { type CelType, simpleTypes } from './types.ts';
import { unescapeBytes, unescapeString } from './unescape.ts';
import { CelDouble, CelUint, int64Max, int64Min, normalizeInt, uint64Max, type Value } from './values.ts';

/** What a token of a number, string or bytes stands for, and what is wrong with it, if anything is. */
export interface ReadLiteral {
  readonly value: Value;
  readonly literalType: CelType;
  readonly problem: string | undefined;
}

/** Reads the token of a literal; the sign belongs to it. */
export function readLiteral({ kind, text }: Token, sign: '' | '-'): ReadLiteral {
  switch (kind) {
    case 'int':
      return readInt(BigInt(text) * (sign === '-' ? -1n : 1n));
    case 'uint':
      return readUint(BigInt(text.slice(0, -1)));
    case 'float':
      return readDouble(Number(sign + text));
    case 'bytes': {
      const bytes = unescapeBytes(text);
      if ('error' in bytes) return { value: null, literalType: simpleTypes.bytes, problem: bytes.error };
      return { value: bytes.value, literalType: simpleTypes.bytes, problem: undefined };
    }
    default: {
      const string = unescapeString(text);
      if ('error' in string) return { value: null, literalType: simpleTypes.string, problem: string.error };
      return { value: string.value, literalType: simpleTypes.string, problem: undefined };
    }
  }
}

function readInt(value: bigint): ReadLiteral {
  const problem = value < int64Min || value > int64Max ? 'invalid int literal' : undefined;
  return { value: normalizeInt(value), literalType: simpleTypes.int, problem };
}

function readUint(value: bigint): ReadLiteral {
  const problem = value > uint64Max ? 'invalid uint literal' : undefined;
  return { value: new CelUint(value), literalType: simpleTypes.uint, problem };
}

function readDouble(value: number): ReadLiteral {
  const problem = Number.isFinite(value) ? undefined : 'invalid double literal';
  return { value: new CelDouble(value), literalType: simpleTypes.double, problem };
}
