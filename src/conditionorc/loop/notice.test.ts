import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EngineEvent, JsonObject } from '../../engine/index.ts';
import { decideNotice } from './notice.ts';

function eventOf(event: string, detail: JsonObject): EngineEvent {
  const about = { conditionId: 'c1', target: 'server/s1', kind: 'firmwareInstall', state: 'pending' } as const;
  return { seq: 7, at: 1000, event, detail, ...about };
}

describe('what operators are told', () => {
  test('a worker that went silent, with what it was doing', () => {
    const doing = [
      {
        conditionId: 'c1',
        kind: 'firmwareInstall',
        target: 'server/s1',
        state: 'active',
        status: {},
        wasFlashing: true,
      },
      { conditionId: 'c2', kind: 'inventoryOOB', target: 'server/s2', state: 'active', status: {}, wasFlashing: false },
    ];
    const notice = decideNotice(eventOf('worker-lost', { controller: 'w1', seenAt: 1, doing }));
    assert.equal(notice?.type, 'WorkerLost');
    assert.equal(
      notice?.message,
      'w1 went silent without leaving; it was doing: firmwareInstall on s1, in the middle of a flash; inventoryOOB on s2',
    );
    assert.equal(notice?.doing.length, 2);
  });

  test('work that was taken away from a worker that hangs', () => {
    const detail = { controller: 'w1', why: 'its lease ended without progress', status: { step: 'upload' } };
    const notice = decideNotice(eventOf('lease-expired', detail));
    assert.equal(notice?.type, 'WorkTakenAway');
    assert.match(notice?.message ?? '', /firmwareInstall c1 on server\/s1 was taken away from w1/);
    assert.deepEqual(notice?.doing[0]?.status, { step: 'upload' });
  });

  test('work that workers died of too often', () => {
    const reason = { code: 'Unrunnable', message: '3 leases ended without an end of the work' };
    assert.equal(decideNotice(eventOf('finalized', { controller: 'w3', reason }))?.type, 'WorkGivenUp');
  });

  test('nothing of what is in order', () => {
    for (const event of ['created', 'leased', 'reported', 'released', 'worker-online', 'worker-offline', 'finalized']) {
      assert.equal(decideNotice(eventOf(event, { controller: 'w1', reason: null })), undefined, event);
    }
    const failed = { controller: 'w1', reason: { code: 'BmcGone', message: 'x' } };
    assert.equal(decideNotice(eventOf('finalized', failed)), undefined);
  });

  test('no secrets, wherever a worker put them', () => {
    const status = { password: 'calvin', note: 'https://root:calvin@bmc/', header: 'Bearer calvincalvin' };
    const doing = [{ kind: 'powerOn', target: 'server/s1', status }];
    const notices = [
      decideNotice(eventOf('worker-lost', { controller: 'w1', doing })),
      decideNotice(eventOf('lease-expired', { controller: 'w1', why: 'token=calvin', status })),
    ];
    assert.doesNotMatch(JSON.stringify(notices), /calvin/);
  });
});
