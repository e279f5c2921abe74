import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { request } from 'undici';
import { type RunningBmc, startDataCentre } from '../../simulator/index.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import { silentTerminal } from '../../src/cli/reference-page.ts';
import { startFileServer } from '../../src/firmware-store/index.ts';
import { makeRelease, otherMachine } from '../../src/flasher/testing/flasher-rig.ts';

const folder = mkdtempSync(join(tmpdir(), 'rackwright-identity-'));
const at = (name: string): string => join(folder, name);
const issuer = ['--jwt-issuer', 'https://issuer.example', '--jwt-key-file', at('jwt.key')];

/** What REST answers, as far as these tests look at it. */
interface Shown {
  readonly slug: string;
  readonly message: string;
  readonly record: Record<string, unknown> & {
    readonly id: string;
    readonly state: string;
    readonly reason?: { readonly code: string; readonly message: string } | null;
  };
  readonly records: readonly Shown['record'][];
}

async function start(words: readonly string[]): Promise<{ url: string; stop(): Promise<number> }> {
  const stop = new AbortController();
  const ready = Promise.withResolvers<string>();
  let printed = '';
  const write = (text: string): void => {
    printed += text;
    for (const line of text.split('\n'))
      if (line.includes('"msg":"ready"')) ready.resolve((JSON.parse(line) as { url: string }).url);
  };
  const terminal = { ...silentTerminal, env: {}, cwd: folder, interrupted: stop.signal, out: write, err: write };
  const ended = runCommandLine([...words, '--rest-port', '0'], terminal);
  void ended.then((code) => ready.reject(new Error(`it ended with ${code}:\n${printed}`)));
  return {
    url: await ready.promise,
    stop() {
      stop.abort();
      return ended;
    },
  };
}

async function run(words: readonly string[]): Promise<{ code: number; out: string }> {
  let out = '';
  const write = (text: string): void => {
    out += text;
  };
  const code = await runCommandLine(words, { ...silentTerminal, env: {}, cwd: folder, out: write, err: write });
  return { code, out };
}

/** Its simulated BMCs speak plain HTTP. */
const plain = ['--bmc-http', 'yes'];

/** A conditionOrc with its inventory, and a flasher that works for it over HTTP. */
async function startServices(t: TestContext, more: readonly string[] = []) {
  const name = `plane-${randomBytes(4).toString('hex')}`;
  const orc = await start([
    'conditionorc',
    '--data-dir',
    at(name),
    '--request-deadline',
    '1s',
    ...issuer,
    ...plain,
    ...more,
  ]);
  t.after(() => orc.stop());
  const scopes = ['read', 'write', 'write:server:credentials', 'read:server:credentials', 'update:worker'];
  const words = ['issue-token', ...issuer, '--subject', 'me', ...scopes.flatMap((scope) => ['--scope', scope])];
  const { out } = await run(words);
  const tokenFile = at(`${name}.token`);
  writeFileSync(tokenFile, out.trim());
  const call = async (method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<Shown> => {
    const headers = { authorization: `Bearer ${out.trim()}`, 'content-type': 'application/json' };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await request(`${orc.url}/api/v1${path}`, { method, headers, ...text });
    const shown = (await answer.body.json()) as Shown;
    assert.ok(answer.statusCode < 300, `${method} ${path}: ${answer.statusCode} ${JSON.stringify(shown)}`);
    return shown;
  };
  const flasher = await start([
    ...['flasher', '--facility', 'fc1', '--orchestrator-url', orc.url, '--token-file', tokenFile],
    ...['--data-dir', at(`${name}-flasher`), '--poll-first', '50ms', '--poll-most', '200ms'],
    ...plain,
    ...['--verify-first', '50ms', '--verify-most', '200ms', '--retry-first', '100ms', '--retry-most', '500ms'],
  ]);
  t.after(() => flasher.stop());
  const enrol = async (bmc: RunningBmc, address: string): Promise<string> => {
    const { slug } = await call('POST', '/servers', { name: address, facility_code: 'fc1', bmc_address: address });
    const { username, password } = bmc;
    await call('PUT', `/servers/${slug}/credentials/bmc`, { username, password });
    return slug;
  };
  const condition = async (id: string) => (await call('GET', `/conditions/${id}`)).record;
  const reasons = new Set<string>();
  const ended = async (id: string): Promise<Shown['record']> => {
    for (;;) {
      const record = await condition(id);
      if (record.reason?.code !== undefined) reasons.add(`${record.reason.code}: ${record.reason.message}`);
      if (record.state === 'succeeded' || record.state === 'failed') return record;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const order = async (server: string, kind: string, parameters: object = {}): Promise<string> =>
    (await call('POST', `/servers/${server}/condition/${kind}`, { parameters })).record.id;
  const server = async (id: string) => (await call('GET', `/servers/${id}`)).record;
  return { url: orc.url, tokenFile, call, enrol, condition, ended, order, server, reasons };
}

async function startBmcs(t: TestContext, servers = 1): Promise<readonly RunningBmc[]> {
  const dataCentre = await startDataCentre({
    ...{ seed: 11, servers, speed: 300, isPlain: true, addressing: 'port', arePoweredOn: true },
    personalities: ['dell-idrac9'],
  });
  t.after(() => dataCentre.close());
  return dataCentre.bmcs;
}

const otherNameOf = ({ url }: RunningBmc): string => url.replace('127.0.0.1', 'localhost');

before(() => writeFileSync(at('jwt.key'), randomBytes(32).toString('base64'), { mode: 0o600 }));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('a conditionOrc of its own with a flasher over HTTP', () => {
  test('never works twice at once on one BMC that two records have by two names', async (t) => {
    const [bmc] = await startBmcs(t);
    assert.ok(bmc);
    const services = await startServices(t);
    const { put } = await startFileServer(t);
    const releaseOf = async (component: 'bios' | 'bmc') => {
      const {
        isInband: _,
        softwareIds,
        URL: __,
        url,
        ...firmware
      } = {
        ...(await makeRelease(bmc.machine, { component, put })),
        URL: '',
      };
      return { ...firmware, URL: url, software_ids: softwareIds, models: [...firmware.models] };
    };
    const one = await services.enrol(bmc, bmc.url);
    const two = await services.enrol(bmc, otherNameOf(bmc));
    const ids = await Promise.all([
      services.order(one, 'firmwareInstall', { firmwares: [await releaseOf('bios')] }),
      services.order(two, 'firmwareInstall', { firmwares: [await releaseOf('bmc')] }),
    ]);
    ids.push(await services.order(two, 'powerCycleHard'));
    for (const record of await Promise.all(ids.map((id) => services.ended(id))))
      assert.equal(record.state, 'succeeded', JSON.stringify(record.reason));
    assertInTurn(bmc);
    const reasons = [...services.reasons].join('\n');
    assert.match(reasons, /waits for other work on the same device: server\/\S+ has the same BMC/);
    assert.deepEqual((await services.server(one)).duplicates, [two]);
    assert.deepEqual((await services.server(two)).duplicates, [one]);
  });

  test('fills in what its inventories read, and refuses a machine that took the place of a server', async (t) => {
    const [bmc] = await startBmcs(t);
    assert.ok(bmc);
    const services = await startServices(t);
    const { hardware } = bmc.machine;
    const id = await services.enrol(bmc, bmc.url);
    assert.equal((await services.ended(await services.order(id, 'inventoryOOB'))).state, 'succeeded');
    const { vendor, model, serial, system_uuid: uuid, mac_addresses: macs } = await services.server(id);
    assert.deepEqual(
      [vendor, model, serial, uuid],
      ['Dell Inc.', hardware.model, hardware.serial, hardware.uuid.toLowerCase()],
    );
    assert.ok(Array.isArray(macs) && macs.length > 0);
    const before = powerEventsOf(bmc);
    Object.assign(hardware, otherMachine);
    const refused = await services.ended(await services.order(id, 'powerCycleHard'));
    assert.equal(refused.reason?.code, 'OtherMachine', JSON.stringify(refused));
    assert.deepEqual(powerEventsOf(bmc), before);
    // The board was swapped: whoever says so lets the next inventory read it anew.
    await services.call('PUT', `/servers/${id}`, { serial: '', system_uuid: '' });
    assert.equal((await services.ended(await services.order(id, 'inventoryOOB'))).state, 'succeeded');
    assert.equal((await services.server(id)).serial, otherMachine.serial);
  });

  test('keeps a serial number that an operator wrote: with another one it is another machine', async (t) => {
    const [bmc] = await startBmcs(t);
    assert.ok(bmc);
    const services = await startServices(t);
    const id = await services.enrol(bmc, bmc.url);
    await services.call('PUT', `/servers/${id}`, { serial: 'TYPED-1', vendor: 'dell', model: 'DL380' });
    const refused = await services.ended(await services.order(id, 'inventoryOOB'));
    assert.equal(refused.reason?.code, 'OtherMachine');
    await services.call('PUT', `/servers/${id}`, { serial: bmc.machine.hardware.serial });
    assert.equal((await services.ended(await services.order(id, 'inventoryOOB'))).state, 'succeeded');
    const { vendor, model, contradictions } = await services.server(id);
    assert.deepEqual([vendor, model], ['dell', 'DL380']);
    assert.match(String(contradictions), /^model: the record has DL380, the BMC tells PowerEdge/);
  });

  test('asks the BMC when a server is enrolled', async (t) => {
    const [bmc] = await startBmcs(t);
    assert.ok(bmc);
    const services = await startServices(t);
    const { url, username, password, machine } = bmc;
    const parameters = { facility: 'fc1', 'bmc-ip': url, 'bmc-user': username, 'bmc-pwd': password };
    const { record } = await services.call('POST', '/serverEnroll', { parameters });
    const id = machine.hardware.uuid.toLowerCase();
    assert.equal(record.target, id);
    const { vendor, model, serial, system_uuid: uuid } = await services.server(id);
    assert.deepEqual([vendor, model, serial, uuid], ['Dell Inc.', machine.hardware.model, machine.hardware.serial, id]);
    await assert.rejects(
      services.call('POST', '/serverEnroll', { parameters: { ...parameters, 'bmc-ip': otherNameOf(bmc) } }),
      /409/,
    );
    await services.ended(record.id);
  });

  test('limits how much is active on a model, and knows the latest set for it', async (t) => {
    const bmcs = await startBmcs(t, 2);
    const services = await startServices(t, ['--max-active-per-model', '1']);
    const { put } = await startFileServer(t);
    const firmware: string[] = [];
    const servers: string[] = [];
    for (const bmc of bmcs) {
      const id = await services.enrol(bmc, bmc.url);
      servers.push(id);
      await services.ended(await services.order(id, 'inventoryOOB'));
    }
    const [bmc] = bmcs;
    assert.ok(bmc);
    assert.equal(new Set(bmcs.map(({ machine }) => machine.hardware.model)).size, 1);
    const {
      id: _,
      isInband: __,
      softwareIds,
      models,
      url,
      ...release
    } = await makeRelease(bmc.machine, { component: 'bios', put });
    const draft = { ...release, model: models, software_ids: softwareIds, repository_url: url };
    firmware.push((await services.call('POST', '/server-component-firmwares', draft)).slug);
    const labels = { vendor: 'dell', model: bmc.machine.hardware.model.split(' ').at(-1), latest: 'true' };
    const set = { name: 'newest', labels, component_firmware_uuids: firmware };
    await services.call('POST', '/server-component-firmware-sets', set);
    const words = ['--set', 'latest', '--no-wait', '--rest-url', services.url, '--token-file', services.tokenFile];
    for (const server of servers) {
      const { code, out } = await run(['install-firmware', server, ...words]);
      assert.equal(code, 0, out);
      assert.match(out, /set newest/);
    }
    const { records } = await services.call('GET', '/conditions?kind=firmwareInstall');
    assert.equal(records.length, 2);
    for (const record of await Promise.all(records.map(({ id }) => services.ended(id))))
      assert.equal(record.state, 'succeeded', JSON.stringify(record.reason));
    assert.match([...services.reasons].join('\n'), /LimitReached: .*limit of a model/);
  });
});

/** What the BMC logged of power. */
function powerEventsOf({ machine }: RunningBmc): readonly string[] {
  return machine.log.events.map(({ event }) => event).filter((event) => event.startsWith('power.'));
}

/** Nothing begins on the BMC, and nobody switches the host, while an update of somebody else goes on. */
function assertInTurn({ machine }: RunningBmc): void {
  const open = new Set<string>();
  let done = 0;
  for (const { event, detail } of machine.log.events) {
    const update = /update=(\d+)/.exec(detail)?.[1] ?? '';
    if (event === 'update.accepted') {
      assert.deepEqual([...open], [], `update ${update} began beside others`);
      open.add(update);
    }
    if (event === 'power.reset' && detail.includes('PowerCycle'))
      assert.deepEqual([...open], [], 'the host was switched off beside an update');
    if (event === 'update.done' && open.delete(update)) done += 1;
  }
  assert.equal(done, 2);
}
