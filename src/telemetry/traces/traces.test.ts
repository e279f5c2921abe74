import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, noTracer, openTracer, traced, traceparentHere } from '../index.ts';
import { pathOfSpan, startOtlpReceiver } from '../testing/otlp-receiver.ts';

const secret = 'hunter2-hunter2';

async function setUp() {
  const receiver = await startOtlpReceiver();
  const tracer = await openTracer({ endpoint: `${receiver.url}/`, service: 'test', version: '1' });
  const sent = async () => {
    await tracer.close();
    await receiver.close();
    return receiver;
  };
  return { tracer, sent };
}

test('spans within each other are one trace, also across a store and with a log line', async () => {
  const { tracer, sent } = await setUp();
  const lines: string[] = [];
  const logger = createLogger({ write: (line) => lines.push(line) });
  let stored: string | undefined;
  await tracer.trace({ name: 'request', kind: 'server' }, async () => {
    await traced({ name: 'order' }, async () => {
      await Promise.resolve();
      stored = traceparentHere();
      logger.info('ordered');
    });
  });
  assert.equal(traceparentHere(), undefined);
  await tracer.trace({ name: 'work', kind: 'consumer', parent: stored }, () => traced({ name: 'GET' }, async () => 1));
  const { spans } = await sent();
  const last = spans.find(({ name }) => name === 'GET') ?? assert.fail();
  assert.deepEqual(pathOfSpan(spans, last), ['request', 'order', 'work', 'GET']);
  assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1);
  assert.match(lines[0] ?? '', new RegExp(`"trace":"${last.traceId}"`));
});

test('what is thrown ends its span as failed, without its message, and secrets in texts are replaced', async () => {
  const { tracer, sent } = await setUp();
  const failing = tracer.trace(
    { name: 'x', attributes: { url: `https://root:${secret}@10.0.0.1/`, long: 'x'.repeat(9000), none: undefined } },
    async () => {
      throw Object.assign(new Error(`password ${secret}`), { code: 'EBAD' });
    },
  );
  await assert.rejects(failing);
  const { spans, bodies } = await sent();
  assert.equal(spans[0]?.status?.message, 'Error EBAD');
  assert.ok(!bodies.join('').includes(secret), bodies.join(''));
  assert.ok(bodies.join('').length < 5000);
});

test('what claims to be a trace and is none begins a new one', async () => {
  const { tracer, sent } = await setUp();
  const zeros = `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`;
  for (const parent of ['', 'x', zeros, `00-${secret}-1-1`]) await tracer.trace({ name: 'a', parent }, async () => 1);
  const { spans } = await sent();
  assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 4);
  assert.ok(spans.every(({ parentSpanId }) => (parentSpanId ?? '') === ''));
});

test('without a tracer nothing is recorded and everything is done', async () => {
  const done = await noTracer.trace({ name: 'a' }, async (span) => {
    span.set({ a: 1 });
    return await traced({ name: 'b' }, async () => traceparentHere() ?? 'none');
  });
  assert.equal(done, 'none');
});
