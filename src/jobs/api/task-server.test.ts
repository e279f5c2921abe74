import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTaskServer } from './task-server.ts';

test('a cancel with a misspelt field is refused by its name, and the job goes on', async (t) => {
  const cancels: unknown[] = [];
  const task = {
    jobId: 'j1',
    state: { percent: 0, message: '', isCancelUnsafe: false, outcome: {} },
    cancel(asked: unknown) {
      cancels.push(asked);
      return true;
    },
  };
  const server = await startTaskServer({ task, token: 'of-the-job', host: '127.0.0.1' });
  t.after(() => server.close());
  const cancel = async (body: object) => {
    const answer = await fetch(`${server.url}/rackwright.update.v1.JobTaskService/CancelTask`, {
      method: 'POST',
      headers: { authorization: 'Bearer of-the-job', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return `${answer.status} ${await answer.text()}`;
  };
  assert.match(await cancel({ forced: true }), /^400 .*key \\"forced\\" is unknown/);
  assert.deepEqual(cancels, []);
  assert.match(await cancel({ force: true }), /^200 /);
  assert.deepEqual(cancels, [{ timeoutMs: undefined, isForced: true }]);
});

test('a cancel of a job that is over is answered as that, and not as one that was taken', async (t) => {
  let isOver = false;
  const task = {
    jobId: 'j1',
    state: { percent: 0, message: '', isCancelUnsafe: false, outcome: {} },
    cancel: () => !isOver,
  };
  const server = await startTaskServer({ task, token: 'of-the-job', host: '127.0.0.1' });
  t.after(() => server.close());
  const cancel = async () => {
    const answer = await fetch(`${server.url}/rackwright.update.v1.JobTaskService/CancelTask`, {
      method: 'POST',
      headers: { authorization: 'Bearer of-the-job', 'content-type': 'application/json' },
      body: '{}',
    });
    return Object((await answer.json()) as unknown).status;
  };
  assert.equal(await cancel(), 'REQUEST_STATUS_SCHEDULED');
  isOver = true;
  assert.equal(await cancel(), 'REQUEST_STATUS_ALREADY_FINISHED');
});
