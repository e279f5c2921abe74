import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Agent, request } from 'undici';
import { smallDisk } from '../../src/kube/index.ts';
import { startUp } from './cli-fixture.ts';
import { untilSo } from './work-services.ts';

test('rackwright up survives a full disk: new work is refused with the reason, deletions are stored, and room ends it', async (t) => {
  const disk = smallDisk(t, 160);
  if (disk === undefined) return;
  const dataDir = disk.directory;
  const up = await startUp(dataDir, ['--simulate', '0']);
  t.after(() => up.end('SIGKILL'));
  const read = (name: string) => readFileSync(join(dataDir, name), 'utf8').trim();
  const dispatcher = new Agent({ connect: { ca: read('pki/ca.crt') } });
  t.after(() => dispatcher.close());
  const headers = { authorization: `Bearer ${read('admin-token')}`, 'content-type': 'application/json' };
  const rest = (JSON.parse(read('rest.json')) as { url: string }).url;
  const kube = /server: "([^"]+)"/.exec(read('kubeconfig'))?.[1] ?? assert.fail(read('kubeconfig'));
  const ask = async (method: 'GET' | 'POST' | 'DELETE', url: string, body?: object) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await request(url, { dispatcher, method, headers, ...sent });
    return { status: answer.statusCode, text: await answer.body.text() };
  };
  let count = 0;
  const addFirmware = () =>
    ask('POST', `${rest}/api/v1/server-component-firmwares`, {
      ...{ component: 'bios', vendor: 'dell', model: ['R750'], filename: `${count}.exe`, version: `${count++}.0` },
      ...{ checksum: 'ab'.repeat(32), repository_url: `https://images.example/${'x'.repeat(2000)}` },
    });
  const maps = `${kube}/api/v1/namespaces/default/configmaps`;
  const data = { text: 'x'.repeat(100_000) };
  const addMap = () => ask('POST', maps, { metadata: { name: `map-${count++}` }, data });
  assert.equal((await ask('POST', maps, { metadata: { name: 'first' }, data })).status, 201);
  const made = await addFirmware();
  assert.equal(made.status, 201, made.text);
  const { uuid } = (JSON.parse(made.text) as { record: { uuid: string } }).record;

  disk.fill();
  for (const [add, what] of [
    [addMap, /"reason":"DiskFull"/],
    [addFirmware, /diskFull/],
  ] as const) {
    let answer = await add();
    while (answer.status === 201) answer = await add();
    assert.equal(answer.status, 507, answer.text);
    assert.match(answer.text, what);
    assert.ok(answer.text.includes(dataDir), answer.text);
  }
  for (const url of [kube, rest]) {
    const { status, text } = await ask('GET', `${url}/readyz`);
    assert.notEqual(status, 200);
    assert.ok(text.includes(`the disk of ${dataDir}`), text);
    assert.equal((await ask('GET', `${url}/livez`)).status, 200);
  }
  await untilSo(async () => up.printed.err.includes(`the disk of ${join(dataDir, 'engine')} is full`));
  assert.equal((await ask('DELETE', `${maps}/first`)).status, 200);
  assert.equal((await ask('DELETE', `${rest}/api/v1/server-component-firmwares/${uuid}`)).status, 200);

  disk.free();
  for (const url of [kube, rest]) await untilSo(async () => (await ask('GET', `${url}/readyz`)).status === 200);
  for (const add of [addMap, addFirmware]) assert.equal((await add()).status, 201);
});
