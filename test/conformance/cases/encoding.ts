import { gzipSync } from 'node:zlib';
import { envelope, field, named } from '../../../src/apiserver/protobuf/wire-writer.ts';
import type { Json, JsonObject } from '../../../src/schema/index.ts';
import type { ApiAnswer } from '../api-client.ts';
import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { configMap, core, widget, widgetCrd, widgets } from '../fixtures.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';
const kilobytes = (count: number) => 'x'.repeat(count * 1024);

/** How an answer is packed, and whether what is inside is whole. */
function packing(answer: ApiAnswer): Json {
  const { headers } = answer;
  const encoding = headers['content-encoding'] ?? null;
  return {
    code: answer.code,
    encoding,
    vary: headers.vary ?? null,
    kind: answer.at('kind') ?? answer.text.slice(0, 40),
  };
}

const gzip = { headers: { 'accept-encoding': 'gzip' }, show: packing };

async function large(t: CaseRun, name: string, size: number): Promise<void> {
  await t.post(core(t, 'configmaps'), configMap(name, { blob: kilobytes(size) }, { labels: { mine: 'yes' } }), {
    quiet: true,
  });
}

const protobufMap = (name: string) => envelope('v1', 'ConfigMap', named(name), field(2, field(1, 'k'), field(2, 'v')));
const asProtobuf = { headers: { 'content-type': protobuf } };

/** Chunks, compression and media types. */
export const encoding = topic('encoding', {
  'gzip-from-128-kilobytes': async (t) => {
    await large(t, 'small', 60);
    await large(t, 'big', 200);
    await t.get(core(t, 'configmaps', 'small'), gzip);
    await t.get(core(t, 'configmaps', 'big'), gzip);
    await t.get(core(t, 'configmaps', 'big'), { show: packing });
    await t.get(`${core(t, 'configmaps')}?labelSelector=mine`, gzip);
    await t.get(`${core(t, 'configmaps')}?labelSelector=mine&limit=1`, gzip);
    await t.get(`${core(t, 'configmaps')}?labelSelector=none`, gzip);
    await t.patch(core(t, 'configmaps', 'big'), 'merge', { data: { a: '1' } }, gzip);
    await t.get('/api/v1/namespaces/none-such', gzip);
    await t.get(core(t, 'configmaps', 'absent'), gzip);
  },
  'gzip-of-custom-resources': async (t) => {
    await t.crd(widgetCrd(t));
    const spec = { template: { blob: kilobytes(150) } };
    await t.post(widgets(t), widget(t, 'one', spec), gzip);
    await t.get(widgets(t, 'one'), gzip);
    await t.get(widgets(t), gzip);
    await t.get(widgets(t), {
      headers: { 'accept-encoding': 'gzip', accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
      show: packing,
    });
    await t.get(`${widgets(t)}?includeObject=Object`, {
      headers: { 'accept-encoding': 'gzip', accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
      show: packing,
    });
    await t.get(widgets(t, 'one'), {
      headers: { 'accept-encoding': 'gzip', accept: 'application/yaml' },
      show: packing,
    });
    await t.get(`${widgets(t, 'one')}?pretty=true`, gzip);
    await t.delete(widgets(t, 'one'), undefined, gzip);
  },
  'accepted-encodings': async (t) => {
    await large(t, 'big', 200);
    const path = core(t, 'configmaps', 'big');
    for (const accepted of [
      'gzip',
      'deflate, gzip',
      'gzip, deflate, br',
      'br',
      'deflate',
      'identity',
      '*',
      'gzip;q=0',
      'gzip;q=0.5',
      'GZIP',
      'x-gzip',
      '',
    ]) {
      await t.get(path, { headers: { 'accept-encoding': accepted }, show: packing });
    }
  },
  'gzip-of-other-documents': async (t) => {
    const brief = (answer: ApiAnswer) => ({
      code: answer.code,
      encoding: answer.headers['content-encoding'] ?? null,
      vary: answer.headers.vary ?? null,
    });
    for (const path of [
      '/openapi/v2',
      '/openapi/v3',
      '/openapi/v3/api/v1',
      '/api',
      '/apis',
      '/api/v1',
      '/version',
      '/healthz',
      '/metrics',
      '/nothing',
    ]) {
      await t.get(path, { headers: { 'accept-encoding': 'gzip' }, show: brief });
      await t.get(path, { show: brief });
    }
  },
  'gzip-of-watches': async (t) => {
    await large(t, 'big', 200);
    const stream = await t.watch(`${core(t, 'configmaps')}?watch=true&labelSelector=mine`, {
      headers: { 'accept-encoding': 'gzip' },
    });
    await stream.takeUntil('the first', () => true);
  },
  'gzip-of-requests': async (t) => {
    const body = gzipSync(JSON.stringify(configMap('packed')));
    const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' };
    await t.post(core(t, 'configmaps'), body, { headers, show: (answer) => [answer.code, answer.str('reason')] });
    await t.post(core(t, 'configmaps'), JSON.stringify(configMap('plain')), {
      headers,
      show: (answer) => [answer.code, answer.str('reason')],
    });
  },
  'chunks-of-large-lists': async (t) => {
    await t.crd(widgetCrd(t));
    for (let i = 0; i < 25; i++)
      await t.post(widgets(t), widget(t, `w${String(i).padStart(2, '0')}`, { template: { blob: kilobytes(20) } }), {
        quiet: true,
      });
    let token = '';
    const pages: Json[] = [];
    do {
      const page = await t.get(`${widgets(t)}?limit=10&continue=${token}`, {
        headers: { 'accept-encoding': 'gzip' },
        quiet: true,
      });
      const items = (page.at('items') ?? []) as JsonObject[];
      pages.push([
        items.length,
        page.at('metadata.remainingItemCount') ?? null,
        page.headers['content-encoding'] ?? null,
        page.str('metadata.resourceVersion') !== '',
      ]);
      token = page.str('metadata.continue');
    } while (token !== '' && pages.length < 9);
    t.note('pages', pages);
    const whole = await t.get(widgets(t), { quiet: true });
    t.note('in one piece', ((whole.at('items') ?? []) as unknown[]).length);
    const parts = await t.get(`${widgets(t)}?limit=10`, {
      headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
      quiet: true,
    });
    t.note('metadata by pages', [
      ((parts.at('items') ?? []) as unknown[]).length,
      parts.at('metadata.remainingItemCount') ?? null,
    ]);
  },
  'protobuf-bodies': async (t) => {
    const path = core(t, 'configmaps');
    await t.post(path, protobufMap('one'), asProtobuf);
    await t.put(core(t, 'configmaps', 'one'), protobufMap('one'), asProtobuf);
    await t.post(path, protobufMap('one').subarray(4), {
      ...asProtobuf,
      show: (answer) => [answer.code, answer.str('reason')],
    });
    await t.post(path, Buffer.from('k8s\0'), { ...asProtobuf, show: (answer) => [answer.code, answer.str('reason')] });
    await t.post(path, Buffer.alloc(0), { ...asProtobuf, show: (answer) => [answer.code, answer.str('reason')] });
    await t.post(path, JSON.stringify(configMap('two')), {
      ...asProtobuf,
      show: (answer) => [answer.code, answer.str('reason')],
    });
    await t.post(path, protobufMap('two'), {
      headers: { 'content-type': 'application/json' },
      show: (answer) => [answer.code, answer.str('reason')],
    });
    await t.post(`${path}?fieldValidation=Strict`, protobufMap('three'), {
      ...asProtobuf,
      show: (answer) => answer.code,
    });
    await t.delete(core(t, 'configmaps', 'one'), envelope('v1', 'DeleteOptions', field(5, 'All')), asProtobuf);
  },
  'protobuf-negotiated': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one'), { quiet: true });
    const type = (answer: ApiAnswer) => [
      answer.code,
      answer.headers['content-type'] ?? '',
      answer.at('message') ?? null,
    ];
    const get = (accept: string, path = core(t, 'configmaps', 'one')) =>
      t.get(path, { headers: { accept }, show: type });
    await get(`application/json,${protobuf}`);
    await get(`${protobuf};q=0.5,application/json`);
    await get(`${protobuf};as=Chair;v=v1;g=meta.k8s.io,application/json`);
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one'), { quiet: true });
    await get(`${protobuf},application/json`, widgets(t, 'one'));
    await get(`${protobuf},application/json`, `${widgets(t)}?limit=1`);
  },
  'protobuf-answers': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one'), { quiet: true });
    const show = (answer: ApiAnswer) => [answer.code, answer.headers['content-type'] ?? ''];
    await t.get(core(t, 'configmaps', 'one'), { headers: { accept: protobuf }, show });
    await t.get('/version', { headers: { accept: protobuf }, show });
    await t.crd(widgetCrd(t));
    await t.get(widgets(t), { headers: { accept: protobuf }, show });
    await t.get(core(t, 'configmaps', 'one'), { headers: { accept: `${protobuf},application/json` }, show });
  },
  'cbor-is-not-on': async (t) => {
    await t.crd(widgetCrd(t));
    const show = (answer: ApiAnswer) => [answer.code, answer.at('message') ?? null];
    for (const path of [core(t, 'configmaps'), widgets(t)]) {
      await t.get(path, { headers: { accept: 'application/cbor' }, show });
      await t.get(`${path}?limit=1`, {
        headers: { accept: 'application/cbor,application/json' },
        show: (answer) => answer.code,
      });
      await t.post(path, Buffer.from([0xd9, 0xd9, 0xf7, 0xa0]), {
        headers: { 'content-type': 'application/cbor' },
        show,
      });
      await t.patch(`${path}/one?fieldManager=a`, 'apply', Buffer.from([0xa0]), {
        headers: { 'content-type': 'application/apply-patch+cbor' },
        show,
      });
    }
  },
  'accept-headers': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one'), { quiet: true });
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one'), { quiet: true });
    const show = (answer: ApiAnswer) => [
      answer.code,
      answer.headers['content-type'] ?? '',
      answer.code === 406 ? (answer.at('message') ?? null) : null,
    ];
    for (const accept of [
      '',
      ' ',
      'application/*',
      'application/json;q=0',
      'application/json;charset=utf-8',
      'application/json;as=Table',
      'application/json;as=Table;g=meta.k8s.io',
      'application/json;as=Table;v=v1',
      'application/json;as=Table;v=v1;g=other',
      'application/json;as=;v=v1;g=meta.k8s.io',
      'text/*,application/yaml;q=0.3',
      'application/yaml,application/json',
      'application/json;q=0.1,application/yaml;q=0.2',
      'APPLICATION/JSON',
      'json',
      ';',
      'application/json;pretty=1',
      'image/png, */*;q=0.1',
    ]) {
      await t.get(core(t, 'configmaps', 'one'), { headers: { accept }, show });
      await t.get(widgets(t, 'one'), { headers: { accept }, show });
    }
  },
  'content-types-of-patches': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one'), { quiet: true });
    await t.post(core(t, 'configmaps'), configMap('one'), { quiet: true });
    for (const type of [
      'application/json',
      'application/yaml',
      '',
      'text/plain',
      'application/merge-patch+json; charset=utf-8',
      'application/merge-patch+json;foo',
      'application/apply-patch+json',
      protobuf,
    ]) {
      for (const path of [widgets(t, 'one'), core(t, 'configmaps', 'one')]) {
        await t.request('PATCH', path, '{}', {
          headers: { 'content-type': type },
          show: (answer) => (answer.code < 300 ? answer.code : answer.body),
        });
      }
    }
  },
  'head-requests': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one'), { quiet: true });
    for (const path of [
      core(t, 'configmaps', 'one'),
      core(t, 'configmaps', 'none'),
      core(t, 'configmaps'),
      '/version',
      '/healthz',
      '/api/v1',
      '/nothing',
    ]) {
      await t.request('HEAD', path, undefined);
    }
  },
});
