import { type CelType, simpleTypes } from './types.ts';
import type { Value } from './values.ts';

/** What a function does with its arguments; a member function has its target as the first one. */
export type Implementation = (...args: Value[]) => Value;

/** One signature of a function. */
export interface Overload {
  readonly id: string;
  readonly isMember: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  readonly typeParameters: readonly string[];
  readonly implementation: Implementation;
}

/** A function with all its signatures. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

/** The signatures of a library: function name, then overload id, then the signature and what it does. */
export type Library = Readonly<Record<string, Readonly<Record<string, readonly [string, Implementation]>>>>;

/** Gathers libraries into one table; overloads of a function that several libraries add to stay in that order. */
export function declareFunctions(libraries: readonly Library[]): ReadonlyMap<string, FunctionDeclaration> {
  const functions = new Map<string, Overload[]>();
  for (const library of libraries) {
    for (const [name, overloads] of Object.entries(library)) {
      const declared = functions.get(name) ?? [];
      for (const [id, [signature, implementation]] of Object.entries(overloads)) {
        declared.push({ id, ...parseSignature(signature), implementation });
      }
      functions.set(name, declared);
    }
  }
  return new Map(Array.from(functions, ([name, overloads]) => [name, { name, overloads }]));
}

/** Reads `string.(string, int) -> list(string)`; capital letters are type parameters, a leading type makes it a member. */
export function parseSignature(signature: string): Omit<Overload, 'id' | 'implementation'> {
  const reader = new SignatureReader(signature);
  const target = reader.peek() === '(' ? undefined : reader.type();
  if (target !== undefined) reader.take('.');
  reader.take('(');
  const rest = reader.types();
  reader.take('->');
  const result = reader.type();
  const parameters = target === undefined ? rest : [target, ...rest];
  return { isMember: target !== undefined, parameters, result, typeParameters: [...reader.typeParameters] };
}

class SignatureReader {
  readonly typeParameters = new Set<string>();
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(signature: string) {
    this.#tokens = signature.match(/->|[A-Za-z](?:[A-Za-z0-9]|\.(?=[A-Za-z]))*|[(),.]/g) ?? [];
  }

  peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  take(token: string): void {
    if (this.#tokens[this.#at++] !== token) throw new Error(`signature: expected ${token}`);
  }

  /** Types up to the closing parenthesis. */
  types(): CelType[] {
    const types: CelType[] = [];
    while (this.peek() !== ')') {
      types.push(this.type());
      if (this.peek() === ',') this.take(',');
    }
    this.take(')');
    return types;
  }

  type(): CelType {
    const name = this.#tokens[this.#at++] as string;
    if (/^[A-Z]$/.test(name)) {
      this.typeParameters.add(name);
      return { kind: 'param', name };
    }
    if (name.includes('.')) return { kind: 'opaque', name };
    if (name in simpleTypes) return simpleTypes[name as keyof typeof simpleTypes];
    this.take('(');
    const [first, second] = this.types() as [CelType, CelType];
    if (name === 'list') return { kind: 'list', element: first };
    if (name === 'map') return { kind: 'map', key: first, value: second };
    if (name === 'optional') return { kind: 'optional', value: first };
    return { kind: 'type', of: first };
  }
}
