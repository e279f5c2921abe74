import type { JsonObject } from '../../../src/schema/index.ts';
import type { ApiAnswer } from '../api-client.ts';
import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { widget, widgetCrd, widgetCrdWith, widgets, widgetVersion } from '../fixtures.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function rules(...list: JsonObject[]): JsonObject {
  return { 'x-kubernetes-validations': list };
}

function causes(answer: ApiAnswer): JsonObject[] {
  return ((answer.at('details.causes') ?? []) as JsonObject[]).map(({ reason = '', field = '', message = '' }) => ({
    reason,
    field,
    message,
  }));
}

const text = { type: 'string', maxLength: 64 };

/** Tries to store a widget with each spec. */
async function tryAll(t: CaseRun, specs: JsonObject[]): Promise<void> {
  for (const spec of specs) await t.post(widgets(t), widget(t, 'one', spec));
}

/** Replaces the definition and waits until it is in force, seen by a dry run of this widget. */
async function redefine(t: CaseRun, crd: JsonObject, seen: { spec: JsonObject; code: number }): Promise<void> {
  await t.patch(`${crds}/widgets.${t.group}`, 'merge', { spec: crd.spec }, { quiet: true });
  await t.settle('the new schema is in force', async () => {
    const answer = await t.post(`${widgets(t)}?dryRun=All`, widget(t, 'probe', seen.spec), { quiet: true });
    return answer.code === seen.code;
  });
}

/** Rules in the Common Expression Language, in depth. */
export const celRules = topic('rules', {
  messages: async (t) => {
    await t.crd(
      widgetCrdWith(
        t,
        { text },
        rules(
          { rule: '!has(self.text) || self.text != "plain"' },
          { rule: '!has(self.text) || self.text != "said"', message: 'said so' },
          {
            rule: '!has(self.text) || self.text != "made"',
            message: 'fallback',
            messageExpression: '"made of " + self.text',
          },
          { rule: '!has(self.text) || self.text != "blank"', message: 'fallback', messageExpression: '"  "' },
          { rule: '!has(self.text) || self.text != "lines"', messageExpression: '"two\\nlines"' },
          {
            rule: '!has(self.text) || self.text != "fails"',
            message: 'fallback',
            messageExpression: 'string(self.size / 0)',
          },
          { rule: 'self.size != 66 ||\n self.size == 67', message: 'of two lines' },
        ),
      ),
    );
    await tryAll(t, [
      { text: 'plain' },
      { text: 'said' },
      { text: 'made' },
      { text: 'blank' },
      { text: 'lines' },
      { text: 'fails' },
      { size: 66 },
    ]);
  },
  'reasons-and-paths': async (t) => {
    const reasons = ['FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate'];
    const list = reasons.map((reason, i) => ({
      rule: `self.size != ${i + 10}`,
      reason,
      fieldPath: ['.size', '.nested.depth', ".limits['a.b']", '.ports'][i] ?? '.size',
      message: `no ${reason}`,
    }));
    const limits = { type: 'object', properties: { 'a.b': { type: 'string' } } };
    await t.crd(widgetCrdWith(t, { limits }, rules(...list)));
    await tryAll(t, [{ size: 10 }, { size: 11 }, { size: 12 }, { size: 13 }, { size: 14 }]);
  },
  'bad-field-paths': async (t) => {
    for (const fieldPath of [
      'size',
      '.nothing',
      '.ports[0].name',
      '.tags[0]',
      ".limits['x']",
      '.',
      '',
      '.nested..depth',
    ]) {
      await t.post(crds, widgetCrdWith(t, {}, rules({ rule: 'true', fieldPath })), { show: causes });
    }
  },
  'transition-rules-in-lists': async (t) => {
    const item = {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', maxLength: 10 },
        number: { type: 'integer', ...rules({ rule: 'self >= oldSelf', message: 'numbers only grow' }) },
      },
    };
    const list = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], maxItems: 5 };
    await t.crd(widgetCrdWith(t, { ports: { type: 'array', ...list, items: item } }));
    await t.post(
      widgets(t),
      widget(t, 'one', {
        ports: [
          { name: 'a', number: 5 },
          { name: 'b', number: 5 },
        ],
      }),
    );
    await t.patch(widgets(t, 'one'), 'merge', {
      spec: {
        ports: [
          { name: 'b', number: 4 },
          { name: 'a', number: 6 },
        ],
      },
    });
    await t.patch(widgets(t, 'one'), 'merge', {
      spec: {
        ports: [
          { name: 'c', number: 1 },
          { name: 'a', number: 6 },
        ],
      },
    });
    await t.patch(`${widgets(t, 'one')}/status`, 'merge', { status: { phase: 'x' } });
  },
  'transition-rules-where-none-can-be': async (t) => {
    const rule = rules({ rule: 'self == oldSelf' });
    const post = (properties: JsonObject) => t.post(crds, widgetCrdWith(t, properties), { show: causes });
    await post({ tags: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 5, ...rule } } });
    const set = { 'x-kubernetes-list-type': 'set' };
    await post({ tags: { type: 'array', maxItems: 5, ...set, items: { type: 'string', maxLength: 5, ...rule } } });
    const either = { type: 'object', properties: { a: { type: 'string' } }, anyOf: [{ properties: { a: rule } }] };
    await post({ either });
    const optional = rules({ rule: 'self == oldSelf.orValue("")', optionalOldSelf: true });
    await post({ tags: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 5, ...optional } } });
    await post({ label: { ...text, ...rules({ rule: 'self != ""', optionalOldSelf: true }) } });
  },
  'optional-old-self-of-objects': async (t) => {
    const nested = {
      type: 'object',
      properties: { depth: { type: 'integer' }, note: { type: 'string', maxLength: 9 } },
      ...rules({
        rule: 'oldSelf.optMap(o, !has(o.note) || (has(self.note) && self.note == o.note)).orValue(true)',
        optionalOldSelf: true,
        message: 'a note stays',
      }),
    };
    await t.crd(widgetCrdWith(t, { nested }));
    await t.post(widgets(t), widget(t, 'one', {}));
    await t.patch(widgets(t, 'one'), 'merge', { spec: { nested: { note: 'x' } } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { nested: { note: 'y' } } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { nested: { note: null, depth: 3 } } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { nested: null } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { nested: { depth: 1 } } });
  },
  'cost-limits-of-definitions': async (t) => {
    const post = (properties: JsonObject, specRules: JsonObject = {}) =>
      t.post(crds, widgetCrdWith(t, properties, specRules), { show: causes });
    const strings = { type: 'array', items: { type: 'string' } };
    await post({ words: { ...strings, ...rules({ rule: 'self.all(x, self.all(y, x == y || x != y))' }) } });
    await post({ words: { type: 'array', items: { type: 'string', ...rules({ rule: 'self.contains("x")' }) } } });
    await post({
      words: {
        type: 'array',
        items: { type: 'array', items: { type: 'array', items: { type: 'integer', ...rules({ rule: 'self > 0' }) } } },
      },
    });
    await post({
      words: { ...strings, maxItems: 10, ...rules({ rule: 'self.all(x, self.all(y, x == y || x != y))' }) },
    });
    await post({}, rules({ rule: 'self.tags.map(x, self.tags.map(y, x + y)).size() >= 0' }));
  },
  'cost-limits-of-requests': async (t) => {
    const words = {
      type: 'array',
      maxItems: 1000,
      items: { type: 'string', maxLength: 100 },
      ...rules({ rule: 'self.all(x, self.exists(y, y == x + "") || true)', message: 'never' }),
    };
    const made = await t.post(crds, widgetCrdWith(t, { words }), { show: causes });
    if (made.code !== 201) return;
    await t.settle('widgets are served', async () => (await t.get(widgets(t), { quiet: true })).code === 200);
    const many = Array.from({ length: 1000 }, (_, i) => `word-${i}`.padEnd(90, 'x'));
    await t.post(widgets(t), widget(t, 'one', { words: many }), { show: causes });
    await t.post(widgets(t), widget(t, 'two', { words: many.slice(0, 10) }), { show: (answer) => answer.code });
  },
  'rules-that-fail-to-run': async (t) => {
    await t.crd(
      widgetCrdWith(
        t,
        { text, when: text },
        rules(
          { rule: '!has(self.text) || int(self.text) > 0', message: 'a number' },
          { rule: '!has(self.when) || timestamp(self.when) < timestamp("2030-01-01T00:00:00Z")', message: 'early' },
          { rule: 'self.size != 50 || self.tags[7] == "x"', message: 'eighth' },
          { rule: 'self.size != 51 || self.limits["none"] == 1', message: 'limit' },
          { rule: 'self.size != 52 || 100 / (self.size - 52) > 1', message: 'division' },
        ),
      ),
    );
    await tryAll(t, [
      { text: 'abc' },
      { text: '-1' },
      { when: 'today' },
      { when: '2031-01-01T00:00:00Z' },
      { size: 50 },
      { size: 51 },
      { size: 52 },
    ]);
  },
  'types-in-rules': async (t) => {
    const properties = {
      when: { type: 'string', format: 'date-time' },
      day: { type: 'string', format: 'date' },
      wait: { type: 'string', format: 'duration' },
      blob: { type: 'string', format: 'byte' },
      either: { 'x-kubernetes-int-or-string': true },
      'odd-name': { type: 'string', maxLength: 5 },
      namespace: { type: 'string', maxLength: 5 },
      ratio: { type: 'number' },
    };
    const list = [
      { rule: '!has(self.when) || self.when < timestamp("2025-01-01T00:00:00Z")', message: 'when' },
      { rule: '!has(self.day) || self.day.getFullYear() == 2024', message: 'day' },
      { rule: '!has(self.wait) || self.wait < duration("1h")', message: 'wait' },
      { rule: '!has(self.blob) || self.blob != b"no"', message: 'blob' },
      {
        rule: '!has(self.either) || (type(self.either) == int ? self.either > 5 : self.either == "many")',
        message: 'either',
      },
      { rule: '!has(self.odd__dash__name) || self.odd__dash__name == "ok"', message: 'odd' },
      { rule: '!has(self.__namespace__) || self.__namespace__ == "ok"', message: 'namespace' },
      { rule: '!has(self.ratio) || self.ratio < 1.0', message: 'ratio' },
    ];
    await t.crd(widgetCrdWith(t, properties, rules(...list)));
    await tryAll(t, [
      { when: '2026-01-01T00:00:00Z' },
      { day: '2023-05-05' },
      { wait: '2h' },
      { blob: Buffer.from('no').toString('base64') },
      { either: 3 },
      { either: 'few' },
      { 'odd-name': 'bad' },
      { namespace: 'bad' },
      { ratio: 1.5 },
      { ratio: 2 },
      { when: '2024-01-01T00:00:00Z', day: '2024-05-05', wait: '5m', either: 'many', ratio: 0 },
    ]);
  },
  'more-library-functions': async (t) => {
    const properties = { text, list: { type: 'array', maxItems: 5, items: { type: 'integer' } } };
    const expressions: JsonObject = {
      replace: 'self.text.replace("a", "b") != "bb"',
      split: 'self.text.split(",").size() < 3',
      substring: 'self.text.size() < 3 || self.text.substring(0, 3) != "bad"',
      lower: 'self.text.lowerAscii() != "loud"',
      trim: 'self.text.trim() == self.text',
      find: 'self.text.find("[0-9]+") != "13"',
      format: '"%s!".format([self.text]) != "hey!"',
      dns: '!format.dns1123Label().validate(self.text).hasValue() || self.text.contains(" ") || self.text != "Upper"',
      cidr: '!isCIDR(self.text) || cidr(self.text).containsIP("10.0.0.1")',
      semver: '!isSemver(self.text) || semver(self.text).isLessThan(semver("2.0.0"))',
      quantity: '!isQuantity(self.text) || quantity(self.text).isGreaterThan(quantity("0"))',
    };
    const list = Object.entries(expressions).map(([message, rule]) => ({
      rule: `!has(self.text) || (${String(rule)})`,
      message,
    }));
    const sums = [
      { rule: '!has(self.list) || self.list.sum() < 10', message: 'sum' },
      { rule: '!has(self.list) || self.list.max() < 8', message: 'max' },
      { rule: '!has(self.list) || self.list.indexOf(3) != 0', message: 'indexOf' },
      { rule: '!has(self.list) || self.list.filter(x, x > 1).size() < 3', message: 'filter' },
    ];
    await t.crd(widgetCrdWith(t, properties, rules(...list, ...sums)));
    const texts = [
      'aa',
      'a,b,c',
      'y',
      'badly',
      'LOUD',
      ' x',
      'a13b',
      'hey',
      'Upper',
      '192.168.0.0/16',
      '3.1.0',
      '-5',
      'ok',
    ];
    await tryAll(
      t,
      texts.map((each) => ({ text: each })),
    );
    await tryAll(t, [{ list: [5, 6] }, { list: [9] }, { list: [3] }, { list: [2, 2, 2] }, { list: [1, 3] }]);
  },
  'rules-about-the-whole-object': async (t) => {
    const version = widgetVersion('v1');
    const schema = (version.schema as JsonObject).openAPIV3Schema as JsonObject;
    const whole = {
      ...schema,
      ...rules(
        { rule: 'self.metadata.name.startsWith("w-")', message: 'names start with w-' },
        {
          rule: '!has(self.status) || !has(self.status.phase) || self.status.phase != self.spec.color',
          message: 'phase and color differ',
        },
        { rule: 'self.kind == "Widget" && self.apiVersion.endsWith("/v1")', message: 'type' },
      ),
    };
    const color = { type: 'string', default: 'red' };
    const spec = { type: 'object', default: {}, properties: { color } };
    const properties = { ...(schema.properties as JsonObject), spec };
    await t.crd(widgetCrd(t, [{ ...version, schema: { openAPIV3Schema: { ...whole, properties } } }]));
    await t.post(widgets(t), widget(t, 'one'));
    await t.post(widgets(t), widget(t, 'w-one'));
    await t.patch(`${widgets(t, 'w-one')}/status`, 'merge', { status: { phase: 'red' } });
    await t.patch(`${widgets(t, 'w-one')}/status`, 'merge', { status: { phase: 'blue' } });
    const bad = widgetCrd(t, [
      { ...version, schema: { openAPIV3Schema: { ...schema, ...rules({ rule: 'self.metadata.labels.size() > 0' }) } } },
    ]);
    await t.post(`${crds}?dryRun=All`, bad, { show: causes });
  },
  'rules-in-maps-and-embedded-objects': async (t) => {
    const properties = {
      limits: {
        type: 'object',
        maxProperties: 4,
        additionalProperties: { type: 'integer', ...rules({ rule: 'self < 10', message: 'below ten' }) },
        ...rules({ rule: 'self.all(k, k.size() < 4)', message: 'short keys' }),
      },
      template: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 60 } } } },
        ...rules({ rule: 'self.kind != "Secret" && self.metadata.name != "no"', message: 'no secrets' }),
      },
    };
    await t.crd(widgetCrdWith(t, properties));
    await tryAll(t, [
      { limits: { cpu: 11 } },
      { limits: { memory: 1 } },
      { limits: { 'a.b': 12 } },
      { template: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } } },
      { template: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'no' } } },
      { template: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'yes' }, data: { a: '1' } } },
    ]);
  },
  'rules-run-after-schemas': async (t) => {
    const size = { type: 'integer', minimum: 0, ...rules({ rule: 'self % 2 == 0', message: 'even' }) };
    await t.crd(widgetCrdWith(t, { size }, rules({ rule: 'self.size != 6', message: 'six' })));
    await tryAll(t, [{ size: -1 }, { size: 'x' }, { size: 3 }, { size: 6 }, { size: 3, color: 'purple' }]);
  },
  'a-rule-ratchets': async (t) => {
    await t.crd(widgetCrdWith(t, { text }));
    await t.post(widgets(t), widget(t, 'one', { text: 'old', size: 5 }), { quiet: true });
    const strict = widgetCrdWith(t, { text: { ...text, ...rules({ rule: 'self == "new"', message: 'be new' }) } });
    await redefine(t, strict, { spec: { text: 'old' }, code: 422 });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 6 } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { text: 'older' } });
    await t.patch(widgets(t, 'one'), 'merge', { metadata: { labels: { a: 'b' } } });
    const whole = widgetCrdWith(
      t,
      { text },
      rules(
        { rule: '!has(self.text) || self.text == "new"', message: 'be new' },
        { rule: '!has(self.size) || self.size != 99', message: 'tells this definition from the one before' },
      ),
    );
    await redefine(t, whole, { spec: { size: 99 }, code: 422 });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 7 } });
    await t.patch(`${widgets(t, 'one')}/status`, 'merge', { status: { phase: 'a' } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { text: 'new' } });
  },
  'rules-apply-to-patches-and-applies': async (t) => {
    await t.crd(
      widgetCrdWith(
        t,
        {},
        rules({ rule: 'self.size < 50', message: 'small', reason: 'FieldValueForbidden', fieldPath: '.size' }),
      ),
    );
    await t.patch(`${widgets(t, 'one')}?fieldManager=a`, 'apply', widget(t, 'one', { size: 60 }));
    await t.patch(`${widgets(t, 'one')}?fieldManager=a`, 'apply', widget(t, 'one', { size: 40 }));
    await t.patch(widgets(t, 'one'), 'json', [{ op: 'replace', path: '/spec/size', value: 60 }]);
    await t.put(widgets(t, 'one'), widget(t, 'one', { size: 70 }));
    await t.post(`${widgets(t)}?dryRun=All`, widget(t, 'two', { size: 60 }));
  },
});
