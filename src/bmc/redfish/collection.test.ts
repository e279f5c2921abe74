import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import { collection, sampleTree } from '../testing/sample-tree.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { listPaths, readCollection } from './collection.ts';
import { beginReading } from './reading.ts';

const expanding = { ProtocolFeaturesSupported: { ExpandQuery: { ExpandAll: true, Levels: true, MaxLevels: 3 } } };
const things = '/redfish/v1/Things';
const three = collection(things, { a: { V: 1 }, b: { V: 2 }, c: { V: 3 } });
const ids = (members: readonly { readonly path: string }[]) => members.map(({ path }) => path.slice(-1)).join('');

test('members are read one by one where the BMC cannot expand', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ more: three }) });
  const { members, gaps } = await readCollection(bmc, things);
  assert.equal(ids(members), 'abc');
  assert.deepEqual(members[1]?.body.V, 2);
  assert.deepEqual(gaps, []);
  assert.equal(gate.lines.filter((line) => line.includes('Things')).length, 4);
});

test('all members come in one answer where the BMC can expand', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ root: expanding, more: three }), canExpand: true });
  assert.equal(ids((await readCollection(bmc, things)).members), 'abc');
  assert.deepEqual(gate.lines, ['GET /redfish/v1/', `GET ${things}?$expand=*($levels=1)`]);
});

test('a BMC that advertises expanding and does not do it is asked one by one, and not that way again', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ root: expanding, more: three }) });
  assert.equal(ids((await readCollection(bmc, things)).members), 'abc');
  await readCollection(bmc, things);
  assert.equal(gate.lines.filter((line) => line.includes('$expand')).length, 1);
});

test('a BMC that refuses to expand is asked without', async () => {
  for (const wrong of ['refused', 'malformed', 'timeout', 'busy', 'notFound'] as const) {
    const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ root: expanding, more: three }), canExpand: true });
    gate.on(`GET ${things}?$expand=*($levels=1)`, () => wrong);
    const { members, gaps } = await readCollection(bmc, things);
    assert.equal(ids(members), 'abc', wrong);
    assert.deepEqual(gaps, []);
  }
});

test('one collection that cannot be expanded leaves the others expanded; after three it is not tried any more', async () => {
  const names = ['P', 'Q', 'R', 'S', 'T'];
  const more = Object.assign({}, ...names.map((name) => collection(`/redfish/v1/${name}`, { a: { V: 1 } })));
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ root: expanding, more }), canExpand: true });
  const asked = (name: string) => gate.lines.filter((line) => line.includes(`/${name}?$expand`)).length;
  for (const name of ['P', 'R', 'S']) gate.on(`GET /redfish/v1/${name}?$expand=*($levels=1)`, () => 'refused');
  for (const name of names) await readCollection(bmc, `/redfish/v1/${name}`);
  assert.deepEqual(names.map(asked), [1, 1, 1, 1, 0]);
});

test('members that are given in place are not asked for again', async () => {
  const whole = { '@odata.id': `${things}/a`, Id: 'a', Name: 'a', V: 1 };
  const more = { ...three, [things]: { Members: [whole, { '@odata.id': `${things}/b`, Name: 'b' }, 5, null] } };
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ more }) });
  assert.equal(ids((await readCollection(bmc, things)).members), 'ab');
  assert.equal(gate.lines.includes(`GET ${things}/a`), false);
});

test('pages are followed to their end, also by absolute links of the same BMC', async () => {
  const page = (from: string, next?: string) => ({
    Members: [{ '@odata.id': `${things}/${from}` }],
    'Members@odata.count': 3,
    ...(next === undefined ? {} : { 'Members@odata.nextLink': next }),
  });
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ more: three }) });
  gate.on(`GET ${things}`, () => ({ body: page('a', `${things}?$skip=1`) }));
  gate.on(`GET ${things}?$skip=1`, () => ({ body: page('b', `https://bmc.test${things}?$skip=2`) }));
  gate.on(`GET ${things}?$skip=2`, () => ({ body: page('c', 'https://elsewhere.test/') }));
  const { members, gaps } = await readCollection(bmc, things);
  assert.equal(ids(members), 'abc');
  assert.deepEqual(gaps, []);
  assert.deepEqual(
    await listPaths(bmc, things),
    ['a', 'b', 'c'].map((id) => `${things}/${id}`),
  );
});

test('pages that lead in a circle end, and that is told', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ more: three }) });
  gate.on(`GET ${things}`, () => ({
    body: { Members: [{ '@odata.id': `${things}/a` }], 'Members@odata.nextLink': things },
  }));
  const { members, gaps } = await readCollection(bmc, things);
  assert.equal(ids(members), 'a');
  assert.match(gaps[0]?.reason ?? '', /circle/);
});

test('pages without end are cut off, and that is told', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
  let page = 0;
  const answer = () => {
    page += 1;
    return { body: { Members: [], 'Members@odata.nextLink': `${things}?$skip=${page}` } };
  };
  gate.on(`GET ${things}`, answer);
  const { members, gaps } = await readCollection(bmc, things);
  assert.deepEqual(members, []);
  assert.match(gaps[0]?.reason ?? '', /goes on/);
  assert.equal(page, 200);
});

test('a member that is gone or broken is a gap, and the others are there', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ more: three }) });
  gate.tree.delete(`${things}/b`);
  gate.on(`GET ${things}/c`, () => 'malformed');
  const { members, gaps } = await readCollection(bmc, things);
  assert.equal(ids(members), 'a');
  assert.deepEqual(
    gaps.map(({ path }) => path),
    [`${things}/b`, `${things}/c`],
  );
});

test('a list that is shorter than it says is told', async () => {
  const more = { ...three, [things]: { ...three[things], 'Members@odata.count': 5 } };
  const { bmc } = createScriptedBmc({ tree: sampleTree({ more }) });
  assert.match((await readCollection(bmc, things)).gaps[0]?.reason ?? '', /5 members but lists 3/);
});

test('refused credentials, lost leases and the like end the reading', async () => {
  for (const code of ['credentials', 'leaseLost', 'certificate', 'lockedOut', 'sessionsExhausted'] as const) {
    const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ more: three }) });
    gate.on(`GET ${things}/b`, () => code);
    await assert.rejects(readCollection(bmc, things), (error) => isBmcError(error, code));
    assert.equal(gate.lines.includes(`GET ${things}/c`), false);
  }
});

test('a BMC that does not answer three times in a row is given up, but not for one bad resource', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ more: three }) });
  const reading = beginReading(bmc);
  for (const id of ['a', 'b']) gate.on(`GET ${things}/${id}`, () => 'timeout');
  assert.equal(await reading.get(`${things}/a`), undefined);
  assert.equal(await reading.get(`${things}/b`), undefined);
  assert.notEqual(await reading.get(`${things}/c`), undefined);
  assert.equal(await reading.get(`${things}/a`), undefined);
  assert.equal(await reading.get(`${things}/b`), undefined);
  await assert.rejects(reading.get(`${things}/a`), (error) => isBmcError(error, 'timeout'));
});

test('a collection that cannot be read is an error', async () => {
  const { bmc } = createScriptedBmc({ tree: sampleTree() });
  await assert.rejects(readCollection(bmc, '/redfish/v1/Nothing'), (error) => isBmcError(error, 'notFound'));
});
