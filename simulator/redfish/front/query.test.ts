import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ServiceFeatures } from '../../personalities/personality.ts';
import { createFakeMachine, fakeLogin } from './testing/fake-machine.ts';
import { createFakeRoutes } from './testing/fake-routes.ts';
import { ask, basic, serve } from './testing/wire.ts';

async function start(context: TestContext, service: Partial<ServiceFeatures>) {
  const fake = createFakeMachine({ service });
  const { urls } = await serve(context, [fake.machine], { routes: createFakeRoutes().routes });
  return (path: string) => ask(`${urls[0]}${path}`, { headers: basic(fakeLogin) });
}

const systems = '/redfish/v1/Systems';

test('pages of a collection follow each other to the end', async (t) => {
  const read = await start(t, { pageSize: 2 });
  const seen: string[] = [];
  let pages = 0;
  for (let next: string | undefined = systems; next !== undefined; pages++) {
    const { json } = await read(next);
    assert.equal(json['Members@odata.count'], 5);
    seen.push(...json.Members.map((member: { '@odata.id': string }) => member['@odata.id'].slice(-1)));
    next = json['Members@odata.nextLink'];
  }
  assert.deepEqual([seen.join(''), pages], ['abcde', 3]);
});

test('$top and $skip cut a collection, also past its end', async (t) => {
  const read = await start(t, {});
  const ids = async (query: string) =>
    (await read(`${systems}?${query}`)).json.Members.map((member: { '@odata.id': string }) =>
      member['@odata.id'].slice(-1),
    ).join('');
  assert.equal(await ids('$top=2'), 'ab');
  assert.equal(await ids('$skip=3'), 'de');
  assert.equal(await ids('$skip=1&$top=2'), 'bc');
  assert.equal(await ids('$skip=9'), '');
  for (const query of ['$top=-1', '$skip=x', '$expand=Members('])
    assert.equal((await read(`${systems}?${query}`)).status, 400);
});

test('$expand inlines members, page by page, and keeps going in the next link', async (t) => {
  const read = await start(t, { hasExpand: true, pageSize: 2 });
  const { json } = await read(`${systems}?$expand=*($levels=1)`);
  assert.deepEqual(
    json.Members.map((member: { Id: string }) => member.Id),
    ['a', 'b'],
  );
  const next = await read(json['Members@odata.nextLink']);
  assert.deepEqual(
    next.json.Members.map((member: { Id: string }) => member.Id),
    ['c', 'd'],
  );
});

test('an expanded answer carries the ETag of the resource itself', async (t) => {
  const read = await start(t, { hasExpand: true });
  const plain = await read(systems);
  assert.equal((await read(`${systems}?$expand=.`)).headers.etag, plain.headers.etag);
});

test('$expand tells links of the resource from those in Links, and stops at its level', async (t) => {
  const read = await start(t, { hasExpand: true });
  const chassisOf = async (expansion: string) =>
    (await read(`${systems}/a?$expand=${expansion}`)).json.Links.Chassis[0];
  assert.equal((await chassisOf('.')).Members, undefined);
  assert.equal((await chassisOf('~')).Members.length, 5);
  assert.equal((await chassisOf('*')).Members[0].Id, undefined);
  assert.equal((await chassisOf('*($levels=2)')).Members[0].Id, 'a');
});

test('$expand and $select are ignored where they are not offered', async (t) => {
  const read = await start(t, { hasExpand: false });
  const { status, json } = await read(`${systems}?$expand=*($levels=1)&$select=Name`);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(json.Members[0]), ['@odata.id']);
});
