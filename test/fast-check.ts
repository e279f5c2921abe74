import { randomInt } from 'node:crypto';
import fc from 'fast-check';

/**
 * fast-check with one seed for all runs, so that a test's outcome depends on the code alone. `RACKWRIGHT_SEED=random`
 * looks at new cases, and a number at those of another seed; a failure prints the seed that it had.
 */
const asked = process.env.RACKWRIGHT_SEED ?? '20261116';
const seed = asked === 'random' ? randomInt(2 ** 31) : Number(asked);
if (!Number.isSafeInteger(seed)) {
  throw new Error(`RACKWRIGHT_SEED is ${JSON.stringify(asked)}: give a whole number, or "random"`);
}
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

export { fc };
