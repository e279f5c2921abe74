import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import type { SmallHandler } from '../http/testing/small-bmc.ts';
import { patchWithEtag } from './patch-with-etag.ts';
import { openTestGate } from './testing/test-gate.ts';

const path = '/redfish/v1/Systems/1';
const conditionsOf = (seen: readonly { method: string; headers: { 'if-match'?: string | undefined } }[]) =>
  seen.filter(({ method }) => method === 'PATCH').map(({ headers }) => headers['if-match']);

interface Case {
  readonly name: string;
  readonly header?: string;
  readonly body?: object;
  readonly onPatch: (condition: string | undefined) => number;
  readonly sent: readonly (string | undefined)[];
  readonly status?: number;
}

const cases: readonly Case[] = [
  { name: 'the tag of the header is the condition', header: '"1"', onPatch: () => 200, sent: ['"1"'] },
  {
    name: 'the tag of the body is the condition when no header has it',
    body: { '@odata.etag': 'W/"2"' },
    onPatch: () => 200,
    sent: ['W/"2"'],
  },
  { name: 'what compression adds is taken off', header: '"1-gzip"', onPatch: () => 200, sent: ['"1"'] },
  {
    name: 'a refused weak tag is tried as a strong one',
    header: 'W/"1"',
    onPatch: (c) => (c === '"1"' ? 204 : 412),
    sent: ['W/"1"', '"1"'],
  },
  {
    name: 'a BMC that takes no tag gets none',
    header: 'W/"1"',
    onPatch: (c) => (c === undefined ? 204 : 412),
    sent: ['W/"1"', '"1"', undefined],
  },
  { name: 'without a tag none is sent', onPatch: () => 200, sent: [undefined] },
  {
    name: 'a BMC that gives no tag but wants one gets any',
    onPatch: (c) => (c === undefined ? 428 : 200),
    sent: [undefined, '*'],
  },
  {
    name: 'a BMC that wants a tag and takes none is an error',
    header: '"1"',
    onPatch: (c) => (c === undefined ? 428 : 412),
    sent: ['"1"', undefined],
    status: 428,
  },
  { name: 'other refusals are not argued with', header: 'W/"1"', onPatch: () => 400, sent: ['W/"1"'], status: 400 },
];

for (const { name, header, body, onPatch, sent, status } of cases) {
  test(name, async (t) => {
    const { lane, bmc } = await openTestGate(t);
    const get: SmallHandler = () => ({ headers: header === undefined ? {} : { etag: header }, body: body ?? {} });
    bmc.on(`GET ${path}`, get);
    bmc.on(`PATCH ${path}`, ({ headers }) => onPatch(headers['if-match']));
    const patch = patchWithEtag(lane, path, { a: 1 }, { isDisruptive: true });
    if (status === undefined) await patch;
    else await assert.rejects(patch, (error) => isBmcError(error, 'refused') && error.status === status);
    assert.deepEqual(conditionsOf(bmc.seen), sent);
  });
}

test('where a tag is mandatory and the resource changed meanwhile, it is read again', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  let version = 0;
  bmc.on(`GET ${path}`, () => ({ headers: { etag: `"${++version}"` }, body: {} }));
  bmc.on(`PATCH ${path}`, ({ headers }) => {
    const condition = headers['if-match'];
    return condition === undefined ? 428 : condition === '"2"' ? 200 : 412;
  });
  await patchWithEtag(lane, path, { a: 1 });
  assert.deepEqual(conditionsOf(bmc.seen), ['"1"', undefined, '"2"']);
});
