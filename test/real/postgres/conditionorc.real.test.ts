import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { orcContract } from '../../../src/conditionorc/contract/orc-contract.ts';
import { kindsForTests } from '../../../src/conditionorc/testing/kinds.ts';
import { type OrcRig, serverA, startOrc } from '../../../src/conditionorc/testing/orc-rig.ts';
import { workerPortContract } from '../../../src/conditionorc/worker-api/contract/worker-port-contract.ts';
import { createRemoteWorkerPort } from '../../../src/conditionorc/worker-api/remote-worker-port.ts';
import { openPostgresDatabase } from '../../../src/engine/index.ts';
import { patient } from '../../../src/engine/testing/rig.ts';
import { systemClock } from '../../../src/kube/index.ts';
import { type RealPostgres, startPostgres } from './real-postgres.ts';

let server: RealPostgres;
let databases = 0;
before(async () => {
  server = await startPostgres();
});
after(() => server?.stop());

const open = async () => openPostgresDatabase({ url: await server.createDatabase(`conditionorc_${++databases}`) });

orcContract({ name: 'a real PostgreSQL', open });

describe('two conditionOrcs on one PostgreSQL', () => {
  async function startTwo(t: TestContext) {
    const url = await server.createDatabase(`conditionorc_${++databases}`);
    const rigs: OrcRig[] = [];
    for (let n = 0; n < 2; n++) {
      const database = await openPostgresDatabase({ url });
      rigs.push(await startOrc(t, { database, clock: systemClock }));
      t.after(() => database.close());
    }
    await rigs[0]?.addMachine(serverA);
    /** Fifty requests at once, to each of them in turn. */
    const fifty = (method: string, path: string, body: (n: number) => unknown) =>
      Promise.all(
        Array.from({ length: 50 }, async (_, n) => {
          const answer = await rigs[n % 2]?.call(method, path, body(n));
          if (answer === undefined) throw new TypeError('there are two');
          return answer;
        }),
      );
    return { fifty };
  }

  test('fifty requests for the same condition create exactly one', async (t) => {
    const { fifty } = await startTwo(t);
    const answers = await fifty('POST', `/servers/${serverA}/condition`, () => ({ kind: 'powerCycleHard' }));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(new Set(answers.map(({ record }) => record.id)).size, 1);
    assert.equal(answers.filter(({ body }) => body.message === 'condition set').length, 1);
  });

  test('of fifty changes with one lock exactly one wins, and the others get the lock as it is', async (t) => {
    const { fifty } = await startTwo(t);
    const [first] = await fifty('POST', `/servers/${serverA}/condition`, () => ({ kind: 'powerOn' }));
    assert.ok(first);
    const { id, lock } = first.record;
    const answers = await fifty('PUT', `/conditions/${id}`, (n) => ({ lock, status: { n } }));
    const [winner, ...more] = answers.filter(({ status }) => status === 200);
    assert.ok(winner !== undefined && more.length === 0);
    const losers = answers.filter(({ status }) => status === 409);
    assert.equal(losers.length, 49);
    assert.deepEqual([...new Set(losers.map(({ record }) => record.lock))], [winner.record.lock]);
  });
});

workerPortContract({
  name: 'over HTTP to an engine on a real PostgreSQL',
  isDriven: false,
  leaseMs: 600_000,
  open: async (t, limits = {}) => {
    const database = await open();
    const rig = await startOrc(t, { database, limits, kinds: kindsForTests.map(patient), clock: systemClock });
    t.after(() => database.close());
    const port = createRemoteWorkerPort({ url: rig.url, token: 'worker' });
    t.after(() => port.close());
    return { ...rig, port };
  },
});
