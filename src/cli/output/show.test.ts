import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { readOutputForm } from './output-form.ts';
import { renderShown, showList } from './show.ts';

interface Host {
  readonly name: string;
  readonly rack: string;
  readonly note?: string | undefined;
}

const hosts: readonly Host[] = [
  { name: 'h1', rack: 'a', note: 'on\u001b[2J fire' },
  { name: 'h2', rack: 'b', note: undefined },
];
const shown = showList(
  hosts,
  [
    { title: 'NAME', cell: ({ name }) => name },
    { title: 'RACK', cell: ({ rack }) => rack, isWide: true },
    { title: 'NOTE', cell: ({ note = '' }) => note },
  ],
  ({ name }) => `host/${name}`,
);
const render = (form?: string): string => renderShown(shown, readOutputForm(form));

describe('a list', () => {
  test('is a table for people, without what could harm their terminal', () => {
    assert.equal(render(), 'NAME   NOTE\nh1     on [2J fire\nh2\n');
  });
  test('has more columns with -o wide', () => {
    assert.match(render('wide'), /^NAME +RACK +NOTE$/m);
  });
  test('is the same value as JSON and as YAML', () => {
    const value = {
      items: [
        { name: 'h1', rack: 'a', note: 'on\u001b[2J fire' },
        { name: 'h2', rack: 'b' },
      ],
    };
    assert.deepEqual(JSON.parse(render('json')), value);
    assert.deepEqual(parse(render('yaml')), value);
  });
  test('gives names and what a template picks', () => {
    assert.equal(render('name'), 'host/h1\nhost/h2\n');
    assert.equal(render('jsonpath={.items[*].rack}'), 'a b');
  });
  test('that is empty is nothing for people and an empty list for programs', () => {
    const none = showList([], []);
    assert.equal(renderShown(none, readOutputForm(undefined)), '');
    assert.deepEqual(JSON.parse(renderShown(none, readOutputForm('json'))), { items: [] });
  });
  test('without names says so', () => {
    assert.throws(() => renderShown({ value: {}, text: () => '' }, readOutputForm('name')), /has no names/);
  });
});
