import type { JsonObject } from '../../../src/schema/index.ts';
import type { ApiAnswer } from '../api-client.ts';
import { topic } from '../case.ts';
import { widget, widgetCrd, widgetCrdWith, widgets, widgetVersion } from '../fixtures.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function causes(answer: ApiAnswer): JsonObject[] {
  return ((answer.at('details.causes') ?? []) as JsonObject[]).map(({ field = '', message = '' }) => ({
    field,
    message,
  }));
}

/** Custom resource definitions themselves. */
export const customResourceDefinitions = topic('crds', {
  life: async (t) => {
    await t.post(crds, widgetCrd(t), { show: (answer) => [answer.at('spec') ?? null, answer.at('status') ?? null] });
    const path = `${crds}/widgets.${t.group}`;
    await t.until(
      path,
      (answer) => JSON.stringify(answer.at('status.conditions') ?? []).includes('InitialNamesAccepted'),
      {
        show: (answer) => [
          answer.at('status') ?? null,
          answer.at('metadata.generation') ?? null,
          answer.at('metadata.finalizers') ?? null,
        ],
      },
    );
    await t.settle('it is served', async () => (await t.get(widgets(t), { quiet: true })).code === 200);
    await t.post(widgets(t), widget(t, 'one'), { quiet: true });
    await t.delete(path, undefined, {
      show: (answer) => [answer.at('kind') ?? null, answer.at('metadata.finalizers') ?? null],
    });
    await t.until(path, (answer) => answer.code === 404);
    await t.until(widgets(t), (answer) => answer.code === 404);
  },
  defaults: async (t) => {
    const names = { plural: 'gadgets', kind: 'Gadget' };
    const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
    const spec = { group: t.group, scope: 'Cluster', names, versions: [version] };
    const made = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `gadgets.${t.group}` },
      spec,
    };
    await t.post(crds, made);
    const path = `/apis/${t.group}/v1/gadgets`;
    await t.until(path, (answer) => answer.code === 200);
    await t.post(path, { apiVersion: `${t.group}/v1`, kind: 'Gadget', metadata: { name: 'one' }, dropped: true });
    await t.get(`/apis/${t.group}/v1/namespaces/${t.ns}/gadgets`);
  },
  invalid: async (t) => {
    const post = (change: (crd: JsonObject) => JsonObject) =>
      t.post(crds, change(structuredClone(widgetCrd(t))), { show: causes });
    const spec = (changes: JsonObject) => (crd: JsonObject) => ({
      ...crd,
      spec: { ...(crd.spec as JsonObject), ...changes },
    });
    await post((crd) => ({ ...crd, metadata: { name: 'wrong.example.com' } }));
    await post(spec({ scope: 'Everywhere' }));
    await post(spec({ group: 'x' }));
    await post(spec({ names: { plural: 'Widgets', kind: 'widget!' } }));
    await post(spec({ versions: [] }));
    await post(spec({ versions: [{ name: 'v1', served: true, storage: true }] }));
    await post(spec({ versions: [widgetVersion('V1')] }));
    await post(spec({ preserveUnknownFields: true }));
    await post(spec({ conversion: { strategy: 'Magic' } }));
    await post(spec({ conversion: { strategy: 'Webhook' } }));
  },
  'invalid-schemas': async (t) => {
    const post = (properties: JsonObject) => t.post(crds, widgetCrdWith(t, properties), { show: causes });
    await post({ x: {} });
    await post({ x: { type: 'thing' } });
    await post({ x: { type: 'array' } });
    await post({ x: { type: 'string', pattern: '(' } });
    await post({ x: { type: 'integer', default: 'text' } });
    await post({
      x: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } },
    });
    await post({ x: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'map' } });
    await post({ x: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'bag' } });
    await post({ x: { type: 'string', anyOf: [{ type: 'string' }] } });
    await post({ x: { type: 'array', items: { type: 'string' }, uniqueItems: true } });
    await post({ x: { type: 'string', 'x-kubernetes-int-or-string': true } });
  },
  'name-conflict': async (t) => {
    await t.crd(widgetCrd(t));
    const names = { plural: 'others', singular: 'other', kind: 'Widget', listKind: 'OtherList', shortNames: ['wd'] };
    const second = { ...widgetCrd(t, undefined, { names }), metadata: { name: `others.${t.group}` } };
    await t.post(crds, second, { quiet: true });
    await t.until(
      `${crds}/others.${t.group}`,
      (answer) => JSON.stringify(answer.at('status.conditions') ?? []).includes('Conflict'),
      {
        show: (answer) => answer.at('status'),
      },
    );
    await t.get(`/apis/${t.group}/v1/others`);
  },
  'schema-change': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one', { size: 5, color: 'red' }), { quiet: true });
    const wider = widgetCrdWith(t, { added: { type: 'string', default: 'new' } });
    await t.patch(
      `${crds}/widgets.${t.group}`,
      'merge',
      { spec: wider.spec },
      { show: (answer) => answer.at('metadata.generation') },
    );
    await t.until(widgets(t, 'one'), (answer) => answer.at('spec.added') === 'new');
    await t.patch(`${crds}/widgets.${t.group}`, 'merge', { spec: { scope: 'Cluster' } }, { show: causes });
    await t.patch(`${crds}/widgets.${t.group}`, 'merge', { spec: { group: 'other.example.com' } }, { show: causes });
  },
  'unknown-keywords': async (t) => {
    const odd = { size: { type: 'integer', colour: 'red', items: { type: 'string', flavour: 1 } }, taste: 1 };
    const crd = widgetCrd(t, [
      widgetVersion('v1', { odd: true }, { type: 'object', shape: 'round', properties: { size: odd.size } }),
    ]);
    const show = (answer: ApiAnswer) => [answer.at('message') ?? null, answer.at('spec.versions') ?? null];
    await t.post(`${crds}?dryRun=All`, crd, { show });
    await t.post(`${crds}?dryRun=All&fieldValidation=Strict`, crd, { show });
    await t.post(`${crds}?dryRun=All&fieldValidation=Ignore`, crd, { show });
    await t.post(`${crds}?dryRun=All`, widgetCrd(t, [widgetVersion('v1', {}, { type: 1 })]), { show });
  },
  'new-default-selected': async (t) => {
    const version = (color: JsonObject) =>
      widgetVersion(
        'v1',
        { selectableFields: [{ jsonPath: '.spec.color' }] },
        { type: 'object', properties: { color } },
      );
    await t.crd(widgetCrd(t, [version({ type: 'string' })]));
    await t.post(widgets(t), widget(t, 'one'), { quiet: true });
    const versions = [version({ type: 'string', default: 'red' })];
    await t.patch(`${crds}/widgets.${t.group}`, 'merge', { spec: { versions } }, { quiet: true });
    await t.until(widgets(t, 'one'), (answer) => answer.at('spec.color') === 'red');
    const names = (answer: ApiAnswer) =>
      ((answer.at('items') ?? []) as JsonObject[]).map((item) => (item.metadata as JsonObject).name ?? '');
    await t.get(`${widgets(t)}?fieldSelector=spec.color%3Dred`, { show: names });
    await t.get(`${widgets(t)}?fieldSelector=spec.color!%3Dred`, { show: names });
    const stream = await t.watch(`${widgets(t)}?watch=1&fieldSelector=spec.color%3Dred`);
    await stream.take(1);
  },
  'cluster-scoped': async (t) => {
    await t.crd(widgetCrd(t, undefined, { scope: 'Cluster' }));
    const path = `/apis/${t.group}/v1/widgets`;
    await t.post(path, widget(t, 'one'));
    await t.get(`${path}/one`);
    await t.post(path, widget(t, 'two', {}, { namespace: 'default' }));
    await t.get(widgets(t, 'one'));
    await t.delete(`${path}/one`);
  },
  'stopped-version': async (t) => {
    const both = (served: boolean) => [
      widgetVersion('v1'),
      widgetVersion('v2', { storage: false, served, deprecated: true, deprecationWarning: 'use v1' }),
    ];
    await t.crd(widgetCrd(t, both(true)));
    const path = `/apis/${t.group}/v2/namespaces/${t.ns}/widgets`;
    await t.post(path, { ...widget(t, 'one'), apiVersion: `${t.group}/v2` });
    await t.get(path);
    await t.patch(`${crds}/widgets.${t.group}`, 'merge', { spec: { versions: both(false) } }, { quiet: true });
    await t.until(path, (answer) => answer.code === 404);
    await t.get(widgets(t, 'one'), { show: (answer) => answer.code });
  },
});
