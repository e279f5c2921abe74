import { describe, type TestContext } from 'node:test';
import type { Database, EngineOptions } from '../../engine/index.ts';
import { systemClock } from '../../kube/index.ts';
import { type OrcRig, startOrc } from '../testing/orc-rig.ts';
import { tryChanging } from './try-changing.ts';
import { tryCreating } from './try-creating.ts';
import { tryReading } from './try-reading.ts';
import { tryServers } from './try-servers.ts';

/** For tests: starts conditionOrc on an empty database. */
export type StartOrc = (t: TestContext, options?: Partial<EngineOptions>) => Promise<OrcRig>;

/** For tests: a database that conditionOrc can work on. */
export interface OrcTarget {
  readonly name: string;
  /** An empty one. */
  open(): Promise<Database>;
}

/** What conditionOrc does alike on every database, over HTTP. */
export function orcContract(target: OrcTarget): void {
  const start: StartOrc = async (t, options = {}) => {
    const database = await target.open();
    const rig = await startOrc(t, { clock: systemClock, ...options, database });
    t.after(() => database.close());
    return rig;
  };
  describe(`conditionOrc on ${target.name}: creating`, () => tryCreating(start));
  describe(`conditionOrc on ${target.name}: changing`, () => tryChanging(start));
  describe(`conditionOrc on ${target.name}: reading`, () => tryReading(start));
  describe(`conditionOrc on ${target.name}: servers`, () => tryServers(start));
}
