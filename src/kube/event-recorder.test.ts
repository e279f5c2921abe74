import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMetrics } from '../telemetry/index.ts';
import { createClientOver } from './client/client.ts';
import type { TransportRequest } from './client/transport.ts';
import { createEventRecorder, type EventSubject } from './event-recorder.ts';
import { createFakeClock } from './fake-clock.ts';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown>;
}

function setUp(
  answer: (request: TransportRequest) => number = () => 201,
  more: { readonly concurrency?: number; readonly reportingComponent?: string; readonly gate?: Promise<void> } = {},
) {
  const { gate, ...options } = more;
  const clock = createFakeClock();
  const metrics = createMetrics();
  const sent: Sent[] = [];
  const transport = {
    async send(request: TransportRequest) {
      const status = answer(request);
      await gate;
      if (status === 0) throw new Error('connection refused');
      sent.push({
        method: request.method,
        path: request.path.split('?')[0] ?? '',
        body: JSON.parse(request.body ?? '{}'),
      });
      const text = status < 300 ? '{}' : JSON.stringify({ kind: 'Status', code: status });
      return { status, headers: {}, body: emptyBody(), text: async () => text };
    },
    close: async () => {},
  };
  const client = createClientOver(transport, { server: 'test' });
  const recorder = createEventRecorder({
    client,
    component: 'rackwright-test',
    instance: 'i',
    clock,
    random: () => 0.5,
    metrics,
    ...options,
  });
  return { clock, metrics, sent, recorder };
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

const host: EventSubject = {
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'BareMetalHost',
  metadata: { name: 'h1', namespace: 'lab', uid: 'u1', resourceVersion: '5' },
};
const draft = { type: 'Normal' as const, reason: 'PoweredOn', message: 'the host was powered on' };

describe('an event recorder', () => {
  test('says who reports in both ways, and what else is concerned', async () => {
    const { sent, recorder } = setUp(undefined, { reportingComponent: 'example.com/test' });
    recorder.record(host, { ...draft, related: { kind: 'Machine', name: 'm1' } });
    await recorder.flush();
    const { source, reportingComponent, related } = sent[0]?.body ?? {};
    assert.deepEqual([source, reportingComponent], [{ component: 'rackwright-test' }, 'example.com/test']);
    assert.deepEqual(related, { kind: 'Machine', name: 'm1' });
  });

  test('writes several events at once when told to, but one event never twice at once', async () => {
    const gate = Promise.withResolvers<void>();
    let open = 0;
    const counted = () => {
      open += 1;
      return 201;
    };
    const { sent, recorder } = setUp(counted, { concurrency: 2, gate: gate.promise });
    recorder.record(host, draft);
    recorder.record(host, { ...draft, reason: 'Other' });
    await new Promise(setImmediate);
    recorder.record(host, draft);
    await new Promise(setImmediate);
    assert.equal(open, 2, 'both are being written; the repetition waits for the first');
    gate.resolve();
    await recorder.flush();
    assert.deepEqual(
      sent.map(({ method }) => method),
      ['POST', 'POST', 'PATCH'],
    );
  });

  test('lets whoever has much to tell wait until there is room', async () => {
    const gate = Promise.withResolvers<void>();
    const { recorder } = setUp(undefined, { gate: gate.promise });
    for (const reason of ['A', 'B', 'C', 'D']) recorder.record(host, { ...draft, reason });
    await new Promise(setImmediate);
    let isThrough = false;
    const waiting = recorder.whenFewerWait(3).then(() => {
      isThrough = true;
    });
    await new Promise(setImmediate);
    assert.equal(isThrough, false);
    gate.resolve();
    await waiting;
    await recorder.flush();
    await recorder.whenFewerWait(1);
  });

  test('writes an event as kubectl shows it', async () => {
    const { sent, recorder } = setUp();
    recorder.record(host, draft);
    await recorder.flush();
    assert.equal(sent[0]?.method, 'POST');
    assert.equal(sent[0]?.path, '/api/v1/namespaces/lab/events');
    const event = sent[0]?.body;
    assert.deepEqual(event?.involvedObject, {
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'BareMetalHost',
      ...host.metadata,
    });
    assert.deepEqual([event?.reason, event?.count, event?.type], ['PoweredOn', 1, 'Normal']);
    assert.match(String(event?.firstTimestamp), /T\d\d:\d\d:\d\dZ$/);
  });

  test('an event about a cluster-scoped object goes to the default namespace', async () => {
    const { sent, recorder } = setUp();
    recorder.record({ kind: 'Server', metadata: { name: 's' } }, draft);
    await recorder.flush();
    assert.equal(sent[0]?.path, '/api/v1/namespaces/default/events');
  });

  test('repetition is counted: in one write while it waits, in one patch after it was written', async () => {
    const { sent, recorder } = setUp();
    for (let i = 0; i < 1000; i++) recorder.record(host, draft);
    await recorder.flush();
    assert.deepEqual(
      sent.map((s) => [s.method, s.body.count]),
      [['POST', 1000]],
    );
    for (let i = 0; i < 3; i++) recorder.record(host, draft);
    await recorder.flush();
    assert.deepEqual([sent[1]?.method, sent[1]?.body.count], ['PATCH', 1003]);
    const { name } = (sent[0]?.body.metadata ?? {}) as { name?: string };
    assert.equal(sent[1]?.path, `/api/v1/namespaces/lab/events/${name}`);
  });

  test('an event that the server forgot is made again with its count', async () => {
    const { sent, recorder } = setUp((request) => (request.method === 'PATCH' ? 404 : 201));
    recorder.record(host, draft);
    await recorder.flush();
    recorder.record(host, draft);
    await recorder.flush();
    assert.deepEqual(
      sent.map((s) => [s.method, s.body.count]),
      [
        ['POST', 1],
        ['PATCH', 2],
        ['POST', 2],
      ],
    );
  });

  test('after the window a repeated event is a new one', async () => {
    const { sent, recorder, clock } = setUp();
    recorder.record(host, draft);
    await recorder.flush();
    clock.advance(11 * 60_000);
    recorder.record(host, draft);
    await recorder.flush();
    assert.deepEqual(
      sent.map((s) => [s.method, s.body.count]),
      [
        ['POST', 1],
        ['POST', 1],
      ],
    );
  });

  test('many different messages of one reason become one combined event', async () => {
    const { sent, recorder } = setUp();
    for (let i = 0; i < 20; i++) {
      recorder.record(host, { ...draft, message: `try ${i} failed` });
      await recorder.flush();
    }
    const combined = sent.filter((s) => String(s.body.message).startsWith('(combined from similar events)'));
    assert.equal(new Set(sent.filter((s) => s.method === 'POST').map((s) => s.body.message)).size, 11);
    assert.equal(combined.at(-1)?.body.count, 10);
    assert.equal(combined.at(-1)?.body.message, '(combined from similar events): try 19 failed');
  });

  test('one object cannot flood, and does not silence others', async () => {
    const { sent, recorder, clock, metrics } = setUp();
    for (let i = 0; i < 200; i++) {
      recorder.record(host, { ...draft, reason: `Reason${i}` });
      await recorder.flush();
    }
    assert.equal(sent.length, 25);
    assert.match(await metrics.expose(), /rackwright_events_total\{outcome="thinned"\} 175/);
    recorder.record({ ...host, metadata: { ...host.metadata, uid: 'u2' } }, draft);
    await recorder.flush();
    assert.equal(sent.length, 26);
    clock.advance(60_000);
    recorder.record(host, draft);
    await recorder.flush();
    assert.equal(sent.length, 27);
  });

  test('a server that is away or refuses neither holds up nor fails the caller', async () => {
    const away = setUp(() => 0);
    away.recorder.record(host, draft);
    for (let i = 0; i < 3; i++) {
      await away.clock.untilPending();
      while (away.clock.pending > 1) await new Promise<void>((resolve) => setImmediate(resolve));
      away.clock.advance(60_000);
    }
    await away.recorder.flush();
    assert.match(await away.metrics.expose(), /rackwright_events_total\{outcome="dropped"\} 1/);
    const refusing = setUp(() => 403);
    refusing.recorder.record(host, draft);
    await refusing.recorder.flush();
    assert.equal(refusing.sent.length, 1);
    assert.match(await refusing.metrics.expose(), /outcome="dropped"\} 1/);
  });

  test('nonsense does not throw', async () => {
    const { recorder, metrics } = setUp();
    recorder.record(undefined as unknown as EventSubject, draft);
    recorder.record(host, undefined as unknown as typeof draft);
    await recorder.flush();
    assert.match(await metrics.expose(), /outcome="dropped"\} 2/);
  });
});
