import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileTemplate, readOutputForm } from '../output/output-form.ts';
import { formatObjects } from './print-objects.ts';

const object = { metadata: { name: 'a', labels: { x: 'y' } }, spec: { ports: [{ n: 1 }, { n: 2 }], on: true } };

const templates: [string, string][] = [
  ['{.metadata.name}', 'a'],
  ['.metadata.name', 'a'],
  ['metadata.name', 'a'],
  ['{.spec.ports[*].n}', '1 2'],
  ['{.metadata.labels}', '{"x":"y"}'],
  ['name={.metadata.name}{"\\n"}on={.spec.on}', 'name=a\non=true'],
  ['{.spec.missing}', ''],
  ['{.spec.ports[?(@.n==2)].n}', '2'],
];

for (const [template, expected] of templates) {
  test(`the template ${template} gives ${JSON.stringify(expected)}`, () => {
    assert.equal(compileTemplate(template)(object), expected);
  });
}

for (const template of ['{.metadata.name', '{range .items[*]}{.x}{end}', '{.a[}']) {
  test(`the template ${template} is refused`, () => {
    assert.throws(() => compileTemplate(template), { name: 'CliError' });
  });
}

test('an unknown form of output is refused with the ones there are', () => {
  assert.throws(() => readOutputForm('xml'), /json, yaml, name, wide and jsonpath=TEMPLATE/);
});

test('words that YAML 1.1 takes for booleans come quoted', () => {
  const text = formatObjects([{ spec: { a: 'yes', b: 'on', c: '1:30' } }], {
    form: 'yaml',
    isSingle: true,
    hasManagedFields: false,
  });
  assert.equal(text, 'metadata: {}\nspec:\n  a: "yes"\n  b: "on"\n  c: "1:30"\n');
});
