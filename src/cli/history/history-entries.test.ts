import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConditionRecord } from '../../conditionorc/index.ts';
import { entriesOfEvents, entriesOfWork, orderEntries } from './history-entries.ts';

const at = '2030-01-01T00:00:05.000Z';

test('work that was asked for at one moment is told in the order in which it runs, and each once', () => {
  const record = (id: string, kind: string) =>
    ({
      id,
      kind,
      created_at: at,
      target: 'u',
      state: 'succeeded',
      cancel: null,
      status: {},
    }) as unknown as ConditionRecord;
  // As the service lists it: newest first.
  const records = [
    record('01-c', 'inventoryOOB'),
    record('01-b', 'firmwareInstall'),
    record('01-b', 'firmwareInstall'),
  ];
  const entries = orderEntries(
    entriesOfWork(records, (id) => id),
    10,
  );
  assert.deepEqual(
    entries.map(({ what }) => what),
    ['firmwareInstall', 'inventoryOOB'],
  );
});

test('events are told in the order in which they were recorded, and a repeated one once', () => {
  const event = (reason: string, resourceVersion: string) => ({
    metadata: { name: `${reason}.${resourceVersion}`, resourceVersion },
    involvedObject: { kind: 'BareMetalHost', namespace: 'n', name: 'h' },
    lastTimestamp: '2030-01-01T00:00:05Z',
    reason,
    message: 'm',
  });
  const events = [event('Complete', '12'), event('Started', '9'), event('Complete', '13')];
  const entries = orderEntries(entriesOfEvents(events), 10);
  assert.deepEqual(
    entries.map(({ what, message }) => `${what} ${message}`),
    ['Started m', 'Complete m (2 times)'],
  );
});
