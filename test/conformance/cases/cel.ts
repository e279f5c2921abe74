import type { JsonObject } from '../../../src/schema/index.ts';
import { topic } from '../case.ts';
import { widget, widgetCrdWith, widgets } from '../fixtures.ts';

function rules(...list: JsonObject[]): JsonObject {
  return { 'x-kubernetes-validations': list };
}

/** Validation rules in the Common Expression Language. */
export const cel = topic('cel', {
  'simple-rules': async (t) => {
    await t.crd(
      widgetCrdWith(
        t,
        { tags: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 10 } } },
        rules(
          { rule: '!has(self.color) || self.color != "green" || self.size > 10', message: 'green ones are large' },
          { rule: 'self.size < 90', messageExpression: '"the size must stay below " + "90"' },
          { rule: '!has(self.label) || self.label != "no"', reason: 'FieldValueForbidden', fieldPath: '.label' },
          { rule: '!has(self.tags) || self.tags.all(x, x.size() < 4)' },
        ),
      ),
    );
    await t.post(widgets(t), widget(t, 'one', { color: 'green', size: 5 }));
    await t.post(widgets(t), widget(t, 'one', { size: 95 }));
    await t.post(widgets(t), widget(t, 'one', { label: 'no' }));
    await t.post(widgets(t), widget(t, 'one', { tags: ['abcdef'] }));
    await t.post(widgets(t), widget(t, 'one', { color: 'green', size: 95, label: 'no', tags: ['abcdef'] }));
    await t.post(widgets(t), widget(t, 'one', { color: 'green', size: 50, tags: ['abc'] }));
  },
  'transition-rules': async (t) => {
    await t.crd(
      widgetCrdWith(t, {
        size: { type: 'integer', default: 1, ...rules({ rule: 'self >= oldSelf', message: 'may only grow' }) },
        color: { type: 'string', ...rules({ rule: 'self == oldSelf', message: 'color is immutable' }) },
      }),
    );
    await t.post(widgets(t), widget(t, 'one', { size: 5 }));
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 4 } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { color: 'red' } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { color: 'blue' } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 6, color: null } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { color: 'blue' } });
  },
  'optional-old-self': async (t) => {
    const rule = { rule: 'oldSelf.hasValue() || self == 1', optionalOldSelf: true, message: 'starts at one' };
    await t.crd(widgetCrdWith(t, { size: { type: 'integer', default: 1, ...rules(rule) } }));
    await t.post(widgets(t), widget(t, 'one', { size: 5 }));
    await t.post(widgets(t), widget(t, 'one', { size: 1 }));
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 5 } });
  },
  'library-functions': async (t) => {
    const checks = [
      { rule: '!has(self.label) || self.label.matches("^[a-f]+$")', message: 'matches' },
      { rule: '!has(self.tags) || self.tags.isSorted()', message: 'isSorted' },
      { rule: '!has(self.tags) || self.tags.exists_one(x, x == "a")', message: 'exists_one' },
      { rule: '!has(self.address) || isURL(self.address)', message: 'isURL' },
      { rule: '!has(self.address) || url(self.address).getScheme() == "https"', message: 'scheme' },
      { rule: '!has(self.ip) || isIP(self.ip)', message: 'isIP' },
      { rule: '!has(self.amount) || quantity(self.amount).isLessThan(quantity("1Gi"))', message: 'quantity' },
      { rule: '!has(self.limits) || self.limits.all(k, k.startsWith("l"))', message: 'map keys' },
      { rule: '!has(self.wait) || duration(self.wait) < duration("1h")', message: 'duration' },
    ];
    const text = { type: 'string', maxLength: 64 };
    const properties = { address: text, ip: text, amount: text, wait: text };
    await t.crd(widgetCrdWith(t, properties, rules(...checks)));
    const specs: JsonObject[] = [
      { label: 'xyz' },
      { tags: ['b', 'a'] },
      { tags: ['b'] },
      { address: 'not a url' },
      { address: 'http://example.com' },
      { ip: '300.1.1.1' },
      { amount: '2Gi' },
      { limits: { cpu: 1 } },
      { wait: '2h' },
      { wait: 'soon' },
      { label: 'abc', tags: ['a', 'b'], address: 'https://example.com', ip: '::1', amount: '5Mi', wait: '5m' },
    ];
    for (const spec of specs) await t.post(widgets(t), widget(t, 'one', spec));
  },
  'rules-on-items-and-metadata': async (t) => {
    const port = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', maxLength: 20 }, number: { type: 'integer' } },
      ...rules({ rule: '!has(self.number) || self.number < 1024', message: 'a low port, please' }),
    };
    const list = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], maxItems: 8 };
    await t.crd(widgetCrdWith(t, { ports: { type: 'array', ...list, items: port } }));
    await t.post(
      widgets(t),
      widget(t, 'one', {
        ports: [
          { name: 'a', number: 80 },
          { name: 'b', number: 8080 },
        ],
      }),
    );
    await t.post(widgets(t), widget(t, 'one', { ports: [{ name: 'a', number: 80 }] }));
  },
  'invalid-rules-in-crd': async (t) => {
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await t.post(crds, widgetCrdWith(t, {}, rules({ rule: 'self.nothing == 1' })));
    await t.post(crds, widgetCrdWith(t, {}, rules({ rule: 'self.size +' })));
    await t.post(crds, widgetCrdWith(t, {}, rules({ rule: 'self.size' })));
    await t.post(crds, widgetCrdWith(t, {}, rules({ rule: '' })));
    await t.post(crds, widgetCrdWith(t, {}, rules({ rule: 'true', reason: 'Because' })));
  },
  ratcheting: async (t) => {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${t.group}`;
    await t.crd(widgetCrdWith(t, {}));
    await t.post(widgets(t), widget(t, 'one', { label: 'abc', size: 5 }), { quiet: true });
    const strict = widgetCrdWith(t, { label: { type: 'string', maxLength: 2 } });
    await t.patch(path, 'merge', { spec: strict.spec }, { quiet: true });
    await t.settle('the stricter schema is in force', async () => {
      const answer = await t.post(`${widgets(t)}?dryRun=All`, widget(t, 'two', { label: 'abcdef' }), { quiet: true });
      return answer.code === 422;
    });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 6 } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { label: 'abcd' } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { label: 'ab' } });
  },
});
