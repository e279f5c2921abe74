import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TemporaryServer, temporaryServer, widgetOf, widgetsAt } from '../http/temporary-server.ts';

const hundred = Array.from({ length: 100 }, (_, n) => n);

/** Ten clients at once, ten times each: with more, nearly all that is done is trying again. */
async function aHundredTimes(increment: () => Promise<void>): Promise<void> {
  const clients = Array.from({ length: 10 }, async () => {
    for (let n = 0; n < 10; n++) await increment();
  });
  await Promise.all(clients);
}

async function countOf(server: TemporaryServer): Promise<unknown> {
  const { object } = await server.request('GET', widgetsAt('x'));
  return (object.spec as { count: number }).count;
}

test('a hundred increments by many clients, each tried again on conflict, end at a hundred', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', widgetsAt(), widgetOf('x', { count: 0 }));
  let conflicts = 0;
  const increment = async (): Promise<void> => {
    for (;;) {
      const { object } = await server.request('GET', widgetsAt('x'));
      const spec = object.spec as { count: number };
      const reply = await server.request('PUT', widgetsAt('x'), { ...object, spec: { count: spec.count + 1 } });
      if (reply.code === 200) return;
      assert.deepEqual([reply.code, reply.object.reason], [409, 'Conflict'], reply.text);
      conflicts += 1;
    }
  };
  await aHundredTimes(increment);
  assert.equal(await countOf(server), 100);
  assert.ok(conflicts > 0, 'nobody was in anybody’s way');
  const { object } = await server.request('GET', widgetsAt('x'));
  assert.equal(object.metadata.generation, 101);
});

test('a hundred increments by a patch that tests before it replaces end at a hundred', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', widgetsAt(), widgetOf('x', { count: 0 }));
  const headers = { 'content-type': 'application/json-patch+json' };
  const increment = async (): Promise<void> => {
    for (;;) {
      const count = Number(await countOf(server));
      const patch = [
        { op: 'test', path: '/spec/count', value: count },
        { op: 'replace', path: '/spec/count', value: count + 1 },
      ];
      const reply = await server.request('PATCH', widgetsAt('x'), patch, headers);
      if (reply.code === 200) return;
      assert.equal(reply.code, 422, reply.text);
    }
  };
  await aHundredTimes(increment);
  assert.equal(await countOf(server), 100);
});

test('a hundred patches without a version at once lose none of their fields', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', widgetsAt(), widgetOf('x', { values: {} }));
  const replies = await Promise.all(
    hundred.map((n) =>
      server.patch(widgetsAt('x'), { spec: { values: { [`v${n}`]: n } }, metadata: { labels: { [`l${n}`]: 'x' } } }),
    ),
  );
  assert.deepEqual([...new Set(replies.map((reply) => reply.code))], [200]);
  const { object } = await server.request('GET', widgetsAt('x'));
  assert.equal(Object.keys((object.spec as { values: object }).values).length, 100);
  assert.equal(Object.keys(object.metadata.labels ?? {}).length, 100);
});

test('status and spec are patched at once without either getting lost', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', widgetsAt(), widgetOf('x'));
  await Promise.all(
    hundred.map((n) =>
      n % 2 === 0
        ? server.patch(widgetsAt('x'), { spec: { [`v${n}`]: n }, status: { phase: 'from spec' } })
        : server.patch(`${widgetsAt('x')}/status`, { status: { phase: `p${n}` }, spec: { lost: true } }),
    ),
  );
  const { object } = await server.request('GET', widgetsAt('x'));
  assert.equal(Object.keys(object.spec as object).length, 50);
  assert.match(JSON.stringify(object.status), /^\{"phase":"p\d+"\}$/);
  assert.equal(object.metadata.generation, 51);
});

test('of a hundred creates of one name at once, one wins, and all are told its version is taken', async (t) => {
  const server = await temporaryServer(t);
  const replies = await Promise.all(
    hundred.map((n) => server.request('POST', widgetsAt(), widgetOf('x', { count: n }))),
  );
  const codes = replies.map((reply) => reply.code);
  assert.equal(codes.filter((code) => code === 201).length, 1);
  assert.equal(codes.filter((code) => code === 409).length, 99);
  const winner = replies.find((reply) => reply.code === 201);
  assert.equal((await server.request('GET', widgetsAt('x'))).text, winner?.text);
});

test('of a hundred deletes at once, one deletes and the others find nothing', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', widgetsAt(), widgetOf('x'));
  const replies = await Promise.all(hundred.map(() => server.request('DELETE', widgetsAt('x'))));
  assert.equal(replies.filter((reply) => reply.code === 200).length, 1);
  assert.equal(replies.filter((reply) => reply.code === 404).length, 99);
});

test('a delete with an old version or another uid is refused', async (t) => {
  const server = await temporaryServer(t);
  const { object } = await server.request('POST', widgetsAt(), widgetOf('x'));
  await server.patch(widgetsAt('x'), { spec: { count: 1 } });
  const { resourceVersion, uid } = object.metadata;
  const stale = await server.request('DELETE', widgetsAt('x'), { preconditions: { resourceVersion } });
  const other = await server.request('DELETE', widgetsAt('x'), { preconditions: { uid: 'other' } });
  assert.deepEqual([stale.code, other.code], [409, 409]);
  assert.equal((await server.request('DELETE', widgetsAt('x'), { preconditions: { uid } })).code, 200);
});
