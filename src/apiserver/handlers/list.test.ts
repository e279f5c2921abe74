import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TemporaryServer, temporaryServer, widgetOf, widgetsAt } from '../http/temporary-server.ts';

async function fill(server: TemporaryServer, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await server.request('POST', widgetsAt(), widgetOf(`w${String(n).padStart(3, '0')}`, { n }));
  }
}

function continued(token: unknown): string {
  return `${widgetsAt()}?limit=7&continue=${encodeURIComponent(String(token))}`;
}

test('pages show one state, whatever is written between them', async (t) => {
  const server = await temporaryServer(t);
  await fill(server, 50);
  const whole = await server.request('GET', widgetsAt());
  const version = whole.object.metadata.resourceVersion;
  const items: unknown[] = [];
  let page = await server.request('GET', `${widgetsAt()}?limit=7`);
  for (let n = 0; ; n++) {
    assert.equal(page.object.metadata.resourceVersion, version);
    items.push(...page.object.items);
    const rest = (page.object.metadata as { remainingItemCount?: number }).remainingItemCount ?? 0;
    assert.equal(rest, 50 - items.length);
    const token = (page.object.metadata as { continue?: string }).continue;
    if (token === undefined || token === '') break;
    await server.request('POST', widgetsAt(), widgetOf(`w${String(n * 9).padStart(3, '0')}-new`));
    await server.patch(widgetsAt(`w${String(n * 7 + 10).padStart(3, '0')}`), { spec: { changed: true } });
    await server.request('DELETE', widgetsAt(`w${String(n * 7 + 12).padStart(3, '0')}`));
    page = await server.request('GET', continued(token));
  }
  assert.deepEqual(items, whole.object.items);
});

test('an exact version is listed as it was', async (t) => {
  const server = await temporaryServer(t);
  await fill(server, 5);
  const before = await server.request('GET', widgetsAt());
  await server.patch(widgetsAt('w001'), { spec: { n: 99 } });
  await server.request('DELETE', widgetsAt('w002'));
  const version = before.object.metadata.resourceVersion;
  const exact = await server.request('GET', `${widgetsAt()}?resourceVersion=${version}&resourceVersionMatch=Exact`);
  assert.equal(exact.text, before.text);
});

test('a token whose state is forgotten gets 410 and another token, for the rest as it is now', async (t) => {
  const server = await temporaryServer(t);
  await fill(server, 10);
  const first = await server.request('GET', `${widgetsAt()}?limit=7`);
  await server.request('DELETE', widgetsAt('w008'));
  await server.store.compact(server.store.revision());
  const expired = await server.request('GET', continued((first.object.metadata as { continue?: string }).continue));
  assert.deepEqual([expired.code, expired.object.reason], [410, 'Expired']);
  const rest = await server.request('GET', continued((expired.object.metadata as { continue?: string }).continue));
  assert.deepEqual(
    rest.object.items.map((item) => item.metadata.name),
    ['w007', 'w009'],
  );
});

test('a selector is applied before the limit, and says nothing about what remains', async (t) => {
  const server = await temporaryServer(t);
  for (let n = 0; n < 20; n++) {
    await server.request('POST', widgetsAt(), widgetOf(`w${n}`, {}, { labels: { odd: String(n % 2 === 1) } }));
  }
  const page = await server.request('GET', `${widgetsAt()}?limit=3&labelSelector=odd%3Dtrue`);
  assert.equal(page.object.items.length, 3);
  assert.ok(page.object.items.every((item) => item.metadata.labels?.odd === 'true'));
  assert.equal('remainingItemCount' in page.object.metadata, false);
});

test('labels are what an object carries, not what every JavaScript object inherits', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', widgetsAt(), widgetOf('plain', {}, { labels: { a: 'b' } }));
  await server.request('POST', widgetsAt(), widgetOf('odd', {}, { labels: { constructor: 'c' } }));
  const names = async (selector: string): Promise<unknown> => {
    const list = await server.request('GET', `${widgetsAt()}?labelSelector=${encodeURIComponent(selector)}`);
    return list.object.items.map((item) => item.metadata.name);
  };
  assert.deepEqual(await names('constructor'), ['odd']);
  assert.deepEqual(await names('!constructor'), ['plain']);
  assert.deepEqual(await names('toString'), []);
  assert.deepEqual(await names('constructor=c'), ['odd']);
});
