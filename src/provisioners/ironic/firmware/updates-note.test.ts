import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNode } from '../node/index.ts';
import { madeOf, sinceOf } from './updates-note.ts';

const bios = { component: 'bios', url: 'http://files/fw' };
const bmc = { component: 'bmc', url: 'http://files/fw-of-bmc' };
const failed = (last_error: string | null) =>
  readNode({ uuid: '1', provision_state: 'service failed', provision_updated_at: '2026-01-01T00:00:09Z', last_error });
const note = { since: 'active since ever', updates: [bios, bmc], made: [], versions: { bios: '1', bmc: '1' } };

test('what comes before the update that failed was made', () => {
  const nic = { component: 'nic:1', url: 'http://other/nic' };
  const all = { ...note, updates: [nic, bmc, bios] };
  assert.deepEqual(madeOf(all, failed('failed step update of http://files/fw-of-bmc: no'), note.versions), [nic]);
});

test('an address that may mean more than one update means the first', () => {
  assert.deepEqual(madeOf(note, failed('failed step update of http://files/fw-of-bmc: no'), note.versions), []);
});

test('a reason that names an image counts more than versions, which count where it names none', () => {
  const versions = { bios: '2', bmc: '2' };
  assert.deepEqual(madeOf(note, failed('failed step update of http://files/fw: no'), versions), []);
  assert.deepEqual(madeOf(note, failed(null), versions), [bios, bmc]);
  assert.deepEqual(madeOf(note, failed('the agent is away'), { bios: '2', bmc: '1' }), [bios]);
  assert.deepEqual(madeOf({ ...note, versions: {} }, failed(null), versions), [], 'nobody knows what they were');
});

test('an attempt that was noted and never asked for loses nothing of what was made before it', () => {
  const node = failed('failed step update of http://files/fw: no');
  const lost = { ...note, since: sinceOf(node), made: [bios] };
  assert.deepEqual(madeOf(lost, node, { bios: '2', bmc: '2' }), [bios]);
});
