import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMeeting } from './meeting.ts';

test('work is done once when all have come, in every round', async () => {
  const { meet } = createMeeting(2);
  const done = [] as string[];
  const first = meet(async () => {
    done.push('one');
  });
  assert.equal(done.length, 0);
  await Promise.all([
    first,
    meet(async () => {
      done.push('one');
    }),
  ]);
  assert.deepEqual(done, ['one']);
  const work = async () => {
    done.push('two');
  };
  await Promise.all([meet(work), meet(work)]);
  assert.deepEqual(done, ['one', 'two']);
});

test('nobody waits for those who left', async () => {
  const { meet, leave } = createMeeting(2);
  const done = [] as string[];
  const waiting = meet(async () => {
    done.push('one');
  });
  leave();
  await waiting;
  await meet(async () => {
    done.push('two');
  });
  leave();
  assert.deepEqual(done, ['one', 'two']);
});

test('what went wrong is told to all', async () => {
  const { meet } = createMeeting(2);
  const work = async () => assert.fail('it went wrong');
  const [one, other] = await Promise.allSettled([meet(work), meet(work)]);
  assert.deepEqual([one.status, other.status], ['rejected', 'rejected']);
});
