import type { JsonObject } from '../../../src/schema/index.ts';
import { topic } from '../case.ts';
import { configMap, core, widget, widgetCrd, widgetCrdWith, widgets } from '../fixtures.ts';

/** Validation, pruning, defaulting and field validation of custom resources and built-ins. */
export const schema = topic('schema', {
  'wrong-types': async (t) => {
    await t.crd(widgetCrd(t));
    const specs: JsonObject[] = [
      { size: 'large' },
      { size: 1.5 },
      { enabled: 'yes' },
      { tags: 'a' },
      { tags: [1] },
      { ports: { name: 'x' } },
      { nested: [] },
      { ratio: 'half' },
      { limits: { cpu: true } },
    ];
    for (const spec of specs) await t.post(widgets(t), widget(t, 'one', spec));
    await t.post(widgets(t), { ...widget(t, 'one'), spec: 'text' });
    await t.post(widgets(t), { ...widget(t, 'one'), metadata: 'text' });
    await t.post(widgets(t), { ...widget(t, 'one'), metadata: { name: 'one', labels: { a: 1 } } });
  },
  'value-limits': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one', { size: -1 }));
    await t.post(widgets(t), widget(t, 'one', { size: 101 }));
    await t.post(widgets(t), widget(t, 'one', { size: 4_294_967_296 }));
    await t.post(widgets(t), widget(t, 'one', { color: 'purple' }));
    await t.post(widgets(t), widget(t, 'one', { label: 'UPPER' }));
    await t.post(widgets(t), widget(t, 'one', { label: 'muchtoolong' }));
    await t.post(widgets(t), widget(t, 'one', { tags: ['a', 'b', 'c', 'd', 'e', 'f'] }));
    await t.post(widgets(t), widget(t, 'one', { tags: ['a', 'a'] }));
    await t.post(widgets(t), widget(t, 'one', { ports: [{ number: 1 }] }));
    await t.post(widgets(t), widget(t, 'one', { ports: [{ name: 'a' }, { name: 'a' }] }));
    await t.post(widgets(t), widget(t, 'one', { size: 200, color: 'purple', label: 'UPPER' }));
  },
  'more-keywords': async (t) => {
    const properties: JsonObject = {
      even: { type: 'integer', multipleOf: 2 },
      above: { type: 'number', minimum: 1, exclusiveMinimum: true },
      below: { type: 'number', maximum: 9, exclusiveMaximum: true },
      text: { type: 'string', minLength: 2 },
      some: { type: 'array', minItems: 1, items: { type: 'string' } },
      few: { type: 'object', minProperties: 1, maxProperties: 2, additionalProperties: { type: 'string' } },
      when: { type: 'string', format: 'date-time' },
      address: { type: 'string', format: 'ipv4' },
      choice: {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        oneOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      either: { type: 'string', anyOf: [{ pattern: '^a' }, { pattern: 'z$' }] },
      both: { type: 'string', allOf: [{ pattern: '^a' }, { pattern: 'z$' }] },
      never: { type: 'string', not: { enum: ['bad'] } },
    };
    await t.crd(widgetCrdWith(t, properties));
    const specs: JsonObject[] = [
      { even: 3 },
      { above: 1, below: 9 },
      { text: 'x' },
      { some: [] },
      { few: {} },
      { few: { a: '1', b: '2', c: '3' } },
      { when: 'yesterday' },
      { address: '300.1.1.1' },
      { choice: {} },
      { choice: { a: 'x', b: 'y' } },
      { either: 'middle' },
      { both: 'abc' },
      { never: 'bad' },
      { even: 4, above: 1.1, below: 8.9, text: 'xy', some: ['a'], few: { a: '1' }, when: '2020-01-01T00:00:00Z' },
    ];
    for (const spec of specs) await t.post(widgets(t), widget(t, 'one', spec));
  },
  'required-fields': async (t) => {
    await t.crd(widgetCrdWith(t, {}, { required: ['color', 'label'] }));
    await t.post(widgets(t), widget(t, 'one'));
    await t.post(widgets(t), widget(t, 'one', { color: 'red' }));
    await t.post(widgets(t), { apiVersion: `${t.group}/v1`, kind: 'Widget', metadata: { name: 'no-spec' } });
    await t.post(widgets(t), widget(t, 'one', { color: 'red', label: 'abc' }));
    await t.patch(widgets(t, 'one'), 'merge', { spec: { label: null } });
  },
  pruning: async (t) => {
    await t.crd(widgetCrd(t));
    const spec = {
      alien: 1,
      template: { anything: { goes: [1, 'two', null] } },
      ports: [{ name: 'a', alien: true }],
      nested: { depth: 1, alien: 2 },
    };
    await t.post(widgets(t), { ...widget(t, 'one', spec), extra: { x: 1 } });
    await t.get(widgets(t, 'one'));
    await t.post(widgets(t), widget(t, 'two', {}, { alienMeta: 'x' }));
  },
  defaulting: async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one', {}));
    await t.post(widgets(t), widget(t, 'two', { size: 0, nested: { note: 'x' }, ports: [{ name: 'a' }] }));
    await t.post(widgets(t), widget(t, 'three', { nested: { note: null, depth: null } }));
    await t.post(widgets(t), { apiVersion: `${t.group}/v1`, kind: 'Widget', metadata: { name: 'four' } });
  },
  'field-validation-of-widgets': async (t) => {
    await t.crd(widgetCrd(t));
    const bad = widget(t, 'one', { alien: 1, nested: { beyond: 2 }, ports: [{ name: 'a', extra: 1 }] });
    await t.post(`${widgets(t)}?fieldValidation=Strict`, bad);
    await t.post(`${widgets(t)}?fieldValidation=Warn`, bad);
    await t.post(`${widgets(t)}?fieldValidation=Ignore`, { ...bad, metadata: { name: 'two' } });
    await t.post(`${widgets(t)}?fieldValidation=Sometimes`, bad);
    await t.patch(`${widgets(t, 'one')}?fieldValidation=Strict`, 'merge', { spec: { alien: 2 } });
    await t.patch(`${widgets(t, 'one')}?fieldValidation=Warn`, 'json', [{ op: 'add', path: '/spec/alien', value: 1 }]);
    await t.patch(
      `${widgets(t, 'one')}?fieldManager=a&fieldValidation=Strict`,
      'apply',
      widget(t, 'one', { alien: 1 }),
    );
    const twice = `{"apiVersion":"${t.group}/v1","kind":"Widget","metadata":{"name":"dup"},"spec":{"size":1,"size":2}}`;
    await t.post(`${widgets(t)}?fieldValidation=Strict`, twice);
    await t.post(`${widgets(t)}?fieldValidation=Warn`, twice);
  },
  'field-validation-of-built-ins': async (t) => {
    const bad = { ...configMap('one', { a: '1' }), alien: 1, metadata: { name: 'one', stranger: 'x' } };
    await t.post(`${core(t, 'configmaps')}?fieldValidation=Strict`, bad);
    await t.post(`${core(t, 'configmaps')}?fieldValidation=Warn`, bad);
    await t.post(`${core(t, 'configmaps')}?fieldValidation=Ignore`, { ...bad, metadata: { name: 'two' } });
    const twice = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"dup"},"data":{"a":"1","a":"2"}}';
    await t.post(`${core(t, 'configmaps')}?fieldValidation=Strict`, twice);
    await t.post(`${core(t, 'configmaps')}?fieldValidation=Warn`, twice);
    await t.patch(`${core(t, 'configmaps', 'one')}?fieldValidation=Strict`, 'strategic', { alien: 2 });
    await t.patch(`${core(t, 'configmaps', 'one')}?fieldValidation=Strict`, 'merge', { alien: 2 });
    await t.post(core(t, 'configmaps'), { ...configMap('three'), Data: { A: '1' } });
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y}\ndata: {a: "1", a: "2"}\nalien: 1\n';
    const headers = { 'content-type': 'application/yaml' };
    await t.post(`${core(t, 'configmaps')}?fieldValidation=Strict`, yaml, { headers });
  },
  nullable: async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one', { nested: { note: null } }));
    await t.post(widgets(t), widget(t, 'two', { color: null }));
    await t.post(widgets(t), widget(t, 'three', { size: null }));
    await t.post(widgets(t), widget(t, 'four', { tags: [null] }));
  },
  'numbers-keep-their-form': async (t) => {
    await t.crd(widgetCrd(t));
    const text = (name: string, spec: string) =>
      `{"apiVersion":"${t.group}/v1","kind":"Widget","metadata":{"name":"${name}"},"spec":${spec}}`;
    const raw = async (name: string, spec: string) => {
      const answer = await t.post(widgets(t), text(name, spec), { quiet: true });
      t.note(name, (answer.text.match(/"(ratio|big|size)":[^,}]+/g) ?? [answer.text]).sort());
    };
    await raw('float', '{"ratio":1.0,"size":5}');
    await raw('exponent', '{"ratio":1e3,"size":5}');
    await raw('large', '{"template":{"big":9007199254740993},"size":5}');
    await raw('integer-as-float', '{"size":5.0}');
    await raw('tiny', '{"ratio":1e-7}');
  },
});
