import type { JsonObject } from '../../../src/schema/index.ts';
import { topic } from '../case.ts';
import { configMap, core, widget, widgetCrd, widgets } from '../fixtures.ts';

/** Watches: from now, from a version, bookmarks, initial events, errors. */
export const watch = topic('watch', {
  'events-of-a-life': async (t) => {
    const before = await t.get(core(t, 'secrets'), { quiet: true });
    const rv = before.str('metadata.resourceVersion');
    t.alias(`resourceVersion=${rv}`, 'from version');
    const stream = await t.watch(`${core(t, 'secrets')}?watch=true&resourceVersion=${rv}`);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' }, data: { a: 'MQ==' } };
    await t.post(core(t, 'secrets'), secret, { quiet: true });
    await t.patch(core(t, 'secrets', 'one'), 'merge', { data: { a: 'Mg==' } }, { quiet: true });
    await t.delete(core(t, 'secrets', 'one'), undefined, { quiet: true });
    await stream.take(3);
  },
  'widget-events': async (t) => {
    await t.crd(widgetCrd(t));
    const before = await t.get(widgets(t), { quiet: true });
    const rv = before.str('metadata.resourceVersion');
    t.alias(`resourceVersion=${rv}`, 'from version');
    const stream = await t.watch(`${widgets(t)}?watch=1&resourceVersion=${rv}`);
    await t.post(widgets(t), widget(t, 'one', { size: 2 }), { quiet: true });
    await t.patch(`${widgets(t, 'one')}/status`, 'merge', { status: { phase: 'Ready' } }, { quiet: true });
    await t.delete(widgets(t, 'one'), undefined, { quiet: true });
    await stream.take(3);
  },
  'without-version-starts-with-state': async (t) => {
    await t.post(core(t, 'secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }, { quiet: true });
    await t.post(core(t, 'secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'b' } }, { quiet: true });
    const stream = await t.watch(`${core(t, 'secrets')}?watch=true`);
    await stream.take(2);
    await t.patch(core(t, 'secrets', 'a'), 'merge', { data: { x: 'MQ==' } }, { quiet: true });
    await stream.take(1);
  },
  'from-version-replays': async (t) => {
    const first = await t.post(
      core(t, 'secrets'),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
      { quiet: true },
    );
    await t.post(core(t, 'secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'b' } }, { quiet: true });
    await t.delete(core(t, 'secrets', 'a'), undefined, { quiet: true });
    const rv = first.str('metadata.resourceVersion');
    t.alias(`resourceVersion=${rv}`, 'from version');
    const stream = await t.watch(`${core(t, 'secrets')}?watch=true&resourceVersion=${rv}`);
    await stream.take(2);
  },
  'selector-turns-changes-into-adds-and-deletes': async (t) => {
    const labelled = (value: string) => ({ metadata: { labels: { pick: value } } });
    await t.post(core(t, 'configmaps'), configMap('a', {}, { labels: { pick: 'yes' } }), { quiet: true });
    await t.post(core(t, 'configmaps'), configMap('b', {}, { labels: { pick: 'no' } }), { quiet: true });
    const stream = await t.watch(`${core(t, 'configmaps')}?watch=true&labelSelector=pick%3Dyes`);
    await stream.take(1);
    await t.patch(core(t, 'configmaps', 'b'), 'merge', labelled('yes'), { quiet: true });
    await t.patch(core(t, 'configmaps', 'a'), 'merge', labelled('no'), { quiet: true });
    await t.patch(core(t, 'configmaps', 'a'), 'merge', { data: { unseen: '1' } }, { quiet: true });
    await t.delete(core(t, 'configmaps', 'b'), undefined, { quiet: true });
    await stream.take(3);
  },
  'single-object': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('a'), { quiet: true });
    await t.post(core(t, 'configmaps'), configMap('b'), { quiet: true });
    const stream = await t.watch(`${core(t, 'configmaps')}?watch=true&fieldSelector=metadata.name%3Db`);
    await t.patch(core(t, 'configmaps', 'a'), 'merge', { data: { x: '1' } }, { quiet: true });
    await t.patch(core(t, 'configmaps', 'b'), 'merge', { data: { x: '1' } }, { quiet: true });
    await stream.take(2);
    const old = await t.watch(`/api/v1/watch/namespaces/${t.ns}/configmaps/b`);
    await old.take(1);
  },
  'initial-events': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'a'), { quiet: true });
    await t.post(widgets(t), widget(t, 'b'), { quiet: true });
    const query = 'watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
    const stream = await t.watch(`${widgets(t)}?${query}`);
    await stream.takeUntil('the bookmark', (event) => event.type === 'BOOKMARK');
    await t.post(widgets(t), widget(t, 'c'), { quiet: true });
    await stream.take(1);
  },
  'initial-events-of-built-ins': async (t) => {
    await t.post(core(t, 'secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }, { quiet: true });
    const query = 'watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
    const stream = await t.watch(`${core(t, 'secrets')}?${query}&resourceVersion=0`);
    await stream.takeUntil('the bookmark', (event) => event.type === 'BOOKMARK');
    await t.get(`${core(t, 'secrets')}?watch=true&sendInitialEvents=true`);
    await t.get(`${core(t, 'secrets')}?sendInitialEvents=true`);
    await t.get(`${core(t, 'secrets')}?watch=true&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=5`);
    await t.get(`${core(t, 'secrets')}?watch=true&resourceVersionMatch=NotOlderThan&resourceVersion=5`);
  },
  timeout: async (t) => {
    const stream = await t.watch(`${core(t, 'secrets')}?watch=true&timeoutSeconds=1`);
    await stream.takeAll();
    const marked = await t.watch(`${core(t, 'secrets')}?watch=true&timeoutSeconds=3&allowWatchBookmarks=true`);
    await marked.takeUntil('the first bookmark', (event) => event.type === 'BOOKMARK');
  },
  'deleted-shows-the-last-state': async (t) => {
    await t.crd(widgetCrd(t));
    const finalizers = ['example.com/hold'];
    const made = await t.post(widgets(t), widget(t, 'a', { size: 1 }, { finalizers }), { quiet: true });
    await t.delete(widgets(t, 'a'), { quiet: true });
    const live = await t.get(widgets(t, 'a'), { quiet: true });
    const from = made.str('metadata.resourceVersion');
    t.alias(`resourceVersion=${from}`, 'from version');
    const stream = await t.watch(`${widgets(t)}?watch=true&resourceVersion=${from}`);
    const last = { ...(live.body as JsonObject), spec: { size: 2 } };
    const metadata = { ...(live.at('metadata') as JsonObject), finalizers: [], labels: { late: 'yes' } };
    await t.put(widgets(t, 'a'), { ...last, metadata }, { quiet: true });
    await stream.take(2);
  },
  'bad-requests': async (t) => {
    await t.get(`${core(t, 'secrets')}?watch=true&resourceVersion=abc`);
    await t.get(`${core(t, 'secrets')}?watch=perhaps&timeoutSeconds=1`);
    await t.get(`${core(t, 'secrets')}?watch=true&timeoutSeconds=soon`);
    await t.get(`${core(t, 'secrets')}?watch=true&labelSelector=a%3Db%3Dc`);
    await t.get(`${core(t, 'secrets')}?watch=true&fieldSelector=nothing%3Db`);
    await t.get(`${core(t, 'secrets')}?watch=true&continue=abc&timeoutSeconds=1`);
  },
  'too-old': {
    alone: async (t) => {
      await t.crd(widgetCrd(t));
      await t.post(widgets(t), widget(t, 'a'), { quiet: true });
      await t.target.compact();
      const stream = await t.watch(`${widgets(t)}?watch=true&resourceVersion=1`);
      await stream.takeAll();
    },
  },
  'future-version': async (t) => {
    await t.get(`${core(t, 'secrets')}?resourceVersion=99999999&timeoutSeconds=1`, {
      show: (answer) => [
        answer.code,
        answer.str('reason'),
        answer.str('message').replaceAll(/\d+/g, '<n>'),
        answer.at('details') ?? null,
      ],
    });
  },
  'table-events': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'a', { size: 4 }), { quiet: true });
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const stream = await t.watch(`${widgets(t)}?watch=true`, { headers: { accept } });
    await t.patch(widgets(t, 'a'), 'merge', { spec: { size: 5 } }, { quiet: true });
    const events = await stream.takeUntil('two', (_, taken) => taken >= 2);
    t.note('count', events.length);
  },
  'metadata-only': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('a', { x: '1' }, { labels: { mine: 'yes' } }), { quiet: true });
    const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
    const stream = await t.watch(`${core(t, 'configmaps')}?watch=true&labelSelector=mine`, { headers: { accept } });
    await stream.take(1);
    const listAccept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
    await t.get(`${core(t, 'configmaps')}?labelSelector=mine`, { headers: { accept: listAccept } });
    await t.get(core(t, 'configmaps', 'a'), { headers: { accept } });
  },
});
