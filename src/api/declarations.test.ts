import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type Json, type JsonSchema } from '../schema/index.ts';
import { kindCases } from './cases/index.ts';
import { caseVerdict, ownJudge } from './cases/kind-case.ts';
import { storageVersionOf } from './declare.ts';
import { allKinds, crdOf, exampleOf, findKind, judge, schemaOf, validatorOf } from './index.ts';

for (const kind of allKinds) {
  for (const { version } of kind.versions) {
    test(`${kind.kind} ${version} compiles`, () => {
      assert.equal(typeof validatorOf(kind, version).validateCreate, 'function');
    });
  }

  test(`the example of ${kind.kind} is accepted and has no unknown field`, () => {
    const example = exampleOf(kind);
    assert.ok(example, 'there is an example');
    const version = String(example.apiVersion).split('/')[1] ?? '';
    const { errors, unknownFields } = judge(validatorOf(kind, version), { object: example });
    assert.deepEqual([errors, unknownFields], [[], []]);
    assert.deepEqual([example.kind, example.apiVersion], [kind.kind, `${kind.group}/${version}`]);
  });

  test(`${kind.kind} has cases of both verdicts, six or more`, () => {
    const own = kindCases.filter((one) => one.kind === kind);
    assert.ok(own.length >= 6, `${own.length} cases`);
    assert.ok(own.some((one) => one.verdict === 'accepted'));
    assert.ok(own.some((one) => one.verdict !== 'accepted'));
  });
}

const causesOf = ownJudge();

for (const one of kindCases) {
  test(`${one.kind.kind} ${one.version}: ${one.title}`, () => {
    assert.equal(caseVerdict(one, causesOf(one)), undefined);
  });
}

test('a verdict that differs is told', () => {
  const [good] = kindCases.filter((one) => one.verdict === 'accepted');
  const [bad] = kindCases.filter((one) => one.verdict !== 'accepted');
  assert.ok(good && bad);
  assert.match(caseVerdict(good, [{ field: 'spec', reason: 'FieldValueInvalid' }]) ?? '', /should be accepted/);
  assert.match(caseVerdict(bad, []) ?? '', /was accepted/);
  assert.match(
    caseVerdict(bad, [{ field: 'elsewhere', reason: 'FieldValueInvalid' }]) ?? '',
    /was refused for elsewhere/,
  );
});

test('names of kinds, plurals and short names clash nowhere in a group', () => {
  for (const names of [
    allKinds.map((kind) => `${kind.group}/${kind.kind}`),
    allKinds.flatMap((kind) => {
      const names = new Set([kind.plural, kind.singular, ...(kind.shortNames ?? [])]);
      return [...names].map((name) => `${kind.group}/${name}`);
    }),
  ]) {
    assert.equal(new Set(names).size, names.length);
  }
});

test('both spellings of SwitchPortConfiguration find the one kind', () => {
  assert.equal(findKind('metal3.io', 'SwitchportConfiguration'), findKind('metal3.io', 'SwitchPortConfiguration'));
  assert.equal(findKind('metal3.io', 'SwitchPortConfiguration')?.plural, 'switchportconfigurations');
  assert.equal(findKind('example.com', 'SwitchPortConfiguration'), undefined);
});

test('a CRD holds plain JSON only', () => {
  for (const kind of allKinds) {
    const crd = crdOf(kind);
    assert.deepEqual(JSON.parse(JSON.stringify(crd)), crd);
    assert.deepEqual(
      keysOf(crd).filter((key) => key.startsWith('~')),
      [],
    );
  }
});

test('a kind of several versions has a conversion to be filled in, a kind of one has none', () => {
  for (const kind of allKinds) {
    const { conversion } = crdOf(kind).spec;
    assert.deepEqual(conversion, kind.versions.length > 1 ? { strategy: 'None' } : undefined);
    assert.equal(storageVersionOf(kind).storage, true);
  }
});

test('every field has a description', () => {
  const silent = allKinds.flatMap((kind) =>
    kind.versions.flatMap((version) => undescribed(schemaOf(kind, version), `${kind.kind} ${version.version} `)),
  );
  assert.deepEqual(silent, []);
});

test('a list map names keys that its items require or default', () => {
  const faults = allKinds.flatMap((kind) =>
    kind.versions.flatMap((version) => looseListMaps(schemaOf(kind, version), `${kind.kind} ${version.version} `)),
  );
  assert.deepEqual(faults, []);
});

function keysOf(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  return isJsonObject(value) ? Object.entries(value).flatMap(([key, below]) => [key, ...keysOf(below)]) : [];
}

function walk(schema: JsonSchema, path: string, visit: (schema: JsonSchema, path: string) => string[]): string[] {
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    walk(field, `${path}.${name}`, visit),
  );
  const items = schema.items === undefined ? [] : walk(schema.items, `${path}[]`, visit);
  const more = schema.additionalProperties;
  return [
    ...visit(schema, path),
    ...below,
    ...items,
    ...(typeof more === 'object' ? walk(more, `${path}.*`, visit) : []),
  ];
}

function undescribed(root: JsonSchema, path: string): string[] {
  return walk(root, path, (schema, here) => {
    const names = Object.entries(schema.properties ?? {}).filter(([, field]) => (field.description ?? '') === '');
    return names.map(([name]) => `${here}.${name}`).filter((field) => field !== `${path}.metadata`);
  });
}

function looseListMaps(root: JsonSchema, path: string): string[] {
  return walk(root, path, (schema, here) => {
    const keys = schema['x-kubernetes-list-map-keys'] ?? [];
    const isSure = (key: string) =>
      schema.items?.required?.includes(key) || schema.items?.properties?.[key]?.default !== undefined;
    return keys.filter((key) => !isSure(key)).map((key) => `${here} ${key}`);
  });
}
