import assert from 'node:assert/strict';
import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { createEventPush } from './event-push.ts';
import { eventStreamPath } from './event-stream.ts';
import { createFakeMachine, fakeLogin } from './testing/fake-machine.ts';
import { createFakeRoutes } from './testing/fake-routes.ts';
import { ask, basic, serve } from './testing/wire.ts';

test('the stream sends events as they happen, until the client leaves', async (t) => {
  const fake = createFakeMachine({ service: { hasEventStream: true } });
  const { urls } = await serve(t, [fake.machine], { routes: createFakeRoutes().routes });
  const outgoing = request(`${urls[0]}${eventStreamPath}`, { headers: basic(fakeLogin) });
  outgoing.end();
  const [response] = await once(outgoing, 'response');
  assert.match(response.headers['content-type'], /^text\/event-stream/);
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  while (!text.includes('\n\n')) await once(response, 'data');
  text = '';
  fake.publish('ResourceEvent.1.0.ResourceChanged');
  while (!text.endsWith('\n\n')) await once(response, 'data');
  const [, id, json = ''] = /^id: (.*)\ndata: (.*)\n\n$/.exec(text) ?? [];
  assert.equal(id, '1');
  assert.equal(JSON.parse(json).Events[0].MessageId, 'ResourceEvent.1.0.ResourceChanged');
  outgoing.destroy();
});

test('there is no stream without a log-in, nor on a BMC that has none', async (t) => {
  const fakes = [true, false].map((hasEventStream) => createFakeMachine({ service: { hasEventStream } }));
  const { urls } = await serve(
    t,
    fakes.map(({ machine }) => machine),
    { routes: createFakeRoutes().routes },
  );
  assert.equal((await ask(`${urls[0]}${eventStreamPath}`)).status, 401);
  assert.equal((await ask(`${urls[1]}${eventStreamPath}`, { headers: basic(fakeLogin) })).status, 404);
});

/** A subscriber that answers as told and keeps what it got. */
async function startSubscriber(context: TestContext, statuses: number[]) {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of all shapes
  const got: any[] = [];
  let arrived = (): void => undefined;
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    got.push(JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(statuses.shift() ?? 204).end();
    arrived();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const until = async (count: number): Promise<void> => {
    while (got.length < count) await new Promise<void>((resolve) => (arrived = resolve));
  };
  return { got, until, url: `http://127.0.0.1:${port}/events` };
}

test('events are pushed to subscribers in order, with the context they asked for', async (t) => {
  const fake = createFakeMachine();
  const push = createEventPush();
  t.after(() => push.close());
  push.watch(fake.machine);
  const subscriber = await startSubscriber(t, []);
  fake.publish('before.anybody.subscribed');
  fake.subscribe(subscriber.url);
  for (const id of ['a', 'b', 'c']) fake.publish(id);
  await subscriber.until(3);
  assert.deepEqual(
    subscriber.got.map((each) => [each.Context, each.Events[0].MessageId]),
    ['a', 'b', 'c'].map((id) => ['rack 1', id]),
  );
});

test('a push that fails is tried again later, then given up, and the next event is sent', async (t) => {
  const fake = createFakeMachine();
  const push = createEventPush();
  t.after(() => push.close());
  push.watch(fake.machine);
  const subscriber = await startSubscriber(t, [500, 500, 500, 204]);
  fake.subscribe(subscriber.url);
  fake.publish('lost');
  fake.publish('seen');
  for (let tries = 1; tries <= 3; tries++) {
    await subscriber.until(tries);
    await fake.clock.untilPending();
    fake.clock.advance(5_000);
  }
  await subscriber.until(4);
  assert.deepEqual(
    subscriber.got.map((each) => each.Events[0].MessageId),
    ['lost', 'lost', 'lost', 'seen'],
  );
});

test('a subscriber that does not take its events loses the oldest, and nothing is held up', async (t) => {
  const fake = createFakeMachine();
  const push = createEventPush();
  t.after(() => push.close());
  push.watch(fake.machine);
  const subscriber = await startSubscriber(t, [500]);
  fake.subscribe(subscriber.url);
  for (let number = 1; number <= 1000; number++) fake.publish(String(number));
  await subscriber.until(1);
  await fake.clock.untilPending();
  fake.clock.advance(5_000);
  await subscriber.until(2 + 64);
  assert.equal(subscriber.got.at(-1).Events[0].MessageId, '1000');
  assert.equal(subscriber.got.length, 66, 'the first one twice, then the last 64');
});

test('nothing is ever sent to a subscriber off the machine', async (t) => {
  const hosts: unknown[] = [];
  const note = (message: unknown) => hosts.push((message as { request: { host: string } }).request.host);
  diagnostics.subscribe('http.client.request.created', note);
  t.after(() => diagnostics.unsubscribe('http.client.request.created', note));
  const fake = createFakeMachine();
  const push = createEventPush();
  t.after(() => push.close());
  push.watch(fake.machine);
  const subscriber = await startSubscriber(t, [200]);
  for (const host of ['192.0.2.1', '[2001:db8::1]', 'events.example']) fake.subscribe(`http://${host}/events`);
  fake.subscribe(subscriber.url);
  fake.publish('1');
  await subscriber.until(1);
  assert.deepEqual(hosts, ['127.0.0.1']);
});
