import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Agent, request } from 'undici';
import { type CliProcess, runCli, startUp, switchHost, temporaryFolder } from './cli-fixture.ts';
import { findSimulated, untilSo } from './work-services.ts';

const folder = temporaryFolder();
const dataDir = join(folder.path, 'data');
let up: CliProcess;
let agent: Agent;

before(async () => {
  up = await startUp(dataDir, ['--simulate', '1', '--speed', '2000']);
  await switchHost({ dataDir, name: 'r01-s01', isOn: true });
  agent = new Agent({ connect: { ca: readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8') } });
});
after(async () => {
  await up?.end('SIGKILL');
  await agent?.close();
  folder.remove();
});

interface Answer<T> {
  readonly status: number;
  readonly body: {
    readonly message?: string;
    readonly slug?: string;
    readonly record: T;
    readonly records: readonly T[];
  };
}

interface Shown {
  readonly uuid: string;
  readonly bmc_address: string;
  readonly held_by?: readonly string[];
}

interface Work {
  readonly target: string;
  readonly kind: string;
  readonly state: string;
  readonly reason?: { readonly code: string };
}

async function ask<T = Shown>(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<Answer<T>> {
  const { url } = JSON.parse(readFileSync(join(dataDir, 'rest.json'), 'utf8')) as { url: string };
  const authorization = `Bearer ${readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await request(`${url}/api/v1${path}`, { method, headers, dispatcher: agent, ...sent });
  return { status: answer.statusCode, body: (await answer.body.json()) as Answer<T>['body'] };
}

async function theServer(): Promise<Shown> {
  return (await ask('GET', '/servers')).body.records[0] ?? assert.fail('the rack is not enrolled');
}

test('five spellings of one address are one BMC: the second record is refused with the id of the first', async () => {
  await untilSo(async () => (await theServer()).bmc_address.includes('/Systems/'));
  const { uuid, bmc_address: canonical } = await theServer();
  const { origin, host, pathname } = new URL(canonical);
  const spellings = [
    ...[origin, `${origin}/`, host, canonical, `redfish+https://${host}`],
    ...[`redfish://${host}${pathname}/`, `HTTPS://${host.toUpperCase()}//redfish/v1`],
  ];
  for (const address of spellings) {
    const { status, body } = await ask('POST', '/servers', { facility_code: 'simulated', bmc_address: address });
    assert.equal(status, 409, `${address}: ${JSON.stringify(body)}`);
    assert.deepEqual(body.record.held_by, [uuid], address);
    assert.match(body.message ?? '', new RegExp(uuid), address);
    const found = (await ask('GET', `/servers?bmc-address=${encodeURIComponent(address)}`)).body.records;
    assert.deepEqual(
      found.map((one) => one.uuid),
      [uuid],
      address,
    );
  }
  assert.equal((await ask('GET', '/servers?include-deleted=true')).body.records.length, 1);
});

test('two installs and a power cycle behind one BMC never overlap', async () => {
  const { uuid, bmc_address: canonical } = await theServer();
  const { host, pathname } = new URL(canonical);
  const other = { facility_code: 'simulated', bmc_address: `redfish://${host}/redfish/v1/Systems/other` };
  const sibling = (await ask('POST', '/servers', other)).body.slug ?? assert.fail();
  const { login } = await findSimulated(dataDir, 'r01-s01');
  const { username, password } = login;
  await ask('PUT', `/servers/${sibling}/credentials/bmc`, { username, password });
  const install = [
    'install-firmware',
    `redfish://${host}${pathname}/`,
    '--set',
    'latest',
    '--component',
    'bios',
    '--no-wait',
  ];
  const asked = await runCli([...install, '--data-dir', dataDir]);
  assert.equal(asked.code, 0, asked.err);
  const set = (await ask('GET', '/server-component-firmware-sets')).body.records[0]?.uuid;
  // Its host makes way first; what waits behind the lock would be over by then.
  const installs = `/conditions?server=${uuid}&kind=firmwareInstall`;
  await untilSo(async () => (await ask<Work>('GET', installs)).body.records[0]?.state === 'active');
  const orders = [
    { kind: 'firmwareInstall', parameters: { firmware_set_id: set } },
    { kind: 'powerCycleHard', parameters: {} },
  ];
  for (const order of orders) {
    const { status, body } = await ask('POST', `/servers/${sibling}/condition`, order);
    assert.ok(status < 300, JSON.stringify(body));
  }
  let mostAtOnce = 0;
  let hasWaited = false;
  await untilSo(async () => {
    const all = (await ask<Work>('GET', '/conditions?limit=100')).body.records;
    const alone = all.filter(({ kind }) => kind === 'firmwareInstall' || kind === 'powerCycleHard');
    mostAtOnce = Math.max(mostAtOnce, alone.filter(({ state }) => state === 'active').length);
    hasWaited ||= alone.some(({ target, reason }) => target === sibling && reason?.code === 'WaitsForLock');
    return alone.length >= 3 && alone.every(({ state }) => state === 'succeeded' || state === 'failed');
  });
  assert.equal(mostAtOnce, 1);
  assert.ok(hasWaited, 'the work on the other system had to wait');
  const { records } = (await ask<Work>('GET', `/conditions?server=${uuid}`)).body;
  assert.equal(records.find(({ kind }) => kind === 'firmwareInstall')?.state, 'succeeded');
});
