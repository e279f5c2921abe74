import type { JsonObject } from '../../../src/schema/index.ts';
import type { ApiAnswer } from '../api-client.ts';
import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { grouped, widget, widgetCrd, widgetCrdWith, widgets, widgetVersion } from '../fixtures.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

const fields: JsonObject = {
  type: 'object',
  properties: { size: { type: 'integer' }, width: { type: 'integer' }, label: { type: 'string' } },
};

/** What a conversion webhook answers; `change` sees one object and the version that is wanted. */
function convert(asked: JsonObject, change: (object: JsonObject, wanted: string) => JsonObject): JsonObject {
  const request = asked.request as JsonObject;
  const wanted = String(request.desiredAPIVersion);
  const objects = (request.objects as JsonObject[]).map((each) => ({ ...change(each, wanted), apiVersion: wanted }));
  const response = { uid: request.uid ?? '', result: { status: 'Success' }, convertedObjects: objects };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response };
}

/** v1 says size, v2 says width. */
function rename(object: JsonObject, wanted: string): JsonObject {
  const { size, width, ...rest } = (object.spec ?? {}) as JsonObject;
  const value = size ?? width;
  if (value === undefined) return object;
  return { ...object, spec: wanted.endsWith('/v2') ? { ...rest, width: value } : { ...rest, size: value } };
}

function both(changes: { first?: JsonObject; second?: JsonObject } = {}): JsonObject[] {
  return [
    widgetVersion('v1', { storage: true, ...changes.first }, fields),
    widgetVersion('v2', { storage: false, ...changes.second }, fields),
  ];
}

function byWebhook(hook: { url: string; caBundle: string }): JsonObject {
  const clientConfig = { url: `${hook.url}/convert`, caBundle: hook.caBundle };
  return { conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } };
}

const second = (t: CaseRun, name?: string) => grouped(t, `${t.group}/v2`, 'widgets', name);
const ofSecond = (t: CaseRun, name: string, spec: JsonObject = {}) => ({
  ...widget(t, name, spec),
  apiVersion: `${t.group}/v2`,
});
const crdPath = (t: CaseRun) => `${crds}/widgets.${t.group}`;

function causes(answer: ApiAnswer): JsonObject[] {
  return ((answer.at('details.causes') ?? []) as JsonObject[]).map(({ field = '', message = '' }) => ({
    field,
    message,
  }));
}

/** Changes the definition without recording it. */
function redefine(t: CaseRun, spec: JsonObject) {
  return t.patch(crdPath(t), 'merge', { spec }, { quiet: true });
}

/** Kinds with several versions, and definitions that change under living objects. */
export const versions = topic('versions', {
  'lists-through-a-webhook': async (t) => {
    const hook = await t.webhook((asked) => convert(asked, rename));
    await t.crd(widgetCrd(t, both(), byWebhook(hook)));
    for (const name of ['a', 'b', 'c']) await t.post(widgets(t), widget(t, name, { size: 3 }), { quiet: true });
    await t.get(second(t));
    const page = await t.get(`${second(t)}?limit=2`, { quiet: true });
    const rest = await t.get(`${second(t)}?limit=2&continue=${page.str('metadata.continue')}`, { quiet: true });
    t.note(
      'pages',
      [page, rest].map((answer) => ((answer.at('items') ?? []) as JsonObject[]).map(({ spec = null }) => spec)),
    );
    await t.get(second(t), { headers: table });
    await t.get(`${second(t)}?labelSelector=none`);
  },
  'every-write-through-a-webhook': async (t) => {
    const hook = await t.webhook((asked) => convert(asked, rename));
    await t.crd(widgetCrd(t, both(), byWebhook(hook)));
    await t.post(second(t), ofSecond(t, 'one', { width: 5 }));
    await t.patch(second(t, 'one'), 'json', [{ op: 'replace', path: '/spec/width', value: 6 }]);
    await t.patch(second(t, 'one'), 'json', [{ op: 'replace', path: '/spec/size', value: 6 }]);
    await t.put(`${second(t, 'one')}/status`, { ...ofSecond(t, 'one', { width: 99 }), status: { phase: 'x' } });
    await t.patch(`${second(t, 'one')}?fieldManager=a&force=true`, 'apply', ofSecond(t, 'one', { width: 7 }));
    await t.get(widgets(t, 'one'));
    await t.post(`${second(t)}?dryRun=All`, ofSecond(t, 'dry', { width: 5 }));
    await t.delete(`${second(t)}?labelSelector=none`);
    await t.delete(second(t));
  },
  'a-webhook-may-change-labels-only': async (t) => {
    const hook = await t.webhook((asked) =>
      convert(asked, (object, wanted) => {
        const metadata = object.metadata as JsonObject;
        const { name } = metadata;
        const changed: JsonObject =
          name === 'labels'
            ? { labels: { by: 'webhook' }, annotations: { in: wanted } }
            : name === 'uid'
              ? { uid: '11111111-2222-3333-4444-555555555555' }
              : name === 'finalizers'
                ? { finalizers: ['example.com/x'] }
                : name === 'bad-label'
                  ? { labels: { 'bad key!': 'x' } }
                  : {};
        return { ...object, metadata: { ...metadata, ...changed } };
      }),
    );
    await t.crd(widgetCrd(t, both(), byWebhook(hook)));
    for (const name of ['labels', 'uid', 'finalizers', 'bad-label']) {
      await t.post(widgets(t), widget(t, name, { size: 1 }), { quiet: true });
      await t.get(second(t, name));
    }
  },
  'webhooks-that-answer-wrongly': async (t) => {
    const replies: Record<string, (good: JsonObject) => JsonObject> = {
      'wrong-uid': (good) => ({ ...good, response: { ...(good.response as JsonObject), uid: 'x' } }),
      'wrong-version': (good) => ({ ...good, apiVersion: 'apiextensions.k8s.io/v9' }),
      'wrong-kind': (good) => ({ ...good, kind: 'Pod' }),
      'no-response': ({ apiVersion = '', kind = '' }) => ({ apiVersion, kind }),
      'no-result': (good) => ({ ...good, response: { uid: (good.response as JsonObject).uid ?? '' } }),
      'old-objects': (good) => ({
        ...good,
        response: {
          ...(good.response as JsonObject),
          convertedObjects: ((good.response as JsonObject).convertedObjects as JsonObject[]).map((each) => ({
            ...each,
            apiVersion: `${t.group}/v1`,
          })),
        },
      }),
      'other-kind': (good) => ({
        ...good,
        response: {
          ...(good.response as JsonObject),
          convertedObjects: ((good.response as JsonObject).convertedObjects as JsonObject[]).map((each) => ({
            ...each,
            kind: 'Gadget',
          })),
        },
      }),
    };
    let mode = '';
    const hook = await t.webhook((asked) => (replies[mode] ?? ((good) => good))(convert(asked, rename)));
    await t.crd(widgetCrd(t, both(), byWebhook(hook)));
    await t.post(widgets(t), widget(t, 'one', { size: 3 }), { quiet: true });
    // Lists may come from the real server's memory, where the object may have been converted before.
    for (mode of Object.keys(replies)) await t.get(second(t, 'one'));
    mode = '';
    await t.get(second(t, 'one'), { show: (answer) => answer.code });
  },
  'scale-and-tables-through-a-webhook': async (t) => {
    const schema = { ...fields, properties: { ...(fields.properties as JsonObject), replicas: { type: 'integer' } } };
    const hook = await t.webhook((asked) => convert(asked, rename));
    const columns = [{ name: 'Width', type: 'integer', jsonPath: '.spec.width' }];
    const list = [
      widgetVersion('v1', {}, schema),
      widgetVersion('v2', { storage: false, additionalPrinterColumns: columns }, schema),
    ];
    await t.crd(widgetCrd(t, list, byWebhook(hook)));
    await t.post(widgets(t), widget(t, 'one', { size: 3, replicas: 1 }), { quiet: true });
    await t.get(`${second(t, 'one')}/scale`);
    await t.patch(
      `${second(t, 'one')}/scale`,
      'merge',
      { spec: { replicas: 4 } },
      { show: (answer) => answer.at('spec') },
    );
    await t.get(`${second(t)}?includeObject=None`, { headers: table });
    await t.get(`${widgets(t)}?includeObject=None`, { headers: table });
  },
  'order-of-versions': async (t) => {
    const names = ['v1', 'v2beta1', 'v10', 'v2', 'v3alpha2', 'v3alpha10', 'foo', 'v11beta2', 'v1beta1'];
    const list = names.map((name) => widgetVersion(name, { storage: name === 'v2' }, fields));
    await t.crd(widgetCrd(t, list));
    await t.until(`/apis/${t.group}`, (answer) => answer.text.includes('v3alpha10'));
    await t.get(`/apis/${t.group}/v10`);
    await t.get(crdPath(t), {
      show: (answer) => [
        answer.at('status.storedVersions') ?? null,
        ((answer.at('spec.versions') ?? []) as JsonObject[]).map(({ name = '' }) => name),
      ],
    });
  },
  'stored-versions-are-kept': async (t) => {
    await t.crd(widgetCrd(t, both()));
    await t.post(widgets(t), widget(t, 'one', { size: 3 }), { quiet: true });
    const switched = both({ first: { storage: false }, second: { storage: true } });
    await t.patch(
      crdPath(t),
      'merge',
      { spec: { versions: switched } },
      { show: (answer) => answer.at('status.storedVersions') },
    );
    await t.patch(crdPath(t), 'merge', { spec: { versions: [widgetVersion('v2', {}, fields)] } }, { show: causes });
    await t.patch(
      `${crdPath(t)}/status`,
      'merge',
      { status: { storedVersions: ['v2'] } },
      { show: (answer) => answer.at('status.storedVersions') },
    );
    await t.patch(`${crdPath(t)}/status`, 'merge', { status: { storedVersions: [] } }, { show: causes });
    await t.patch(`${crdPath(t)}/status`, 'merge', { status: { storedVersions: ['v1', 'v9'] } }, { show: causes });
    await t.patch(crdPath(t), 'merge', { metadata: { labels: { a: 'b' } } }, { show: causes });
    await t.patch(`${crdPath(t)}/status`, 'merge', { status: { storedVersions: ['v2'] } }, { quiet: true });
    await t.patch(
      crdPath(t),
      'merge',
      { spec: { versions: [widgetVersion('v2', {}, fields)] } },
      { show: (answer) => answer.at('status.storedVersions') },
    );
    await t.until(widgets(t, 'one'), (answer) => answer.code === 404);
    await t.get(second(t, 'one'));
  },
  'switching-to-a-webhook': async (t) => {
    const hook = await t.webhook((asked) => convert(asked, rename));
    await t.crd(widgetCrd(t, both()));
    await t.post(widgets(t), widget(t, 'one', { size: 3 }), { quiet: true });
    await t.get(second(t, 'one'), { show: (answer) => answer.at('spec') });
    await redefine(t, byWebhook(hook));
    await t.until(second(t, 'one'), (answer) => answer.at('spec.width') === 3);
    await redefine(t, { conversion: { strategy: 'None', webhook: null } });
    await t.until(second(t, 'one'), (answer) => answer.at('spec.size') === 3);
  },
  'bad-conversions': async (t) => {
    const hook = { url: 'https://127.0.0.1:1', caBundle: Buffer.from('x').toString('base64') };
    const post = (conversion: JsonObject) =>
      t.post(`${crds}?dryRun=All`, widgetCrd(t, both(), { conversion }), { show: causes });
    const webhook = (changes: JsonObject) => ({
      strategy: 'Webhook',
      webhook: { clientConfig: { url: `${hook.url}/c` }, conversionReviewVersions: ['v1'], ...changes },
    });
    await post(webhook({ conversionReviewVersions: [] }));
    await post(webhook({ conversionReviewVersions: ['v9'] }));
    await post(webhook({ conversionReviewVersions: ['v1', 'not a version!'] }));
    await post(webhook({ clientConfig: {} }));
    await post(webhook({ clientConfig: { url: 'http://example.com' } }));
    await post(webhook({ clientConfig: { url: 'https://user:pass@example.com/x?y=1#z' } }));
    await post(webhook({ clientConfig: { service: { name: 'x' } } }));
    await post(webhook({ clientConfig: { service: { name: 'x', namespace: 'y', port: 99999, path: 'no' } } }));
    await post(webhook({ clientConfig: { url: `${hook.url}/c`, caBundle: hook.caBundle } }));
    await post({ strategy: 'None', webhook: { conversionReviewVersions: ['v1'] } });
  },
  'field-removed-under-objects': async (t) => {
    await t.crd(widgetCrd(t, [widgetVersion('v1', {}, fields)]));
    await t.post(widgets(t), widget(t, 'one', { size: 3, label: 'x', width: 4 }), { quiet: true });
    const without = { type: 'object', properties: { size: { type: 'integer' } } };
    await redefine(t, { versions: [widgetVersion('v1', {}, without)] });
    await t.until(widgets(t, 'one'), (answer) => answer.at('spec.label') === undefined);
    await t.patch(widgets(t, 'one'), 'merge', { metadata: { labels: { a: 'b' } } });
    await redefine(t, { versions: [widgetVersion('v1', {}, fields)] });
    await t.settle(
      'labels are back',
      async () =>
        (await t.patch(`${widgets(t, 'one')}?dryRun=All`, 'merge', { spec: { label: 'y' } }, { quiet: true })).at(
          'spec.label',
        ) === 'y',
    );
    await t.get(widgets(t, 'one'));
  },
  'required-field-added-under-objects': async (t) => {
    await t.crd(widgetCrd(t, [widgetVersion('v1', {}, fields)]));
    await t.post(widgets(t), widget(t, 'one', { size: 3 }), { quiet: true });
    await redefine(t, { versions: [widgetVersion('v1', {}, { ...fields, required: ['label'] })] });
    await t.settle(
      'the new schema is in force',
      async () => (await t.post(`${widgets(t)}?dryRun=All`, widget(t, 'p', { size: 1 }), { quiet: true })).code === 422,
    );
    await t.get(widgets(t, 'one'), { show: (answer) => answer.at('spec') });
    await t.patch(widgets(t, 'one'), 'merge', { metadata: { labels: { a: 'b' } } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 4 } });
    await t.patch(`${widgets(t, 'one')}/status`, 'merge', { status: { phase: 'x' } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { label: 'there' } });
    await t.delete(widgets(t, 'one'));
  },
  'type-changed-under-objects': async (t) => {
    await t.crd(widgetCrd(t, [widgetVersion('v1', {}, fields)]));
    await t.post(widgets(t), widget(t, 'one', { size: 3, label: 'x' }), { quiet: true });
    const changed = { type: 'object', properties: { size: { type: 'string' }, label: { type: 'string' } } };
    await redefine(t, { versions: [widgetVersion('v1', {}, changed)] });
    await t.settle(
      'the new schema is in force',
      async () =>
        (await t.post(`${widgets(t)}?dryRun=All`, widget(t, 'p', { size: 'x' }), { quiet: true })).code === 201,
    );
    await t.get(widgets(t, 'one'), { show: (answer) => answer.at('spec') });
    await t.patch(widgets(t, 'one'), 'merge', { metadata: { labels: { a: 'b' } } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { label: 'y' } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 4 } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 'four' } });
  },
  'subresources-switched-on-and-off': async (t) => {
    const version = (subresources: JsonObject) => [widgetVersion('v1', { subresources }, fields)];
    await t.crd(widgetCrd(t, version({})));
    await t.post(widgets(t), { ...widget(t, 'one', { size: 1 }), status: { phase: 'early' } }, { quiet: true });
    await redefine(t, { versions: version({ status: {} }) });
    await t.until(`${widgets(t, 'one')}/status`, (answer) => answer.code === 200);
    await t.patch(widgets(t, 'one'), 'merge', { status: { phase: 'ignored' }, spec: { size: 2 } });
    await redefine(t, { versions: [widgetVersion('v1', { subresources: null }, fields)] });
    await t.until(`${widgets(t, 'one')}/status`, (answer) => answer.code === 404);
    await t.patch(widgets(t, 'one'), 'merge', { status: { phase: 'taken' } });
  },
  'columns-and-names-changed': async (t) => {
    await t.crd(widgetCrd(t, [widgetVersion('v1', {}, fields)]));
    await t.post(widgets(t), widget(t, 'one', { size: 1 }), { quiet: true });
    const columns = [
      {
        name: 'How-Wide',
        type: 'integer',
        jsonPath: '.spec.width',
        priority: 2,
        format: 'int64',
        description: 'How large it is.',
      },
    ];
    await redefine(t, { versions: [widgetVersion('v1', { additionalPrinterColumns: columns }, fields)] });
    await t.until(`${widgets(t)}?includeObject=None`, (answer) => answer.text.includes('How-Wide'), { headers: table });
    const names = {
      plural: 'widgets',
      singular: 'widgetling',
      kind: 'Widget',
      listKind: 'Widgets',
      shortNames: ['wl', 'wdl'],
      categories: ['all', 'toys'],
    };
    await t.patch(crdPath(t), 'merge', { spec: { names } }, { show: (answer) => answer.at('spec.names') });
    await t.until(`/apis/${t.group}/v1`, (answer) => answer.text.includes('toys'));
    await t.until(widgets(t), (answer) => answer.at('kind') === 'Widgets');
    await t.patch(crdPath(t), 'merge', { spec: { names: { plural: 'gadgets' } } }, { show: causes });
    await t.patch(crdPath(t), 'merge', { spec: { names: { kind: 'Gadget' } } }, { show: (answer) => answer.code });
  },
  'watches-outlive-definitions': async (t) => {
    await t.crd(widgetCrd(t, [widgetVersion('v1', {}, fields)]));
    await t.post(widgets(t), widget(t, 'one', { size: 1 }), { quiet: true });
    const stream = await t.watch(`${widgets(t)}?watch=true`);
    await stream.take(1);
    await t.delete(crdPath(t), undefined, { quiet: true });
    await stream.takeUntil('the object is deleted', (event) => event.type === 'DELETED');
    await t.until(widgets(t), (answer) => answer.code === 404);
  },
  'definition-deleted-and-made-again': async (t) => {
    await t.crd(widgetCrd(t, [widgetVersion('v1', {}, fields)]));
    await t.post(widgets(t), widget(t, 'held', { size: 1 }, { finalizers: ['example.com/x'] }), { quiet: true });
    await t.delete(crdPath(t), undefined, { quiet: true });
    await t.until(widgets(t, 'held'), (answer) => answer.at('metadata.deletionTimestamp') !== undefined);
    await t.until(
      crdPath(t),
      (answer) => JSON.stringify(answer.at('status.conditions') ?? []).includes('InstanceDeletionInProgress'),
      { show: (answer) => answer.at('status.conditions') },
    );
    await t.post(widgets(t), widget(t, 'late'));
    await t.post(crds, widgetCrd(t), { show: (answer) => answer.at('message') });
    await t.patch(widgets(t, 'held'), 'merge', { metadata: { finalizers: null } });
    await t.until(crdPath(t), (answer) => answer.code === 404);
    await t.crd(widgetCrdWith(t, {}));
    await t.get(widgets(t));
  },
});
