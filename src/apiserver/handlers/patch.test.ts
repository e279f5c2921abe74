import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryServer, widgetOf, widgetsAt } from '../http/temporary-server.ts';

test('a refused patch is shown with all it would have made, unknown fields too', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', widgetsAt(), widgetOf('x', { count: 1 }));
  const reply = await server.patch(`${widgetsAt('x')}?fieldValidation=Strict`, { unknown: 1, spec: { count: 2 } });
  assert.equal(reply.code, 422);
  assert.match(reply.object.message ?? '', /strict decoding error: unknown field "unknown"/);
  assert.match(reply.object.message ?? '', /\\"count\\":2.*\\"unknown\\":1/);
  assert.deepEqual((await server.request('GET', widgetsAt('x'))).object.spec, { count: 1 });
});
