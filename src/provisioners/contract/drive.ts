import assert from 'node:assert/strict';
import type { Outcome } from '../provisioner.ts';

/** How one call after the other is made. */
export interface Drive {
  /** Asks until it is neither under way nor busy, and says what came of it. `hasStarted`: an earlier answer began it. */
  until<T>(ask: (seen: { readonly hasStarted: boolean }) => Promise<Outcome<T>>): Promise<Outcome<T>>;
  /** The same for what must come to its end; says what it told. */
  done<T>(ask: (seen: { readonly hasStarted: boolean }) => Promise<Outcome<T>>): Promise<T>;
  /** Asks until it is taken: somebody may be at the host for a moment. */
  taken<T>(ask: () => Promise<Outcome<T>>): Promise<Outcome<T>>;
  /** Does the whole again, a few times, until it ends as wanted; says how the last time ended. */
  repeated<T>(make: () => Promise<Outcome<T>>, wanted: Outcome<T>['kind']): Promise<Outcome<T>>;
}

/** So many looks nobody takes, unless a provisioner goes round in a circle. */
const mostAsks = 600;
const mostRepeats = 10;

/** Drives calls of a provisioner as a controller does. */
export function createDrive(pause: (afterMs: number) => Promise<void>): Drive {
  const until: Drive['until'] = async (ask) => {
    let hasStarted = false;
    for (let asked = 0; asked < mostAsks; asked++) {
      const outcome = await ask({ hasStarted });
      if (outcome.kind === 'continue' && outcome.hasStarted === true) hasStarted = true;
      const isOver = !['continue', 'busy', 'unavailable'].includes(outcome.kind);
      if (isOver || !('afterMs' in outcome)) return outcome;
      await pause(outcome.afterMs);
    }
    return assert.fail(`it came to no end within ${mostAsks} looks`);
  };
  return {
    until,
    async taken(ask) {
      for (let asked = 0; asked < mostAsks; asked++) {
        const outcome = await ask();
        if (outcome.kind !== 'busy' && outcome.kind !== 'unavailable') return outcome;
        await pause(outcome.afterMs);
      }
      return assert.fail(`it was not taken within ${mostAsks} times`);
    },
    async repeated(make, wanted) {
      let outcome = await make();
      for (let made = 1; made < mostRepeats && outcome.kind !== wanted; made++) outcome = await make();
      return outcome;
    },
    async done(ask) {
      const outcome = await until(ask);
      if (outcome.kind === 'done') return outcome.value;
      return assert.fail(`it ended as ${outcome.kind}: ${'message' in outcome ? outcome.message : ''}`);
    },
  };
}
