import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Stored } from '../store/store.ts';
import { EventBytes } from './event-bytes.ts';

const json = '{"kind":"Widget","metadata":{"name":"ü"}}';
const stored: Stored = {
  bucket: 'b',
  namespace: 'n',
  name: 'ü',
  uid: 'u',
  revision: 1,
  createdRevision: 1,
  labels: undefined,
  owners: undefined,
  json,
};

test('all who watch are sent the same bytes', () => {
  const events = new EventBytes();
  const bytes = events.of({ type: 'ADDED', stored, json });
  assert.equal(events.of({ type: 'ADDED', stored, json }), bytes);
  assert.equal(bytes.toString(), `{"type":"ADDED","object":${json}}\n`);
});

test('another type, another version of the object and another object are events of their own', () => {
  const events = new EventBytes();
  events.of({ type: 'ADDED', stored, json });
  const other = json.replace('Widget', 'Gadget');
  assert.match(events.of({ type: 'MODIFIED', stored, json }).toString(), /MODIFIED.*Widget/);
  assert.match(events.of({ type: 'ADDED', stored, json: other }).toString(), /ADDED.*Gadget/);
  assert.match(events.of({ type: 'DELETED', stored: { ...stored }, json }).toString(), /DELETED.*Widget/);
});

test('bytes are not kept beyond the turn in which everyone is told', async () => {
  const events = new EventBytes();
  const bytes = events.of({ type: 'ADDED', stored, json });
  await setImmediate();
  assert.notEqual(events.of({ type: 'ADDED', stored, json }), bytes);
});
