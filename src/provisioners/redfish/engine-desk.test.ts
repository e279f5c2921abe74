import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition, Engine, JsonObject } from '../../engine/index.ts';
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
    assert.deepEqual(look, { kind: 'failed', message: 'bios 2: other-model' });
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
