import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countComplete, wantedEvents } from './completeness.ts';
import { lastWriteOf } from './last-write.ts';
import { operatorRequests, requestsAHost } from './requests.ts';
import { tallyWrites } from './written-objects.ts';

test('what the bench makes and what an API server asks of itself is not counted for an operator', () => {
  const of = (verb: string, resource: string, count = 20) => ({ verb, resource, code: '200', count });
  const requests = operatorRequests([
    of('POST', 'baremetalhosts'),
    of('CREATE', 'secrets'),
    of('PATCH', 'baremetalhosts/status'),
    of('PATCH', 'secrets'),
    of('POST', 'events', 50),
    of('PUT', 'leases'),
    of('GET', 'namespaces'),
  ]);
  assert.deepEqual(requestsAHost(requests, 10), {
    'PATCH baremetalhosts/status 200': 2,
    'PATCH secrets 200': 2,
    'CREATE events 200': 5,
  });
});

test('objects named after a host, its Secret and events about it are its own, and all else is shared', () => {
  const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value);
  const written = tallyWrites(
    [
      ...times(4, { resource: 'baremetalhosts', name: 'a' }),
      ...times(2, { resource: 'secrets', name: 'a-bmc' }),
      ...times(9, { resource: 'events', name: 'a.1f', about: 'a' }),
      ...times(3, { resource: 'firmwareschemas', name: 'schema-1' }),
      ...times(1, { resource: 'firmwareschemas', name: 'schema-2' }),
    ],
    ['a'],
  );
  assert.deepEqual(written, {
    shared: { object: 'firmwareschemas/schema-1', writes: 3 },
    own: { object: 'events/a.1f', writes: 9 },
  });
  assert.equal(tallyWrites([], []).shared.writes, 0);
});

test('a host is complete with its three companions and every event', () => {
  const all = new Set(['a', 'b', 'c']);
  const beside = {
    hardwareData: new Set(['a', 'b']),
    firmwareSettings: all,
    firmwareComponents: all,
    events: new Map([
      ['a', new Set<string>(wantedEvents)],
      ['b', new Set<string>(wantedEvents.slice(1))],
      ['c', new Set<string>(wantedEvents)],
    ]),
  };
  assert.equal(countComplete(['a', 'b', 'c'], beside), 1);
});

test('the last write is where the version of everything stops to grow, but for what the server writes for itself', () => {
  const of = (atMs: number, version: number) => ({ atMs, version });
  assert.equal(lastWriteOf([of(0, 100), of(50, 180), of(100, 240), of(150, 240), of(2000, 241)]), 100);
  assert.equal(lastWriteOf([of(0, 100)]), 0);
  assert.equal(lastWriteOf([]), Number.NaN);
});
