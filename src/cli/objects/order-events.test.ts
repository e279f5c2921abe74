import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderEvents, type ShownEvent } from './order-events.ts';

function event(reason: string, resourceVersion: string, more: Partial<ShownEvent> = {}): ShownEvent {
  const involvedObject = { kind: 'BareMetalHost', namespace: 'n', name: 'h', uid: 'u' };
  const times = { lastTimestamp: '2030-01-01T00:00:05Z' };
  return {
    ...times,
    metadata: { name: `${reason}.${resourceVersion}`, resourceVersion },
    involvedObject,
    reason,
    ...more,
  };
}

const told = (events: readonly ShownEvent[]) =>
  orderEvents(events).map(({ reason, count = 1 }) => (count > 1 ? `${reason} x${count}` : reason));

test('events of one second are in the order in which they were recorded, whatever their names', () => {
  const events = [event('Complete', '101'), event('Registered', '9'), event('Started', '100')];
  assert.deepEqual(told(events), ['Registered', 'Started', 'Complete']);
});

test('times with and without fractions are compared as times, and not as text', () => {
  const precise = { lastTimestamp: null, eventTime: '2030-01-01T00:00:05.900000Z' };
  assert.deepEqual(told([event('Second', '8', precise), event('First', '7')]), ['First', 'Second']);
  assert.deepEqual(told([event('Later', '1', { lastTimestamp: '2030-01-01T00:00:06+00:00' }), event('First', '7')]), [
    'First',
    'Later',
  ]);
});

test('an event that was recorded again as another object is there once, with its counts added up, where it was last seen', () => {
  const again = { lastTimestamp: '2030-01-01T01:00:00Z', count: 3 };
  const events = [
    event('Failed', '1', { message: 'm' }),
    event('Other', '2'),
    event('Failed', '3', { message: 'm', ...again }),
  ];
  assert.deepEqual(told(events), ['Other', 'Failed x4']);
  const different = [event('Failed', '1', { message: 'm' }), event('Failed', '2', { message: 'n' })];
  assert.deepEqual(told(different), ['Failed', 'Failed']);
});
