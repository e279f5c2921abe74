import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { BmcError, isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { collection, resource, sampleTree } from '../testing/sample-tree.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { followEvents } from './follow-events.ts';
import { type EventHint, parseEvents } from './hint.ts';
import { createSseParser } from './sse-parser.ts';
import { subscribe, unsubscribe } from './subscribe.ts';

const service = '/redfish/v1/EventService';
const subscriptions = `${service}/Subscriptions`;

const record = (id: string): JsonObject => ({
  MessageId: `ResourceEvent.1.0.${id}`,
  EventTimestamp: '2025-01-01T00:00:01Z',
  OriginOfCondition: { '@odata.id': '/redfish/v1/Systems/1' },
});

const block = (id: string): string => `id: ${id}\ndata: ${JSON.stringify({ Events: [record(id)] })}\n\n`;

function withEvents(members: JsonObject = {}) {
  const more = {
    [service]: resource(service, {
      ServerSentEventUri: `${service}/SSE`,
      Subscriptions: { '@odata.id': subscriptions },
      EventFormatTypes: ['Event', 'MetricReport'],
      ResourceTypes: ['ComputerSystem', 'Task'],
      ...members,
    }),
    ...collection(subscriptions, {}),
  };
  return createScriptedBmc({ tree: sampleTree({ root: { Vendor: 'Dell' }, more }) });
}

test('a payload becomes hints; what is no event is counted', () => {
  const payload = { Events: [record('A'), { OriginOfCondition: '/redfish/v1/Chassis/1' }, {}, 5, null] };
  const { hints, malformed } = parseEvents(payload);
  assert.deepEqual(hints, [
    { origin: '/redfish/v1/Systems/1', messageId: 'ResourceEvent.1.0.A', at: Date.UTC(2025, 0, 1, 0, 0, 1) },
    { origin: '/redfish/v1/Chassis/1', messageId: undefined, at: undefined },
  ]);
  assert.equal(malformed, 3);
  assert.deepEqual(parseEvents(record('B')).hints.length, 1);
  for (const nothing of [undefined, null, 'x', [], {}, { Events: null }])
    assert.equal(parseEvents(nothing).malformed, 1);
  assert.equal(parseEvents({ '@odata.type': '#MetricReport.v1_0_0.MetricReport' }).malformed, 0);
});

test('no payload makes it throw', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue(), fc.record({ Events: fc.jsonValue() })),
      (payload) => void parseEvents(payload),
    ),
    { numRuns: 2000 },
  );
});

test('a stream gives the same events however it is cut', () => {
  const text = `: hello\r\n\r\n${block('1')}retry: 250\r\nid: 2\r\ndata: a\r\ndata: b\r\n\r\nevent: x\n\ndata\n\n`;
  const whole = createSseParser().push(text);
  assert.deepEqual(
    whole.map(({ id }) => id),
    ['1', '2', undefined],
  );
  assert.equal(whole[1]?.data, 'a\nb');
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
      const parser = createSseParser();
      const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      const events = places.slice(1).flatMap((end, index) => [...parser.push(text.slice(places[index] ?? 0, end))]);
      assert.deepEqual(events, whole);
      assert.equal(parser.retryMs, 250);
    }),
    { numRuns: 1000 },
  );
});

test('an event without end is dropped and does not grow', () => {
  const parser = createSseParser(100);
  for (let i = 0; i < 50; i += 1) assert.deepEqual(parser.push('data: xxxxxxxxxx'), []);
  assert.deepEqual(parser.push('\n\n'), []);
  for (let i = 0; i < 20; i += 1) parser.push('data: xxxxxxxxxx\n');
  parser.push('\n');
  assert.ok(parser.dropped >= 2);
  assert.deepEqual(parser.push('data: y\n\n'), [{ id: undefined, data: 'y' }]);
});

test('a stream that is cut is opened again from the last event on', async () => {
  const { bmc, gate } = withEvents();
  const controller = new AbortController();
  const hints: EventHint[] = [];
  let gaps = 0;
  const script: ((stream: PassThrough) => void)[] = [
    (stream) => stream.end(block('1') + block('2')),
    (stream) => {
      stream.write(block('3'));
      setImmediate(() => stream.destroy(new Error('connection reset')));
    },
    (stream) => stream.end('data: {broken\n\n'),
    (stream) => stream.write(block('4')),
  ];
  gate.onStream = (_path, stream) => script[gate.streams.length - 1]?.(stream);
  const counts = await followEvents(bmc, {
    signal: controller.signal,
    onGap: () => (gaps += 1),
    onHint(hint) {
      hints.push(hint);
      if (hint.messageId?.endsWith('4')) controller.abort();
    },
  });
  assert.deepEqual(
    hints.map(({ messageId }) => messageId?.slice(-1)),
    ['1', '2', '3', '4'],
  );
  assert.deepEqual(counts, { hints: 4, malformed: 1, connections: 4 });
  assert.equal(gaps, 3);
  assert.deepEqual(
    gate.streams.map(({ headers }) => headers['Last-Event-ID']),
    [undefined, '2', '3', '3'],
  );
  assert.equal(
    gate.streams.every(({ stream }) => stream.destroyed),
    true,
  );
});

test('a BMC that is away is tried again ever more slowly; one that refuses us is not', async () => {
  const { bmc, gate, clock } = withEvents();
  const controller = new AbortController();
  const at: number[] = [];
  gate.onStream = () => {
    at.push(clock.monotonic());
    if (at.length === 6) controller.abort();
    throw new BmcError('unreachable', { origin: gate.origin, detail: 'away' });
  };
  await followEvents(bmc, { signal: controller.signal, onHint: () => {} });
  const pauses = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  assert.deepEqual(
    pauses,
    pauses.toSorted((a, b) => a - b),
  );
  assert.ok((pauses.at(-1) ?? 0) > (pauses[0] ?? 0));
  gate.onStream = () => {
    throw new BmcError('credentials', { origin: gate.origin, username: 'admin' });
  };
  await assert.rejects(followEvents(bmc, { signal: new AbortController().signal, onHint: () => {} }), (error) =>
    isBmcError(error, 'credentials'),
  );
});

test('an error of the listener is not taken for a cut stream', async () => {
  const { bmc, gate } = withEvents();
  gate.onStream = (_path, stream) => stream.write(block('1'));
  const follow = followEvents(bmc, {
    signal: new AbortController().signal,
    onHint: () => {
      throw new TypeError('listener');
    },
  });
  await assert.rejects(follow, /listener/);
  const [opened] = gate.streams;
  if (opened !== undefined && !opened.stream.closed) await once(opened.stream, 'close');
  assert.equal(opened?.stream.destroyed, true);
});

test('a BMC without a stream says so', async () => {
  const { bmc } = withEvents({ ServerSentEventUri: null });
  const follow = followEvents(bmc, { signal: new AbortController().signal, onHint: () => {} });
  await assert.rejects(follow, (error) => isBmcError(error, 'unsupported'));
});

const order = { destination: 'https://10.0.0.1/events', context: 'rackwright', resourceTypes: ['Task', 'Chassis'] };

test('a subscription says only what the service knows', async () => {
  const { bmc, gate } = withEvents();
  gate.on(`POST ${subscriptions}`, () => ({ status: 201, headers: { location: `${subscriptions}/7` } }));
  assert.deepEqual(await subscribe(bmc, order), { uri: `${subscriptions}/7`, wasCreated: true });
  const post = gate.sent.find(({ method }) => method === 'POST');
  assert.deepEqual(post?.body, {
    Destination: 'https://10.0.0.1/events',
    Context: 'rackwright',
    Protocol: 'Redfish',
    EventFormatType: 'Event',
    ResourceTypes: ['Task'],
  });
  assert.notEqual(post?.isDisruptive, true);
  const old = withEvents({
    EventFormatTypes: null,
    ResourceTypes: null,
    EventTypesForSubscription: ['Alert', 'StatusChange'],
  });
  old.gate.on(`POST ${subscriptions}`, () => ({ status: 201, headers: { location: `${subscriptions}/7` } }));
  await subscribe(old.bmc, order);
  assert.deepEqual(old.gate.sent.find(({ method }) => method === 'POST')?.body, {
    Destination: 'https://10.0.0.1/events',
    Context: 'rackwright',
    Protocol: 'Redfish',
    EventTypes: ['Alert', 'StatusChange'],
  });
});

test('a subscription that is there is kept, one whose answer was lost is found', async () => {
  const there = collection(subscriptions, { 3: { Destination: order.destination, Context: order.context } });
  const { bmc, gate } = withEvents();
  gate.on(`POST ${subscriptions}`, () => {
    for (const [path, body] of Object.entries(there)) gate.tree.set(path, body);
    return 'ambiguous';
  });
  assert.deepEqual(await subscribe(bmc, order), { uri: `${subscriptions}/3`, wasCreated: true });
  assert.deepEqual(await subscribe(bmc, order), { uri: `${subscriptions}/3`, wasCreated: false });
  assert.equal(gate.sent.filter(({ method }) => method === 'POST').length, 1);
});

test('a lost answer to a subscription that was not made is an error', async () => {
  const { bmc, gate } = withEvents();
  gate.on(`POST ${subscriptions}`, () => 'ambiguous');
  await assert.rejects(subscribe(bmc, order), (error) => isBmcError(error, 'ambiguous'));
});

test('ending a subscription twice is fine; a service that is off says so', async () => {
  const { bmc } = withEvents();
  await unsubscribe(bmc, `${subscriptions}/9`);
  await assert.rejects(subscribe(withEvents({ ServiceEnabled: false }).bmc, order), /switched off/);
});
