import type { JsonObject } from '../../../src/schema/index.ts';
import type { ApiAnswer } from '../api-client.ts';
import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { configMap, core, pod, widget, widgetCrd, widgets } from '../fixtures.ts';

const quiet = { quiet: true };
const initial = 'watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
const secret = (name: string, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, ...metadata },
});

function namesOf(answer: ApiAnswer): string[] {
  return ((answer.at('items') ?? []) as { metadata: { name: string } }[]).map((item) => item.metadata.name);
}

/** The version of a list, which is the newest one there is. */
async function newest(t: CaseRun, path: string): Promise<string> {
  const rv = (await t.get(path, quiet)).str('metadata.resourceVersion');
  t.alias(`resourceVersion=${rv}`, 'version');
  return rv;
}

const isBookmark = (event: { type: string }) => event.type === 'BOOKMARK';

/** Watches and pages, in depth. */
export const streams = topic('streams', {
  'from-zero': async (t) => {
    for (const name of ['b', 'a', 'c']) await t.post(core(t, 'secrets'), secret(name), quiet);
    const path = core(t, 'secrets');
    await t.settle(
      'the cache has seen all',
      async () => namesOf(await t.get(`${path}?resourceVersion=0`, quiet)).length === 3,
    );
    const stream = await t.watch(`${path}?watch=true&resourceVersion=0`);
    await stream.take(3);
    await t.delete(core(t, 'secrets', 'a'), undefined, quiet);
    await stream.take(1);
  },
  'from-an-exact-version': async (t) => {
    await t.crd(widgetCrd(t));
    const made = await t.post(widgets(t), widget(t, 'one', { size: 1 }), quiet);
    const changed = await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 2 } }, quiet);
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 3 } }, quiet);
    const after = async (version: string, count: number) => {
      t.alias(`resourceVersion=${version}`, `version`);
      const stream = await t.watch(`${widgets(t)}?watch=true&resourceVersion=${version}`);
      await stream.take(count);
      stream.close();
    };
    await after(made.str('metadata.resourceVersion'), 2);
    await after(changed.str('metadata.resourceVersion'), 1);
  },
  'initial-events-from-a-version': async (t) => {
    await t.crd(widgetCrd(t));
    const made = await t.post(widgets(t), widget(t, 'a'), quiet);
    await t.post(widgets(t), widget(t, 'b'), quiet);
    const rv = made.str('metadata.resourceVersion');
    t.alias(`resourceVersion=${rv}`, 'version');
    const stream = await t.watch(`${widgets(t)}?${initial}&resourceVersion=${rv}`);
    await stream.takeUntil('the bookmark', isBookmark);
    await t.delete(widgets(t, 'a'), undefined, quiet);
    await stream.take(1);
  },
  'initial-events-with-selectors': async (t) => {
    for (const name of ['a', 'b', 'c']) {
      await t.post(core(t, 'configmaps'), configMap(name, {}, { labels: { odd: String(name !== 'b') } }), quiet);
    }
    const stream = await t.watch(`${core(t, 'configmaps')}?${initial}&labelSelector=odd%3Dtrue`);
    await stream.takeUntil('the bookmark', isBookmark);
    const named = await t.watch(`${core(t, 'configmaps')}?${initial}&fieldSelector=metadata.name%3Db`);
    await named.takeUntil('the bookmark', isBookmark);
    const none = await t.watch(`${core(t, 'configmaps')}?${initial}&labelSelector=nothing`);
    await none.takeUntil('the bookmark', isBookmark);
  },
  'initial-events-refused': async (t) => {
    const path = core(t, 'secrets');
    await t.get(`${path}?watch=true&sendInitialEvents=false`);
    await t.get(`${path}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1`, {
      show: (answer) => answer.code,
    });
    await t.get(`${path}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&timeoutSeconds=1`);
    await t.get(`${path}?watch=true&sendInitialEvents=perhaps&timeoutSeconds=1`, { show: (answer) => answer.code });
    await t.get(`${path}?watch=true&resourceVersionMatch=Exact&resourceVersion=1&timeoutSeconds=1`);
    await t.get(`${path}?${initial}&resourceVersion=abc`);
    await t.crd(widgetCrd(t));
    await t.get(`${widgets(t)}?watch=true&sendInitialEvents=true`);
    await t.get(`${widgets(t)}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan`);
  },
  'initial-events-of-metadata': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'a', { size: 1 }), quiet);
    const as = (kind: string) => ({ headers: { accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` } });
    const stream = await t.watch(`${widgets(t)}?${initial}`, as('PartialObjectMetadata'));
    await stream.takeUntil('the bookmark', isBookmark);
    const table = await t.watch(`${widgets(t)}?${initial}`, as('Table'));
    await table.takeUntil('the bookmark', isBookmark);
    await t.post(core(t, 'configmaps'), configMap('a'), quiet);
    const named = '&fieldSelector=metadata.name%3Da';
    const builtIn = await t.watch(`${core(t, 'configmaps')}?${initial}${named}`, as('Table'));
    await builtIn.takeUntil('the bookmark', isBookmark);
  },
  'too-old-and-expired': {
    alone: async (t) => {
      await t.crd(widgetCrd(t));
      const made = await t.post(widgets(t), widget(t, 'a'), quiet);
      await t.target.compact();
      for (const path of [widgets(t)]) {
        const stream = await t.watch(`${path}?watch=true&resourceVersion=2&timeoutSeconds=5`);
        await stream.takeAll();
        const marked = await t.watch(`${path}?watch=true&resourceVersion=2&allowWatchBookmarks=true&timeoutSeconds=5`);
        await marked.takeAll();
        await t.get(`${path}?resourceVersion=2&resourceVersionMatch=Exact`);
        await t.get(`${path}?resourceVersion=2&resourceVersionMatch=NotOlderThan`, {
          show: (answer) => namesOf(answer),
        });
        await t.get(`${path}?resourceVersion=2&limit=1`, {
          show: (answer) => (answer.code === 200 ? namesOf(answer) : answer.body),
        });
      }
      await t.get(`${widgets(t, 'a')}?resourceVersion=2`, { show: (answer) => answer.code });
      const fresh = await t.watch(`${widgets(t)}?watch=true&resourceVersion=${await newest(t, widgets(t))}`);
      await t.delete(widgets(t, 'a'), undefined, quiet);
      await fresh.take(1);
      t.note('made', made.code);
    },
  },
  'single-objects': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'a'), quiet);
    const named = await t.watch(`${widgets(t)}?watch=true&fieldSelector=metadata.name%3Da`);
    await named.take(1);
    const direct = await t.watch(`${widgets(t, 'a')}?watch=true`);
    await direct.take(1);
    const old = await t.watch(`/apis/${t.group}/v1/watch/namespaces/${t.ns}/widgets/a`);
    await old.take(1);
    const absent = await t.watch(`${widgets(t, 'absent')}?watch=true&timeoutSeconds=10`);
    await t.post(widgets(t), widget(t, 'absent'), quiet);
    await absent.takeAll();
    const mixed = await t.watch(`${widgets(t, 'a')}?watch=true&fieldSelector=metadata.name%3Db&timeoutSeconds=1`);
    await mixed.takeAll();
  },
  'across-namespaces': async (t) => {
    await t.crd(widgetCrd(t));
    const other = `${t.slug}-x`;
    await t.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } }, quiet);
    const all = `/apis/${t.group}/v1/widgets`;
    const stream = await t.watch(`${all}?watch=true&resourceVersion=${await newest(t, all)}`);
    await t.post(widgets(t), widget(t, 'a'), quiet);
    await t.post(`/apis/${t.group}/v1/namespaces/${other}/widgets`, widget(t, 'b'), quiet);
    await stream.take(2);
    const one = await t.watch(`${all}?watch=true&fieldSelector=metadata.namespace%3D${other}`);
    await one.take(1);
  },
  'only-real-changes': async (t) => {
    await t.crd(widgetCrd(t));
    const made = await t.post(widgets(t), widget(t, 'a', { size: 1 }), quiet);
    const stream = await t.watch(`${widgets(t)}?watch=true&resourceVersion=${await newest(t, widgets(t))}`);
    await t.put(widgets(t, 'a'), made.object, quiet);
    await t.patch(widgets(t, 'a'), 'merge', { spec: { size: 1 } }, quiet);
    await t.patch(`${widgets(t, 'a')}?dryRun=All`, 'merge', { spec: { size: 9 } }, quiet);
    await t.patch(widgets(t, 'a'), 'merge', { spec: { size: 101 } }, quiet);
    await t.patch(widgets(t, 'a'), 'merge', { spec: { size: 2 } }, quiet);
    await stream.take(1);
  },
  'selectors-on-fields-that-change': async (t) => {
    const path = core(t, 'pods');
    await t.post(path, pod('a'), quiet);
    const stream = await t.watch(`${path}?watch=true&fieldSelector=status.phase%3DPending`);
    await stream.take(1);
    await t.patch(`${path}/a/status`, 'merge', { status: { phase: 'Running' } }, quiet);
    await t.patch(`${path}/a/status`, 'merge', { status: { phase: 'Pending' } }, quiet);
    await t.delete(`${path}/a?gracePeriodSeconds=0`, undefined, quiet);
    const events = await stream.takeUntil('three', (_, taken) => taken >= 3);
    t.note(
      'types',
      events.map((event) => (event as JsonObject).type ?? ''),
    );
  },
  'deleted-collections': async (t) => {
    await t.crd(widgetCrd(t));
    for (const name of ['a', 'b', 'c']) await t.post(widgets(t), widget(t, name), quiet);
    const stream = await t.watch(`${widgets(t)}?watch=true&resourceVersion=${await newest(t, widgets(t))}`);
    await t.delete(widgets(t), undefined, quiet);
    const events = (await stream.takeUntil('three', (_, taken) => taken >= 3)) as JsonObject[];
    const versions = events.map((event) =>
      Number(((event.object as JsonObject).metadata as JsonObject).resourceVersion),
    );
    t.note('every event has a version of its own', new Set(versions).size);
  },
  'continue-across-writes': async (t) => {
    await t.crd(widgetCrd(t));
    for (const name of ['b', 'd', 'f', 'h']) await t.post(widgets(t), widget(t, name, { size: 1 }), quiet);
    const first = await t.get(`${widgets(t)}?limit=2`, {
      show: (answer) => [namesOf(answer), answer.at('metadata.remainingItemCount') ?? null],
    });
    const token = first.str('metadata.continue');
    await t.post(widgets(t), widget(t, 'e'), quiet);
    await t.delete(widgets(t, 'f'), undefined, quiet);
    await t.patch(widgets(t, 'h'), 'merge', { spec: { size: 9 } }, quiet);
    const second = await t.get(`${widgets(t)}?limit=2&continue=${token}`, quiet);
    t.note('the second page', [
      namesOf(second),
      ((second.at('items') ?? []) as JsonObject[]).map(({ spec = null }) => spec),
      second.str('metadata.continue'),
      second.str('metadata.resourceVersion') === first.str('metadata.resourceVersion'),
    ]);
    const again = await t.get(`${widgets(t)}?limit=1&continue=${token}`, quiet);
    t.note('the token works twice', namesOf(again));
    const whole = await t.get(`${widgets(t)}?continue=${token}`, quiet);
    t.note('without a limit', namesOf(whole));
  },
  'continue-with-other-parameters': async (t) => {
    for (const name of ['a', 'b', 'c']) await t.post(core(t, 'secrets'), secret(name, { labels: { name } }), quiet);
    const path = core(t, 'secrets');
    const first = await t.get(`${path}?limit=1`, quiet);
    const token = first.str('metadata.continue');
    t.alias(token, 'token');
    const show = (answer: ApiAnswer) => (answer.code === 200 ? namesOf(answer) : answer.body);
    await t.get(`${path}?limit=1&continue=${token}&resourceVersion=5`, { show });
    await t.get(`${path}?limit=1&continue=${token}&resourceVersion=0`, { show });
    await t.get(`${path}?limit=1&continue=${token}&resourceVersionMatch=Exact`, { show });
    await t.get(`${path}?limit=5&continue=${token}&labelSelector=name%3Dc`, { show });
    await t.get(`${core(t, 'configmaps')}?limit=1&continue=${token}`, { show });
    await t.get(`/api/v1/secrets?limit=1&continue=${token}`, { show: (answer) => answer.code });
    const cut = await t.get(`${path}?continue=${token.slice(0, -4)}`, quiet);
    t.note('a token cut short', [cut.code, cut.str('reason')]);
    await t.get(`${path}?continue=!!`, { show });
    const forged = (content: JsonObject) => Buffer.from(JSON.stringify(content)).toString('base64url');
    await t.get(`${path}?continue=${forged({ v: 'meta.k8s.io/v9', rv: 5, start: 'x' })}`, { show });
    await t.get(`${path}?continue=${forged({ v: 'meta.k8s.io/v1', rv: 5 })}`, { show });
    await t.get(`${path}?continue=${forged({ v: 'meta.k8s.io/v1', rv: 0, start: 'a\u0000' })}`, { show });
    await t.get(`${path}?continue=${forged({ v: 'meta.k8s.io/v1', rv: 5, start: '../../etc' })}`, { show });
  },
  'pages-and-selectors': async (t) => {
    await t.crd(widgetCrd(t));
    for (let i = 0; i < 9; i++)
      await t.post(widgets(t), widget(t, `w${i}`, {}, { labels: { third: String(i % 3) } }), quiet);
    let token = '';
    const pages: string[][] = [];
    do {
      const page = await t.get(`${widgets(t)}?limit=2&labelSelector=third%3D0&continue=${token}`, quiet);
      pages.push([...namesOf(page), String(page.at('metadata.remainingItemCount') ?? 'no count')]);
      token = page.str('metadata.continue');
    } while (token !== '' && pages.length < 9);
    t.note('pages', pages);
    await t.get(`${widgets(t)}?limit=9`, {
      show: (answer) => [namesOf(answer).length, Object.keys((answer.at('metadata') ?? {}) as JsonObject)],
    });
    await t.get(`${widgets(t)}?limit=8`, {
      show: (answer) => [namesOf(answer).length, answer.at('metadata.remainingItemCount') ?? null],
    });
    await t.get(`${widgets(t)}?limit=500`, { show: (answer) => namesOf(answer).length });
  },
  'yaml-and-odd-media': async (t) => {
    await t.post(core(t, 'secrets'), secret('a'), quiet);
    const show = (answer: ApiAnswer) => answer.at('message') ?? answer.code;
    await t.get(`${core(t, 'secrets')}?watch=true&timeoutSeconds=1`, {
      headers: { accept: 'application/yaml' },
    });
    await t.get(`${core(t, 'secrets')}?watch=true&timeoutSeconds=1`, { headers: { accept: 'text/html' }, show });
    await t.get(`${core(t, 'secrets')}?watch=true&timeoutSeconds=1`, {
      headers: { accept: 'application/json;as=Chair;v=v1;g=meta.k8s.io' },
      show,
    });
    const stream = await t.watch(`${core(t, 'secrets')}?watch=true&timeoutSeconds=1`, {
      headers: { accept: 'application/json;stream=watch' },
    });
    await stream.takeAll();
  },
});
