import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryServer, widgetOf, widgetsAt } from '../http/temporary-server.ts';

test('the audit log calls a dry run what stored nothing, however it was asked for', async (t) => {
  const { request, patch, audited } = await temporaryServer(t);
  const last = (): readonly unknown[] => [audited.at(-1)?.info.verb, audited.at(-1)?.isDryRun];
  await request('POST', widgetsAt(), widgetOf('w'));
  assert.deepEqual(last(), ['create', false]);
  assert.equal((await request('GET', widgetsAt('w'))).code, 200);
  await request('POST', `${widgetsAt()}?dryRun=All`, widgetOf('v'));
  assert.deepEqual(last(), ['create', true]);
  await patch(`${widgetsAt('w')}?dryRun=All`, { spec: { color: 'red' } });
  assert.deepEqual(last(), ['patch', true]);
  await request('POST', `${widgetsAt()}?dryRun=Some`, widgetOf('v'));
  assert.deepEqual(last(), ['create', false]);
  await request('DELETE', widgetsAt('w'), { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] });
  assert.deepEqual(last(), ['delete', true]);
  await request('DELETE', `${widgetsAt('w')}?dryRun=All`, { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: [] });
  assert.deepEqual(last(), ['delete', false]);
  assert.equal((await request('GET', widgetsAt('w'))).code, 404);
});
