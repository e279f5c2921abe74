import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryServer, widgetOf, widgetsAt } from '../http/temporary-server.ts';

/** A database that may hold about a megabyte: a real full disk, not a pretended one. */
const tight = { store: { maxBytes: 1_000_000 } };
/** Small enough for the server's own limit on objects, too large for that disk. */
const huge = 'x'.repeat(1_200_000);

test('a write the disk does not take is answered 500, leaves nothing, and the next one works', async (t) => {
  const server = await temporaryServer(t, tight);
  const made = await server.request('POST', widgetsAt(), widgetOf('x', { count: 1 }));
  assert.equal(made.code, 201);
  const watch = await server.watch(`${widgetsAt()}?watch=1&resourceVersion=${made.object.metadata.resourceVersion}`);
  const refused = [
    await server.request('POST', widgetsAt(), widgetOf('y', { huge })),
    await server.patch(widgetsAt('x'), { spec: { huge } }),
    await server.request('PUT', widgetsAt('x'), { ...made.object, spec: { huge } }),
  ];
  for (const reply of refused) assert.deepEqual([reply.code, reply.object.reason], [500, 'InternalError'], reply.text);
  assert.equal(server.faults.length, refused.length, 'whoever runs the server is told');
  assert.equal((await server.request('GET', widgetsAt('y'))).code, 404);
  assert.equal((await server.request('GET', widgetsAt('x'))).text, made.text);
  const changed = await server.patch(widgetsAt('x'), { spec: { count: 2 } });
  assert.equal(changed.code, 200, changed.text);
  assert.ok(Number(changed.object.metadata.resourceVersion) > Number(made.object.metadata.resourceVersion));
  assert.deepEqual(
    (await watch.take(1))[0]?.object,
    changed.object,
    'watchers hear of what was stored, and only of that',
  );
  await watch.close();
});

test('small writes that share a commit with one too large are answered, some with 500, none with a lie', async (t) => {
  const server = await temporaryServer(t, tight);
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      server.request('POST', widgetsAt(), widgetOf(`w${n}`, n === 20 ? { huge } : { n })),
    ),
  );
  assert.equal(replies[20]?.code, 500);
  for (const [n, reply] of replies.entries()) {
    assert.ok(reply.code === 201 || reply.code === 500, reply.text);
    const found = await server.request('GET', widgetsAt(`w${n}`));
    assert.equal(found.code, reply.code === 201 ? 200 : 404);
    if (reply.code === 201) assert.equal(found.text, reply.text);
  }
  const again = await server.request('POST', widgetsAt(), widgetOf('again'));
  assert.equal(again.code, 201);
});
