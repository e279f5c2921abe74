import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { adminRoutes } from './admin/admin-routes.ts';
import { faultKinds, resetMoments } from './faults/fault.ts';
import { faultFields, parseFaults } from './faults/parse-faults.ts';
import { componentTypes } from './images/component-type.ts';
import { allPersonalities } from './personalities/index.ts';

const page = readFileSync(resolve(import.meta.dirname, '../docs/simulator.md'), 'utf8');

/** The rows of the page's tables, by what is in backticks in their first cell. */
function rowOf(name: string): string {
  return page.split('\n').find((line) => line.startsWith('|') && line.split('|')[1]?.includes(`\`${name}\``)) ?? '';
}

test('the page explains every kind of fault, and no other', () => {
  const section = page.slice(page.indexOf('| kind | what happens'), page.indexOf('## The admin API'));
  const explained = [...section.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, kind]) => kind);
  assert.deepEqual(explained, [...faultKinds]);
});

test('the page explains every field of a rule, and what can be in it', () => {
  for (const field of faultFields) assert.notEqual(rowOf(field), '', field);
  for (const component of componentTypes) assert.ok(rowOf('component').includes(`\`${component}\``), component);
  for (const moment of resetMoments) assert.ok(rowOf('moment').includes(`\`${moment}\``), moment);
});

test('the example of the page is a file that is taken', () => {
  const [, example = ''] = /^```yaml\n(faults:.*?)^```$/ms.exec(page) ?? [];
  assert.equal(parseFaults(example).length, 3);
});

test('the page has every kind of BMC with its models and the limits that its clients meet', () => {
  for (const { name, models, limits } of allPersonalities) {
    const row = rowOf(name);
    for (const model of models) assert.ok(row.includes(model), `${name} ${model}`);
    // iLO 6 is told by what it differs in from iLO 5.
    if (name !== 'hpe-ilo6') assert.match(row, new RegExp(`${limits.sessions} sessions`), name);
    if (limits.lockoutThreshold > 0 && name !== 'hpe-ilo6')
      assert.match(row, new RegExp(`locked after ${limits.lockoutThreshold} `), name);
  }
});

test('the page has every request of the admin API', () => {
  for (const { method, path } of adminRoutes) assert.ok(page.includes(`\`${method} ${path}\``), `${method} ${path}`);
});
