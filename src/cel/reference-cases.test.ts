import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { CelError } from './errors.ts';
import { type CelProgram, CostBudget, compileCel } from './program.ts';
import { celTypeOfSchema, type SchemaShape } from './schema-type.ts';
import { showValue } from './show-value.ts';
import type { CelType } from './types.ts';

interface Environment {
  readonly schema: SchemaShape;
  readonly root?: boolean;
  readonly self: unknown;
  readonly oldSelf?: unknown;
  readonly optionalOldSelf?: boolean;
  readonly stored?: boolean;
}

interface ReferenceCase {
  readonly environment: number;
  readonly rule: string;
  readonly compileError?: string;
  readonly instantiationError?: string;
  readonly evalError?: string;
  readonly value?: unknown;
  readonly cost?: number;
  readonly minCost?: number;
  readonly maxCost?: number;
}

/** What the CEL library of a real kube-apiserver answered, recorded once. */
const reference = JSON.parse(readFileSync(new URL('./reference-cases.gen.json', import.meta.url), 'utf8')) as {
  environments: Environment[];
  cases: ReferenceCase[];
};

function compileIn(environment: Environment, rule: string): ReturnType<typeof compileCel> {
  const self = celTypeOfSchema(environment.schema, { root: environment.root === true, name: 'selfType1' }) as CelType;
  const oldSelf: CelType = environment.optionalOldSelf === true ? { kind: 'optional', value: self } : self;
  return compileCel(rule, { variables: { self, oldSelf }, isStored: environment.stored === true });
}

function evaluated(program: CelProgram, { self, oldSelf }: Environment): Partial<ReferenceCase> {
  const { min: minCost, max: maxCost } = program.estimatedCost;
  const budget = new CostBudget();
  const before = budget.remaining;
  try {
    const value = showValue(program.evaluate({ self, oldSelf }, budget));
    return { value, cost: before - budget.remaining, minCost, maxCost };
  } catch (error) {
    assert.ok(error instanceof CelError, String(error));
    return { evalError: error.message, minCost, maxCost };
  }
}

function answer(environment: Environment, rule: string): Partial<ReferenceCase> {
  const compiled = compileIn(environment, rule);
  if ('program' in compiled) return evaluated(compiled.program, environment);
  return compiled.stage === 'compilation' ? { compileError: compiled.text } : { instantiationError: compiled.text };
}

describe('an expression gets the answer, the error, the cost and the estimate that a real API server gives', () => {
  for (const { environment, rule, ...expected } of reference.cases) {
    test(rule, () => assert.deepEqual(answer(reference.environments[environment] as Environment, rule), expected));
  }
});
