import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KubeObject, resources } from './kinds.ts';
import type { ListPage, ServerEvent } from './list-and-watch.ts';
import { linesOf } from './list-and-watch.ts';
import { LiveList } from './live-list.ts';
import { RefusedError } from './refused.ts';

const host = (name: string, resourceVersion = '1'): KubeObject => ({
  metadata: { name, namespace: 'n', resourceVersion },
});

/** A server that says what the test tells it to. */
function scripted() {
  const frames: (() => void)[] = [];
  const asked: (string | undefined)[] = [];
  const waits: number[] = [];
  const state = {
    pages: [] as ListPage[],
    tell: undefined as ((event: ServerEvent) => void) | undefined,
    end: undefined as ((how: 'ended' | 'expired') => void) | undefined,
    fail: undefined as ((error: unknown) => void) | undefined,
    watchedFrom: [] as string[],
    refusal: 403,
  };
  const list = new LiveList<string>({
    resource: resources.hosts,
    project: ({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`,
    schedule: (flush) => frames.push(flush),
    delay: (attempt) => {
      waits.push(attempt);
      return new Promise(setImmediate);
    },
    page: async ({ after }) => {
      asked.push(after);
      const page = state.pages.shift();
      if (page === undefined) throw new RefusedError(state.refusal, 'you may not');
      return page;
    },
    watch: ({ from }, tell) => {
      state.watchedFrom.push(from);
      state.tell = tell;
      return new Promise((resolve, reject) => {
        state.end = resolve;
        state.fail = reject;
      });
    },
  });
  const frame = (): void => {
    for (const flush of frames.splice(0)) flush();
  };
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise(setImmediate);
  };
  return { list, state, asked, waits, frame, until, frames };
}

const page = (names: readonly string[], more: Partial<ListPage> = {}): ListPage => ({
  items: names.map((name) => host(name)),
  resourceVersion: '10',
  after: undefined,
  ...more,
});

test('a list is shown part by part, sorted, and live once all of it is there', async (t) => {
  const { list, state, asked, until } = scripted();
  t.after(() => list.stop());
  state.pages.push(page(['c', 'b'], { after: 'more' }), page(['a']));
  const seen: string[] = [];
  list.subscribe(() => seen.push(`${list.snapshot().freshness} ${list.snapshot().items.join()}`));
  list.start();
  await until(() => list.snapshot().freshness === 'live');
  assert.deepEqual(seen, ['loading b@1,c@1', 'live a@1,b@1,c@1']);
  assert.deepEqual(asked, [undefined, 'more']);
});

test('many changes go out together, once per frame', async (t) => {
  const { list, state, until, frame, frames } = scripted();
  t.after(() => list.stop());
  state.pages.push(page(['a', 'b']));
  list.start();
  await until(() => state.tell !== undefined);
  let shown = 0;
  list.subscribe(() => {
    shown += 1;
  });
  for (let version = 11; version <= 110; version++)
    state.tell?.({ type: 'MODIFIED', object: host('a', String(version)) });
  state.tell?.({ type: 'DELETED', object: host('b', '111') });
  state.tell?.({ type: 'ADDED', object: host('c', '112') });
  assert.equal(frames.length, 1);
  frame();
  assert.equal(shown, 1);
  assert.deepEqual(list.snapshot().items, ['a@110', 'c@112']);
  assert.equal(list.snapshot().changes, 102);
});

test('a watch that ends goes on where it was; one that is too old reads the list anew and forgets what is gone', async (t) => {
  const { list, state, until, frame } = scripted();
  t.after(() => list.stop());
  state.pages.push(page(['a', 'b']), page(['b', 'd'], { resourceVersion: '50' }));
  list.start();
  await until(() => state.watchedFrom.length === 1);
  state.tell?.({ type: 'MODIFIED', object: host('a', '20') });
  frame();
  state.end?.('ended');
  await until(() => state.watchedFrom.length === 2);
  state.end?.('expired');
  await until(() => state.watchedFrom.length === 3);
  assert.deepEqual(state.watchedFrom, ['10', '20', '50']);
  assert.deepEqual(list.snapshot().items, ['b@1', 'd@1']);
});

test('a connection that broke makes it stale, not empty, until something comes again', async (t) => {
  const { list, state, until } = scripted();
  t.after(() => list.stop());
  state.pages.push(page(['a']));
  list.start();
  await until(() => state.watchedFrom.length === 1);
  state.fail?.(new TypeError('network'));
  await until(() => state.watchedFrom.length === 2);
  assert.equal(list.snapshot().freshness, 'stale');
  assert.deepEqual(list.snapshot().items, ['a@1']);
  state.tell?.({ type: 'BOOKMARK', object: host('', '30') });
  assert.equal(list.snapshot().freshness, 'live');
});

test('what may not be read says so, is asked for again without haste, and shown once it may be', async (t) => {
  const { list, state, until, waits } = scripted();
  t.after(() => list.stop());
  list.start();
  await until(() => list.snapshot().freshness === 'failed');
  assert.deepEqual([list.snapshot().refusal, list.snapshot().problem, waits[0]], [403, 'you may not', 5]);
  state.pages.push(page(['a']));
  await until(() => list.snapshot().freshness === 'live');
  assert.deepEqual([list.snapshot().refusal, list.snapshot().problem], [undefined, undefined]);
  assert.deepEqual(list.snapshot().items, ['a@1']);
});

test('with a token that is no longer known nothing more is asked', async (t) => {
  const { list, state, until, asked } = scripted();
  t.after(() => list.stop());
  state.refusal = 401;
  list.start();
  await until(() => list.snapshot().freshness === 'failed');
  await new Promise(setImmediate);
  assert.equal(asked.length, 1);
});

test('lines are put together again however the bytes were cut', async () => {
  const bytes = new TextEncoder().encode('{"a":"ü"}\n\n{"b":2}\n{"c":3}');
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
      controller.close();
    },
  });
  const lines: string[] = [];
  for await (const line of linesOf(body)) lines.push(line);
  assert.deepEqual(lines, ['{"a":"ü"}', '{"b":2}', '{"c":3}']);
});
