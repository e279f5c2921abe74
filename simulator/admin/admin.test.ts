import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type DataCentre, startDataCentre } from '../data-centre.ts';
import { type AdminServer, startAdminServer } from './admin-server.ts';
import type { OfferedFirmware } from './firmware-routes.ts';

let dataCentre: DataCentre;
let admin: AdminServer;

before(async () => {
  dataCentre = await startDataCentre({
    seed: 3,
    servers: 2,
    speed: 1000,
    personalities: ['dell-idrac9'],
    isPlain: true,
  });
  admin = await startAdminServer(dataCentre);
});

after(async () => {
  await admin.close();
  await dataCentre.close();
});

async function ask(method: string, path: string, body?: unknown, token = admin.token) {
  const answer = await fetch(`${admin.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    text,
    body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}

test('nothing is shown or changed without the token', async () => {
  assert.equal((await ask('GET', '/v1/bmcs', undefined, 'wrong')).status, 401);
  assert.equal((await ask('PUT', '/v1/faults', [], 'wrong')).status, 401);
  assert.equal((await ask('GET', '/', undefined, 'wrong')).status, 200);
});

test('servers are listed with what they are and do, without passwords', async () => {
  const { body, text } = await ask('GET', '/v1/bmcs');
  assert.equal((body.bmcs as object[]).length, 2);
  const one = await ask('GET', '/v1/bmcs/r01-s01');
  assert.ok((one.body.firmware as object[]).length > 20);
  for (const { password } of dataCentre.bmcs) assert.ok(!text.includes(password) && !one.text.includes(password));
  const login = await ask('GET', '/v1/bmcs/r01-s01/login');
  assert.equal(login.body.password, dataCentre.bmc('r01-s01').password);
});

test('the power button works and its effect is in the log', async () => {
  assert.equal((await ask('POST', '/v1/bmcs/r01-s01/reset', { type: 'On' })).status, 200);
  assert.equal((await ask('POST', '/v1/bmcs/r01-s01/reset', { type: 'Explode' })).status, 409);
  assert.match((await ask('GET', '/v1/bmcs/r01-s01/log')).text, /power\./);
});

test('faults are replaced, added to and cleared, and bad ones change nothing', async () => {
  assert.equal((await ask('PUT', '/v1/faults', [{ kind: 'busy', rate: 0.5 }])).status, 200);
  assert.equal((await ask('POST', '/v1/faults', [{ kind: 'slow-answer', durationMs: 10 }])).status, 200);
  assert.equal(dataCentre.faults.length, 2);
  for (const bad of [[{ kind: 'gremlins' }], [{ kind: 'busy', rate: 7 }], { no: 'list' }, '{']) {
    const refused = await ask('PUT', '/v1/faults', bad);
    assert.equal(refused.status, 400, JSON.stringify(bad));
    assert.ok(typeof refused.body.error === 'string' && refused.body.error.length > 10);
  }
  assert.equal(dataCentre.faults.length, 2);
  assert.equal((await ask('DELETE', '/v1/faults')).status, 200);
  assert.equal(dataCentre.faults.length, 0);
});

test('switch ports are shown with who is plugged in, set, and asked whether they can talk', async () => {
  const { body } = await ask('GET', '/v1/switches');
  const [first] = body.switches as { name: string }[];
  const shown = (await ask('GET', `/v1/switches/${first?.name}`)).body as {
    ports: { name: string; lldp: object | null }[];
  };
  const [a, b] = shown.ports.filter(({ lldp }) => lldp !== null);
  assert.ok(a !== undefined && b !== undefined && first !== undefined);
  const path = (port: string) => `/v1/switches/${first.name}/ports/${encodeURIComponent(port)}`;
  assert.equal((await ask('PUT', path(a.name), { untaggedVLAN: 10 })).status, 200);
  assert.equal((await ask('PUT', path(b.name), { untaggedVLAN: 11, vlans: '20-22' })).status, 200);
  const reach = { from: { switch: first.name, port: a.name }, to: { switch: first.name, port: b.name } };
  assert.equal((await ask('POST', '/v1/reach', reach)).body.canTalk, false);
  await ask('PUT', path(b.name), { untaggedVLAN: 10 });
  assert.equal((await ask('POST', '/v1/reach', reach)).body.canTalk, true);
  for (const bad of [{ untaggedVLAN: 4095 }, { vlans: '9-3' }, { vlan: 3 }, { acl: [{ type: 'ipx' }] }, []]) {
    assert.equal((await ask('PUT', path(a.name), bad)).status, 400, JSON.stringify(bad));
  }
});

test('what does not exist gets an answer that says where to look', async () => {
  assert.match((await ask('GET', '/v1/bmcs/r99-s99')).text, /GET \/v1\/bmcs lists them/);
  assert.equal((await ask('GET', '/v1/nothing')).status, 404);
  assert.equal((await ask('DELETE', '/v1/bmcs')).status, 405);
});

test('firmware that can be had is listed, and its images are what they say, for anybody who asks', async () => {
  const { machine, name } = dataCentre.bmcs[0] ?? assert.fail();
  const { firmware } = (await ask('GET', `/v1/bmcs/${name}/firmware`)).body as { firmware: OfferedFirmware[] };
  const bios = firmware.filter(({ component }) => component === 'bios');
  assert.ok(bios.length > 1);
  for (const { softwareId, version, slots, image } of bios) {
    assert.deepEqual(
      slots,
      machine.firmware.filter((slot) => slot.softwareId === softwareId).map(({ slot, version }) => ({ slot, version })),
    );
    const answer = await fetch(`${admin.url}${image}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(Number(answer.headers.get('content-length')), bytes.length);
    assert.equal(answer.headers.get('etag'), `"${createHash('sha256').update(bytes).digest('hex')}"`);
    assert.equal(JSON.parse(bytes.toString('utf8').split('\n')[1] ?? '').version, version);
  }
  assert.equal((await fetch(`${admin.url}/v1/images/${name}/none/1`)).status, 404);
});

test('the list of what there is has paths that can be read', async () => {
  const routes = (await ask('GET', '/')).body.routes as string[];
  assert.ok(routes.includes('GET /v1/bmcs/{server}/log what happened to it, in simulated time'), routes.join('\n'));
  for (const route of routes) assert.match(route, /^[A-Z]+ \/[\w/{}]* /);
});

test('a path that is badly encoded is a mistake of the caller, told only to who has the token', async () => {
  assert.equal((await ask('GET', '/v1/bmcs/%zz/log', undefined, 'wrong')).status, 401);
  const refused = await ask('GET', '/v1/bmcs/%zz/log');
  assert.equal(refused.status, 400);
  assert.match(String(refused.body.error), /"%zz"/);
  assert.equal((await ask('GET', '/v1/images/%zz/a/b', undefined, 'wrong')).status, 400);
});
