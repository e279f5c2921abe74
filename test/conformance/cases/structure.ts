import type { JsonObject } from '../../../src/schema/index.ts';
import type { ApiAnswer } from '../api-client.ts';
import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { configMap, core, pod, widget, widgetCrd, widgetCrdWith, widgets, widgetVersion } from '../fixtures.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const free = { 'x-kubernetes-preserve-unknown-fields': true };

function causes(answer: ApiAnswer): JsonObject[] {
  return ((answer.at('details.causes') ?? []) as JsonObject[]).map(({ field = '', message = '' }) => ({
    field,
    message,
  }));
}

async function tryAll(t: CaseRun, specs: JsonObject[]): Promise<void> {
  for (const [index, spec] of specs.entries()) await t.post(widgets(t), widget(t, `w${index}`, spec));
}

/** Defaults, pruning, embedded resources and odd types in depth. */
export const structure = topic('structure', {
  'defaults-in-lists-and-maps': async (t) => {
    const item = {
      type: 'object',
      properties: {
        a: { type: 'string', default: 'x' },
        b: {
          type: 'object',
          default: { c: 1 },
          properties: { c: { type: 'integer' }, d: { type: 'boolean', default: true } },
        },
      },
    };
    await t.crd(
      widgetCrdWith(t, {
        list: { type: 'array', default: [{ a: 'first' }, {}], items: item },
        map: { type: 'object', additionalProperties: item },
        deep: {
          type: 'object',
          properties: {
            deeper: { type: 'object', default: {}, properties: { deepest: { type: 'string', default: 'here' } } },
          },
        },
      }),
    );
    await tryAll(t, [
      {},
      { list: [{}, { b: {} }, { b: { c: null } }] },
      { map: { k: {}, l: { a: 'y' } } },
      { deep: {} },
      { list: null, deep: null },
      { list: [] },
    ]);
  },
  'defaults-on-every-way-in': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one', { size: 5, nested: { depth: 9 } }));
    await t.put(widgets(t, 'one'), widget(t, 'one', { nested: {} }));
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: null, nested: { depth: null } } });
    await t.patch(widgets(t, 'one'), 'json', [{ op: 'remove', path: '/spec/nested' }]);
    await t.patch(`${widgets(t, 'two')}?fieldManager=a`, 'apply', widget(t, 'two', { ports: [{ name: 'a' }] }));
    await t.patch(
      `${widgets(t, 'two')}?fieldManager=a`,
      'apply',
      widget(t, 'two', { ports: [{ name: 'a', protocol: 'UDP' }] }),
    );
  },
  'defaults-of-status': async (t) => {
    const version = widgetVersion('v1');
    const schema = (version.schema as JsonObject).openAPIV3Schema as JsonObject;
    const status = {
      type: 'object',
      default: { phase: 'New' },
      properties: { phase: { type: 'string' }, count: { type: 'integer', default: 0 } },
    };
    const properties = { ...(schema.properties as JsonObject), status };
    await t.crd(widgetCrd(t, [{ ...version, schema: { openAPIV3Schema: { ...schema, properties } } }]));
    await t.post(widgets(t), { ...widget(t, 'one'), status: { phase: 'Mine' } });
    await t.patch(`${widgets(t, 'one')}/status`, 'merge', { status: { phase: 'Old' } });
    await t.patch(`${widgets(t, 'one')}/status`, 'merge', { status: null });
    await t.get(widgets(t, 'one'));
  },
  'defaults-that-do-not-fit': async (t) => {
    const post = (properties: JsonObject) => t.post(crds, widgetCrdWith(t, properties), { show: causes });
    await post({ x: { type: 'string', maxLength: 2, default: 'long' } });
    await post({ x: { type: 'object', default: { alien: 1 }, properties: { a: { type: 'string' } } } });
    await post({ x: { type: 'object', default: {}, required: ['a'], properties: { a: { type: 'string' } } } });
    await post({ x: { type: 'string', default: null } });
    await post({ x: { type: 'string', nullable: true, default: null } });
    await post({ x: { type: 'array', default: [1], items: { type: 'string' } } });
    await post({ x: { type: 'string', enum: ['a'], default: 'b' } });
    const rule = { 'x-kubernetes-validations': [{ rule: 'self > 5' }] };
    await post({ x: { type: 'integer', default: 3, ...rule } });
    await post({ x: { type: 'object', anyOf: [{ properties: { a: { default: 1 } } }] } });
  },
  'pruning-in-nested-schemas': async (t) => {
    const item = { type: 'object', properties: { keep: { type: 'string' }, any: { type: 'object', ...free } } };
    await t.crd(
      widgetCrdWith(t, {
        list: { type: 'array', items: item },
        map: { type: 'object', additionalProperties: item },
        lists: { type: 'array', items: { type: 'array', items: item } },
        bare: { type: 'object' },
      }),
    );
    const one = { keep: 'a', drop: 'b', any: { x: { y: [1, { z: null }] } } };
    await tryAll(t, [{ list: [one, { drop: 1 }] }, { map: { k: one } }, { lists: [[one], []] }, { bare: { gone: 1 } }]);
    await t.patch(widgets(t, 'w0'), 'merge', { spec: { list: [{ drop: 2, any: { drop: 3 } }] } });
    await t.patch(
      `${widgets(t, 'w0')}?fieldManager=a&force=true`,
      'apply',
      widget(t, 'w0', { bare: {}, map: { k: { any: { q: 1 } } } }),
    );
  },
  'preserving-with-known-fields-inside': async (t) => {
    const template = {
      type: 'object',
      ...free,
      properties: {
        known: { type: 'object', properties: { a: { type: 'string', default: 'x' } } },
        open: { type: 'object', ...free, properties: { b: { type: 'integer', default: 4 } } },
        list: { type: 'array', items: { type: 'object', properties: { c: { type: 'string' } } } },
      },
    };
    await t.crd(widgetCrdWith(t, { template }));
    await tryAll(t, [
      { template: { alien: { x: 1 }, known: { a: 'y', alien: 1 }, open: { alien: 2 }, list: [{ c: 'z', alien: 3 }] } },
      { template: { known: {}, open: {} } },
      { template: { known: 'text' } },
      { template: { alien: null, known: null } },
    ]);
  },
  'preserving-at-the-root': async (t) => {
    const openAPIV3Schema = {
      type: 'object',
      ...free,
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
    };
    await t.crd(widgetCrd(t, [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }]));
    await t.post(widgets(t), {
      ...widget(t, 'one', { size: 1, alien: 2 }),
      extra: { deep: [1, { a: null }] },
      status: { any: 1 },
    });
    await t.patch(widgets(t, 'one'), 'merge', { extra: { deep: null, more: 'x' } });
    await t.patch(`${widgets(t, 'one')}?fieldManager=a`, 'apply', {
      ...widget(t, 'one'),
      spec: {},
      extra: { applied: true },
    });
    await t.patch(widgets(t, 'one'), 'strategic', { extra: 1 });
    await t.post(`${widgets(t)}?fieldValidation=Strict`, { ...widget(t, 'two', { alien: 2 }), extra: 1 });
  },
  'int-or-string': async (t) => {
    const either = { 'x-kubernetes-int-or-string': true };
    await t.crd(
      widgetCrdWith(t, {
        plain: either,
        bounded: { ...either, anyOf: [{ type: 'integer' }, { type: 'string' }], minimum: 5, pattern: '^\\d+%$' },
        defaulted: { ...either, default: '25%' },
        list: { type: 'array', items: either, 'x-kubernetes-list-type': 'set' },
        map: { type: 'object', additionalProperties: either },
        nullable: { ...either, nullable: true },
      }),
    );
    await tryAll(t, [
      { plain: 1, list: [1, '1', 'a'], map: { a: 1, b: '2' }, nullable: null },
      { plain: '1', bounded: '50%' },
      { plain: 1.5 },
      { plain: true },
      { plain: {} },
      { plain: null },
      { bounded: 3 },
      { bounded: 'half' },
      { list: [1, 1] },
      { defaulted: 3 },
    ]);
  },
  'int-or-string-definitions': async (t) => {
    const post = (x: JsonObject) => t.post(crds, widgetCrdWith(t, { x }), { show: causes });
    await post({ 'x-kubernetes-int-or-string': true, type: 'integer' });
    await post({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }] });
    await post({
      'x-kubernetes-int-or-string': true,
      allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { minimum: 1 }],
    });
    await post({ 'x-kubernetes-int-or-string': true, properties: { a: { type: 'string' } } });
    await post({ 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true });
    await post({
      'x-kubernetes-int-or-string': true,
      enum: ['a', 5],
      'x-kubernetes-validations': [{ rule: 'type(self) == int' }],
    });
  },
  'embedded-resources': async (t) => {
    const template = { type: 'object', 'x-kubernetes-embedded-resource': true, ...free };
    await t.crd(widgetCrdWith(t, { template, list: { type: 'array', items: template } }));
    const inner = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'x', labels: { a: 'b' } },
      data: { k: 'v' },
    };
    await tryAll(t, [
      { template: inner, list: [inner] },
      { template: {} },
      { template: { apiVersion: 'v1' } },
      { template: { apiVersion: 'a/b/c', kind: 'no good!', metadata: {} } },
      { template: { ...inner, metadata: { name: 'Not_Ok', labels: { 'bad key!': 'x' }, alien: 1 } } },
      { template: { ...inner, metadata: { creationTimestamp: 'yesterday', labels: 'x' } } },
      { template: { ...inner, metadata: 'text' } },
      { list: [inner, { kind: 'X' }] },
      { template: { ...inner, metadata: { name: 'x', generation: 'many', finalizers: ['a'] } } },
    ]);
  },
  'embedded-definitions': async (t) => {
    const post = (x: JsonObject) => t.post(crds, widgetCrdWith(t, { x }), { show: causes });
    await post({ type: 'object', 'x-kubernetes-embedded-resource': true });
    await post({ type: 'string', 'x-kubernetes-embedded-resource': true, ...free });
    await post({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      ...free,
      properties: { metadata: { type: 'object', properties: { labels: { type: 'string' } } } },
    });
    await post({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      ...free,
      properties: { kind: { type: 'integer' } },
    });
    await post({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { spec: { type: 'object' } },
      default: { apiVersion: 'v1', kind: 'X' },
    });
  },
  'restricted-metadata': async (t) => {
    const version = widgetVersion('v1');
    const schema = (version.schema as JsonObject).openAPIV3Schema as JsonObject;
    const withMetadata = (metadata: JsonObject) =>
      widgetCrd(t, [
        {
          ...version,
          schema: { openAPIV3Schema: { ...schema, properties: { ...(schema.properties as JsonObject), metadata } } },
        },
      ]);
    await t.post(`${crds}?dryRun=All`, withMetadata({ type: 'object', properties: { labels: { type: 'object' } } }), {
      show: causes,
    });
    await t.post(`${crds}?dryRun=All`, withMetadata({ type: 'object', required: ['labels'] }), { show: causes });
    await t.crd(
      withMetadata({
        type: 'object',
        properties: {
          name: { type: 'string', pattern: '^w-', maxLength: 5 },
          generateName: { type: 'string', minLength: 3 },
        },
      }),
    );
    await t.post(widgets(t), widget(t, 'one'));
    await t.post(widgets(t), widget(t, 'w-long-name'));
    await t.post(widgets(t), widget(t, 'w-ok'));
    await t.post(
      widgets(t),
      { ...widget(t, 'x'), metadata: { generateName: 'w-' } },
      { show: (answer) => answer.str('reason') },
    );
  },
  'strings-with-formats': async (t) => {
    const samples: Record<string, [string, string]> = {
      'date-time': ['2024-01-01T00:00:00Z', '2024-01-01'],
      date: ['2024-02-29', '2023-02-29'],
      email: ['a@example.com', 'nobody'],
      hostname: ['a.example.com', '-a-.com'],
      ipv4: ['10.0.0.1', '::1'],
      ipv6: ['::1', '10.0.0.1'],
      cidr: ['10.0.0.0/8', '10.0.0.0'],
      mac: ['00:11:22:33:44:55', '00:11'],
      uuid: ['11111111-2222-3333-4444-555555555555', '1111'],
      uri: ['https://example.com/x', 'no uri'],
      byte: ['aGVsbG8=', '!!'],
      duration: ['5m', 'a while'],
      password: ['x', ''],
      bsonobjectid: ['507f1f77bcf86cd799439011', 'x'],
      hexcolor: ['#fff', 'blue'],
      isbn10: ['0321751043', '1'],
      int64: ['5', 'x'],
    };
    const properties = Object.fromEntries(Object.keys(samples).map((format) => [format, { type: 'string', format }]));
    await t.crd(widgetCrdWith(t, properties));
    for (const [format, [good, bad]] of Object.entries(samples)) {
      await t.post(`${widgets(t)}?dryRun=All`, widget(t, 'one', { [format]: bad }));
      await t.post(`${widgets(t)}?dryRun=All`, widget(t, 'one', { [format]: good }), { show: (answer) => answer.code });
    }
  },
  'numbers-with-formats': async (t) => {
    const number = (type: string, format: string) => ({ type, format });
    await t.crd(
      widgetCrdWith(t, {
        a: number('integer', 'int32'),
        b: number('integer', 'int64'),
        c: number('number', 'float'),
        d: number('number', 'double'),
      }),
    );
    await tryAll(t, [
      { a: 2147483647 },
      { a: 2147483648 },
      { a: -2147483649 },
      { b: 2147483648 },
      { c: 1.5 },
      { c: 1e39 },
      { d: 1e300 },
      { a: 1.5 },
      { c: 3 },
    ]);
  },
  'warnings-of-field-validation': async (t) => {
    await t.crd(widgetCrd(t));
    const nested = widget(t, 'one', {
      alien: 1,
      ports: [
        { name: 'a', odd: 1 },
        { name: 'b', even: 2 },
      ],
      nested: { odd: {} },
    });
    const show = (answer: ApiAnswer) => answer.at('spec') ?? answer.body;
    for (const mode of ['Strict', 'Warn', 'Ignore']) {
      await t.post(`${widgets(t)}?dryRun=All&fieldValidation=${mode}`, nested, { show });
      const doubled = `{"apiVersion":"${t.group}/v1","kind":"Widget","metadata":{"name":"dup","name":"dup"},"spec":{"size":1,"size":2,"ports":[{"name":"a","name":"b"}],"x":1,"x":2}}`;
      await t.post(`${widgets(t)}?dryRun=All&fieldValidation=${mode}`, doubled, { show });
    }
    await t.post(widgets(t), widget(t, 'one'), { quiet: true });
    for (const mode of ['Strict', 'Warn', 'Ignore']) {
      const query = `?dryRun=All&fieldValidation=${mode}`;
      await t.put(`${widgets(t, 'one')}${query}`, widget(t, 'one', { alien: 1 }), { show });
      await t.patch(
        `${widgets(t, 'one')}${query}`,
        'json',
        [{ op: 'add', path: '/spec/ports', value: [{ name: 'a', alien: 1 }] }],
        { show },
      );
      await t.patch(
        `${widgets(t, 'one')}/status${query}`,
        'merge',
        { status: { alien: 1 } },
        { show: (answer) => answer.at('status') ?? answer.body },
      );
      await t.patch(
        `${widgets(t, 'one')}${query}&fieldManager=a`,
        'apply',
        `apiVersion: ${t.group}/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: 1, size: 2, alien: 1}\n`,
        { show },
      );
    }
  },
  'warnings-of-built-ins': async (t) => {
    const show = (answer: ApiAnswer) => answer.at('reason') ?? answer.code;
    const odd = pod(
      'one',
      { alien: 1 },
      { alien: 2, containers: [{ name: 'main', image: 'x', alien: 3, env: [{ name: 'A', valeu: '1' }] }] },
    );
    for (const mode of ['Strict', 'Warn', 'Ignore']) {
      await t.post(`${core(t, 'pods')}?dryRun=All&fieldValidation=${mode}`, odd, { show });
      await t.patch(
        `${core(t, 'configmaps', 'c')}?fieldManager=a&dryRun=All&fieldValidation=${mode}`,
        'apply',
        { ...configMap('c'), alien: 1 },
        { show: (answer) => answer.at('message') ?? answer.code },
      );
    }
    await t.post(
      core(t, 'pods'),
      pod(
        'two',
        {},
        {
          containers: [
            {
              name: 'main',
              image: 'x',
              env: [
                { name: 'A', value: '1' },
                { name: 'A', value: '2' },
              ],
            },
          ],
        },
      ),
      { show },
    );
    const nodeSelector = { 'beta.kubernetes.io/os': 'linux' };
    await t.post(
      core(t, 'pods'),
      pod(
        'three',
        { annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default' } },
        { nodeSelector },
      ),
      { show },
    );
    await t.put(`${core(t, 'pods', 'two')}?fieldValidation=Strict`, { ...pod('two'), alien: 1 });
    await t.patch(`${core(t, 'pods', 'two')}?fieldValidation=Strict`, 'strategic', { spec: { alien: 1 } });
    await t.patch(`${core(t, 'pods', 'two')}?fieldValidation=Warn`, 'merge', { spec: { alien: 1 } }, { show });
  },
});
