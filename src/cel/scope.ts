import type { Expr } from './ast.ts';
import type { Compiled } from './compiled.ts';
import { CelError } from './errors.ts';

/** An expression is fine but cannot be made to run, such as `int('x')`, whose result is computed up front. */
export class InstantiationError extends Error {}

/** Where variables live while an expression runs: a slot for each, known at compile time. */
export class Scope {
  readonly #parent: Scope | undefined;
  readonly #slots = new Map<string, number>();
  readonly #counter: { used: number };

  constructor(parent?: Scope) {
    this.#parent = parent;
    this.#counter = parent === undefined ? { used: 0 } : parent.#counter;
  }

  /** How many slots a frame needs. */
  get size(): number {
    return this.#counter.used;
  }

  declare(name: string): number {
    const slot = this.#counter.used++;
    this.#slots.set(name, slot);
    return slot;
  }

  find(name: string): number | undefined {
    return this.#slots.get(name) ?? this.#parent?.find(name);
  }

  child(): Scope {
    return new Scope(this);
  }
}

/** Compiles a node; handed to those who compile its parts. */
export type Compile = (expr: Expr, scope: Scope) => Compiled;

/** Computes something up front; its error is one of the whole program. */
export function instantiate<T>(compute: () => T): T {
  try {
    return compute();
  } catch (cause) {
    if (cause instanceof CelError) throw new InstantiationError(cause.message, { cause });
    throw cause;
  }
}
