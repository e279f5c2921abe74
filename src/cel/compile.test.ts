import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '#fast-check';
import { CelError, describeRuleError } from './errors.ts';
import { CostBudget, compileCel } from './program.ts';
import type { CelType } from './types.ts';
import { simpleTypes } from './types.ts';

const words = [
  'self',
  'x',
  'true',
  'null',
  'in',
  '&&',
  '||',
  '?',
  ':',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '.',
  '.?',
  '[?',
  ',',
  '+',
  '-',
  '*',
  '!',
  '==',
  '<',
  '1',
  '2.5',
  '3u',
  "'a'",
  '"b"',
  "r'\\d'",
  "b'z'",
  'has',
  'all(x, ',
  'map(x, ',
  'size()',
  'size(',
  '"%s".format([',
  '//',
  '\n',
  '`',
  '\\',
  '@',
  'optional.of(',
  'transformMap(',
  'x.y',
  'int(',
  'duration("1s")',
  '__result__',
  'é',
  '😀',
  "'''",
  '"""',
];

const self: CelType = {
  kind: 'object',
  name: 'selfType',
  fields: new Map<string, CelType>([
    ['n', simpleTypes.int],
    ['s', simpleTypes.string],
    ['list', { kind: 'list', element: simpleTypes.int }],
    ['any', simpleTypes.dyn],
  ]),
};
const environment = { variables: { self } };
const data = { self: { n: 3, s: 'text', list: [1, 2, 3], any: { k: [1, 'two'] } } };

function run(source: string, budget = new CostBudget()): unknown {
  const compiled = compileCel(source, environment);
  assert.ok('program' in compiled, 'errors' in compiled ? compiled.errors : '');
  return compiled.program.evaluate(data, budget);
}

function assertSettles(source: string): void {
  const compiled = compileCel(source, environment);
  if ('errors' in compiled) {
    assert.notEqual(compiled.text, '');
    return;
  }
  try {
    compiled.program.evaluate(data, new CostBudget(10_000, 10_000));
  } catch (error) {
    assert.ok(error instanceof CelError, String(error));
  }
}

describe('whatever the text, compiling ends in a program or in errors, and running in a value or a CelError', () => {
  test('random characters', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), assertSettles), { numRuns: 2000 });
  });

  test('random words of the language', () => {
    const source = fc.array(fc.constantFrom(...words), { maxLength: 25 }).map((parts) => parts.join(' '));
    fc.assert(fc.property(source, assertSettles), { numRuns: 3000 });
  });

  test('nesting that is too deep', () => {
    for (const [open, close] of [
      ['(', ')'],
      ['[', ']'],
      ['size([', '])'],
      ['!', ''],
    ] as const) {
      assertSettles(`${open.repeat(5000)}1${close.repeat(5000)}`);
    }
    assertSettles(`1${'+1'.repeat(5000)}`);
    assertSettles(`self${'.n'.repeat(5000)}`);
    assertSettles(`true${' && true'.repeat(5000)}`);
    assertSettles(`1${' ? 1 : 1'.repeat(5000)}`);
  });
});

describe('work is bounded', () => {
  const runaway = 'self.list.all(a, self.list.all(b, self.list.all(c, self.list.all(d, a + b + c + d > 0))))';

  test('an evaluation that costs more than one may is stopped, and so are the rules after it', () => {
    const budget = new CostBudget(1_000_000, 50);
    assert.throws(
      () => run(runaway, budget),
      (error: unknown) => {
        assert.ok(error instanceof CelError);
        assert.deepEqual(describeRuleError(error, 'a rule'), {
          detail:
            "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: a rule",
          stops: true,
        });
        return true;
      },
    );
  });

  test('quantifiers and logical operators do not absorb the limit', () => {
    assert.throws(() => run(`${runaway} || true`, new CostBudget(1_000_000, 50)), /actual cost limit exceeded/);
    assert.throws(
      () => run(`[1, 2].exists(x, ${runaway} || true)`, new CostBudget(1_000_000, 50)),
      /actual cost limit exceeded/,
    );
  });

  test('evaluations share a budget, and the one that it does not cover fails', () => {
    const budget = new CostBudget(8);
    assert.equal(run('self.n > 2', budget), true);
    assert.equal(budget.remaining, 5);
    assert.equal(run('self.n > 2', budget), true);
    assert.throws(
      () => run('self.n > 2', budget),
      /^CelError: validation failed due to running out of cost budget, no further validation rules will be run$/,
    );
    assert.ok(budget.remaining < 0);
  });

  test('a string that outgrows the engine is stopped as too expensive', () => {
    const doubling = '.replace("", "0123456789012345678901234567890123456789")'.repeat(8);
    assert.throws(
      () => run(`"a"${doubling}.size()`),
      (error: unknown) => error instanceof CelError && error.kind === 'cost-limit',
    );
  });
});

describe('the result must be of the expected type', () => {
  test('a rule must give a bool', () => {
    const compiled = compileCel('self.n', environment, simpleTypes.bool);
    assert.equal('errors' in compiled && compiled.errors, 'cel expression must evaluate to a bool');
  });

  test('a message must be a string', () => {
    const compiled = compileCel('self.n', environment, simpleTypes.string);
    assert.equal('errors' in compiled && compiled.errors, 'messageExpression must evaluate to a string');
  });

  test('a mistake is shown where it is', () => {
    const compiled = compileCel('self.foo', environment, simpleTypes.bool);
    assert.equal(
      'errors' in compiled && compiled.errors,
      "compilation failed: ERROR: <input>:1:5: undefined field 'foo'\n | self.foo\n | ....^",
    );
  });

  test('a result that cannot be computed up front is a failed instantiation', () => {
    const compiled = compileCel("int('x') == 1", environment, simpleTypes.bool);
    assert.equal(
      'errors' in compiled && compiled.errors,
      "program instantiation failed: type conversion error from 'string' to 'int'",
    );
  });
});

describe('names that every JavaScript object has mean nothing', () => {
  const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'];

  for (const name of names) {
    test(name, () => {
      for (const source of [name, `${name}()`, `self.${name}`, `self.s.${name}()`, `x.${name}{}`]) {
        assert.ok('errors' in compileCel(source, environment), source);
      }
      assert.equal(run(`has(self.any.${name})`), false);
      assert.equal(run(`'${name}' in self.any`), false);
      assert.throws(() => run(`self.any['${name}']`), /no such key/);
      assert.throws(() => run(`double('${name}' + '')`), /type conversion error/);
    });
  }
});

describe('a program knows the variables it reads', () => {
  const variables = { self, oldSelf: self };
  const usesOf = (source: string): string[] => {
    const compiled = compileCel(source, { variables });
    assert.ok('program' in compiled, 'errors' in compiled ? compiled.errors : '');
    return [...compiled.program.uses].sort();
  };

  test('also inside loops', () => {
    assert.deepEqual(usesOf('self.list.all(x, x in oldSelf.list)'), ['oldSelf', 'self']);
  });

  test('but not a loop variable that hides one', () => {
    assert.deepEqual(usesOf('[1].all(oldSelf, oldSelf > 0)'), []);
    assert.deepEqual(usesOf('self.list.exists(oldSelf, oldSelf == 1)'), ['self']);
  });

  test('a variable that is missing is an error only when it is read', () => {
    const compiled = compileCel('oldSelf.n == 1', { variables });
    assert.ok('program' in compiled);
    assert.throws(() => compiled.program.evaluate({ self: {} }, new CostBudget()), /no such attribute/);
  });
});

describe('ints are 64 bits wide', () => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const operations: Record<string, (a: bigint, b: bigint) => bigint | undefined> = {
    '+': (a, b) => a + b,
    '-': (a, b) => a - b,
    '*': (a, b) => a * b,
    '/': (a, b) => (b === 0n ? undefined : a / b),
    '%': (a, b) => (b === 0n ? undefined : a % b),
  };

  for (const [symbol, operation] of Object.entries(operations)) {
    test(`${symbol} is exact, or an overflow`, () => {
      const compiled = compileCel(`a ${symbol} b`, { variables: { a: simpleTypes.int, b: simpleTypes.int } });
      assert.ok('program' in compiled);
      const { program } = compiled;
      const near = fc.oneof(
        int64,
        fc.bigInt({ min: -10n, max: 10n }),
        fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }),
      );
      fc.assert(
        fc.property(near, near, (a, b) => {
          const wanted = operation(a, b);
          const inRange = wanted !== undefined && wanted >= -(2n ** 63n) && wanted < 2n ** 63n;
          const compute = (): unknown => program.evaluate({ a, b }, new CostBudget());
          if (inRange) assert.equal(BigInt(compute() as number | bigint), wanted);
          else assert.throws(compute, CelError);
        }),
      );
    });
  }
});
