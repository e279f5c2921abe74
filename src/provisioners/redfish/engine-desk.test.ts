import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Condition,
  createEngine,
  type Engine,
  externalWork,
  type JsonObject,
  openSqliteDatabase,
} from '../../engine/index.ts';
import { createFakeClock } from '../../kube/index.ts';
import { createEngineDesk } from './engine-desk.ts';

/** A desk whose one condition is as told. */
function deskWith(condition: Pick<Condition, 'state'> & Partial<Condition>) {
  const get: Engine['get'] = async () => ({ status: {}, ...condition }) as Condition;
  return createEngineDesk({ get } as Engine);
}

const skipped = (why: string): JsonObject => ({ skipped: [{ component: 'bios', why, message: `bios 2: ${why}` }] });

describe('what the engine was asked to do for a host', () => {
  it('is not done where the image was left out as one for other servers', async () => {
    const look = await deskWith({ state: 'succeeded', status: skipped('other-model') }).look(['a']);
    const made = { areSettingsMade: false, images: [] };
    assert.deepEqual(look, { kind: 'failed', message: 'bios 2: other-model', made });
  });

  it('says which images were installed where another one failed, and that settings were set', async () => {
    const actions = ['succeeded', 'failed', 'not-started'].map((state, at) => ({ firmware_id: `fw-${at}`, state }));
    const skipped = [{ firmware_id: 'fw-3', why: 'current', message: 'it is installed already' }];
    const reason = { code: 'Failed', message: 'no', since: 0 };
    const conditions: Record<string, Partial<Condition>> = {
      a: { kind: 'biosControl', state: 'succeeded', status: {} },
      b: { kind: 'firmwareInstall', state: 'failed', status: { actions, skipped }, reason },
    };
    const get: Engine['get'] = async (id) => conditions[id] as Condition;
    assert.deepEqual(await createEngineDesk({ get } as Engine).look(['a', 'b']), {
      kind: 'failed',
      message: 'no',
      made: { areSettingsMade: true, images: ['fw-0', 'fw-3'] },
    });
  });

  it('is done where that image is installed already', async () => {
    assert.deepEqual(await deskWith({ state: 'succeeded', status: skipped('current') }).look(['a']), { kind: 'done' });
    assert.deepEqual(await deskWith({ state: 'succeeded', status: {} }).look(['a']), { kind: 'done' });
  });

  it('goes on until the engine says that it is over', async () => {
    const active = { kind: 'firmwareInstall', state: 'active' } as const;
    const at = (percent: number) => ({ percent, message: 'bios 2: the BMC works on it' });
    assert.deepEqual(await deskWith({ ...active, status: at(47) }).look(['a']), {
      kind: 'going',
      message: 'firmware: bios 2: the BMC works on it (40 %)',
    });
    const reason = { code: 'WaitsForLock', message: 'waits for other work on the same device', since: 0 };
    assert.deepEqual(await deskWith({ kind: 'biosControl', state: 'pending', reason }).look(['a']), {
      kind: 'going',
      message: 'BIOS settings: waits for other work on the same device',
    });
  });
});

it('a change is not ordered for another system behind the BMC of a host', async (t) => {
  const clock = createFakeClock();
  const database = await openSqliteDatabase({ path: ':memory:', clock });
  const engine = await createEngine({ database, kinds: [externalWork], clock });
  t.after(async () => {
    await engine.close();
    await database.close();
  });
  const { whyUnknown } = createEngineDesk(engine);
  const record = { facility: 'f', bmcId: 'b', manufacturer: 'A', model: 'B', hold: undefined };
  const at = (system: string) => ({ machine: 'u1', address: `https://10.0.0.7/redfish/v1/Systems/${system}` });
  await engine.machines.put({ ...record, id: 'm' }, [{ kind: 'bmc-address', value: at('2').address }]);
  assert.match((await whyUnknown(at('1'))) ?? '', /does not know the machine u1 at https:/);
  assert.equal(await whyUnknown(at('2')), undefined);
  assert.equal(await whyUnknown({ machine: 'm', address: 'https://10.0.0.8' }), undefined);
});
