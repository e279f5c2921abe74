import { fc } from '#fast-check';
import type { FakeClock } from '../../kube/index.ts';
import type { Database } from '../store/index.ts';
import { EngineModel } from './model.ts';
import { type Rig, setUpEngine } from './rig.ts';

const targets = ['server/a', 'server/b', 'server/c', 'model/x'];
const kinds = ['firmwareInstall', 'powerCycleHard', 'inventoryOOB', 'sensorRead', 'catalogueLookup'];

const pick = fc.nat(999);
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      target: fc.constantFrom(...targets),
      kinds: fc.uniqueArray(fc.constantFrom(...kinds), { minLength: 1, maxLength: 2 }),
      priority: fc.nat(2),
      pick,
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('lease' as const), pick, max: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      pick,
      state: fc.constantFrom<'active' | 'failed' | 'succeeded'>('active', 'active', 'failed', 'succeeded'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('check' as const), pick }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('release' as const), pick, afterMs: fc.constantFrom(undefined, 500, 4000) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(1, 900, 4999, 5000, 10_000) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('sweep' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), pick, isForced: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('hold' as const),
      id: fc.constantFrom('a', 'b', 'c'),
      isHeld: fc.boolean(),
    }),
  },
);

/** For tests: something that somebody does. */
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** For tests: what callers, workers, clocks and sweeps may do one after the other. */
export const steps: fc.Arbitrary<Step[]> = fc.array(step, { minLength: 10, maxLength: 70 });

async function take(rig: Rig, model: EngineModel, one: Step): Promise<void> {
  if (one.do === 'create') {
    const orders = one.kinds.map((kind) => ({ kind, parameters: {}, priority: one.priority }));
    await model.engine(one.pick).create({ target: one.target, client: 'model', orders });
  } else if (one.do === 'lease') await model.lease(one.pick, one.max);
  else if (one.do === 'report') await model.report(one.pick, one.state);
  else if (one.do === 'check') await model.check(one.pick);
  else if (one.do === 'release') await model.release(one.pick, one.afterMs);
  else if (one.do === 'advance') rig.clock.advance(one.ms);
  else if (one.do === 'sweep') await model.engine(one.pick).sweep();
  else if (one.do === 'cancel') await model.cancel(one.pick, one.isForced);
  else {
    const hold = one.isHeld ? { code: 'HostInUse', message: 'a host is in use' } : undefined;
    await rig.engine.machines.setHold(one.id, hold);
  }
}

/** For tests: takes the steps on two engines of one new store, and holds both to their promises after each. */
export async function walk(
  taken: readonly Step[],
  store?: { readonly database: Database; readonly clock: FakeClock },
): Promise<void> {
  const afterwards: (() => unknown)[] = [];
  const rig = await setUpEngine({ after: (work) => void afterwards.push(work as () => unknown) }, store);
  try {
    const model = new EngineModel(rig, [rig.engine, await rig.another()]);
    await rig.addMachine('a', { bmcId: 'chassis' });
    await rig.addMachine('b', { bmcId: 'chassis' });
    await rig.addMachine('c');
    for (const worker of ['w0', 'w1', 'w2']) await rig.online(worker);
    for (const one of taken) {
      await take(rig, model, one);
      await model.checkRows();
    }
    for (const id of ['a', 'b', 'c']) await rig.engine.machines.setHold(id, undefined);
    await model.finish();
  } finally {
    for (const work of afterwards) await work();
  }
}
