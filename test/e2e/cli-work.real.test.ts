import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathOfSpan, startOtlpReceiver } from '../../src/telemetry/testing/otlp-receiver.ts';
import { freePortRange } from '../real/free-ports.ts';
import { startNats } from '../real/nats/real-nats.ts';
import { startPostgres } from '../real/postgres/real-postgres.ts';
import { type CliProcess, runCli, startCli, startUp, temporaryFolder } from './cli-fixture.ts';
import { enrol, findSimulated, makeIssuer, startService, untilSo } from './work-services.ts';

test('rackwright up works on PostgreSQL and NATS', async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const postgres = await startPostgres();
  t.after(() => postgres.stop());
  const nats = await startNats({ dataDir: join(folder.path, 'nats'), port: await freePortRange(1) });
  t.after(() => nats.stop());
  const dataDir = join(folder.path, 'data');
  const databaseFile = join(folder.path, 'database-url');
  writeFileSync(databaseFile, postgres.url, { mode: 0o600 });
  const words = ['--simulate', '1', '--speed', '2000', '--database-url-file', databaseFile, '--nats-url', nats.url];
  const up = await startUp(dataDir, words);
  t.after(() => up.end('SIGKILL'));
  const install = ['install-firmware', 'r01-s01', '--set', 'latest', '--dry-run', '--data-dir', dataDir];
  const { code, out, err } = await runCli(install);
  assert.equal(code, 0, err);
  assert.match(out, /^r01-s01: succeeded, dry run: all could be installed$/m);
  assert.equal(await up.end('SIGTERM'), 0, up.printed.err);
});

/** A flasher that does not wait for real minutes while simulated ones pass in a moment. */
const soon = [
  ...['--poll-first', '100ms', '--poll-most', '500ms'],
  ...['--verify-first', '100ms', '--verify-most', '500ms'],
  ...['--retry-first', '200ms', '--retry-most', '1s'],
];

/** What a flasher calls itself, as it says when it is ready. */
function workerOf({ printed }: CliProcess): string {
  return /"worker":"([^"]+)"/.exec(printed.out)?.[1] ?? '';
}

test('conditionorc, serverservice and flashers of both forms share PostgreSQL and NATS', async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const at = (name: string) => join(folder.path, name);
  const postgres = await startPostgres();
  t.after(() => postgres.stop());
  const user = { name: 'rackwright', password: 'nats-password-of-the-test' };
  const nats = await startNats({ dataDir: at('nats'), port: await freePortRange(1), user });
  t.after(() => nats.stop());
  const fleet = [
    '--servers',
    '1',
    '--plain-http',
    'yes',
    '--bmc-host',
    '127.0.0.1',
    '--bmc-port',
    '0',
    '--speed',
    '2000',
  ];
  const simulator = startCli(['simulate', '--data-dir', at('simulator'), ...fleet]);
  t.after(() => simulator.end('SIGKILL'));
  await simulator.until('Ctrl-C stops it');
  // A host that runs need not be switched on first, whose self-test is waited for in real time.
  await runCli(['simulate', 'reset', 'r01-s01', 'On', '--data-dir', at('simulator')]);

  const issuer = await makeIssuer(folder.path);
  const { token } = issuer;
  writeFileSync(at('database-url'), `${postgres.url}\n`, { mode: 0o600 });
  const store = ['--database-url-file', at('database-url'), '--credential-keys', at('credentials.key')];
  const collector = await startOtlpReceiver();
  t.after(() => collector.close());
  const env = { RACKWRIGHT_NATS_URL: nats.url, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, RACKWRIGHT_BMC_HTTP: 'yes' };
  const start = async (name: string, more: readonly string[]) => {
    const service = await startService([name, '--data-dir', at(name), ...more], { token, env });
    t.after(() => service.end('SIGKILL'));
    return service;
  };
  const [orc, another, inventory] = await Promise.all([
    start('conditionorc', [...store, ...issuer.words]),
    start('conditionorc', [...store, ...issuer.words]),
    start('serverservice', [...store, ...issuer.words]),
  ]);
  const id = await enrol(inventory, await findSimulated(at('simulator'), 'r01-s01'), {
    facility: 'lab',
    set: 'newest',
    components: ['nic', 'psu'],
  });

  const client = ['--rest-url', orc.url, '--inventory-url', inventory.url, '--token-file', issuer.tokenFile];
  const install = (component: string) =>
    runCli(['install-firmware', 'r01-s01', '--set', 'newest', '--component', component, ...client]);

  const stored = await start('flasher', [...store, '--facility', 'lab', ...soon]);
  assert.equal((await stored.ask('/readyz')).status, 200);
  const first = await install('nic');
  assert.equal(first.code, 0, first.out + first.err);
  assert.match(first.out, /^ {2}nic \S+ -> \S+: succeeded/m);
  // Its inventory, too: beside one that still waits the next install would be ordered alone.
  await untilSo(async () => {
    const { records } = (await orc.ask('/api/v1/conditions')).body as { records: { finalized_at: string | null }[] };
    return records.every(({ finalized_at }) => finalized_at !== null);
  });
  assert.equal(await stored.end('SIGTERM'), 0, stored.printed.err);

  const scopes = ['update:worker', 'read:server', 'read:server:credentials', 'read:firmware-set'];
  const tokenFile = await issuer.issue('flasher', scopes);
  const remote = await start('flasher', [
    ...['--orchestrator-url', another.url, '--inventory-url', inventory.url, '--token-file', tokenFile],
    ...['--facility', 'elsewhere', '--facility', 'lab', ...soon],
  ]);
  assert.equal((await remote.ask('/readyz')).status, 200);
  const second = await install('psu');
  assert.equal(second.code, 0, second.out + second.err);
  assert.match(second.out, /^ {2}psu \S+ -> \S+: succeeded/m);
  const { records } = (await orc.ask('/api/v1/conditions')).body as { records: { controller: string }[] };
  const controllers = new Set(records.map(({ controller }) => controller));
  assert.ok(controllers.has(workerOf(stored)) && controllers.has(workerOf(remote)), 'each flasher did one install');

  await t.test('an inventory comes through the flasher without a store', async () => {
    const asked = await orc.ask(`/api/v1/servers/${id}/condition/inventoryOOB`, {
      method: 'POST',
      body: { parameters: {} },
    });
    assert.equal(asked.status, 200, JSON.stringify(asked.body));
    const { id: asking } = asked.body.record as { id: string };
    const look = async () => (await orc.ask(`/api/v1/conditions/${asking}`)).body.record as Record<string, unknown>;
    await untilSo(async () => (await look()).finalized_at !== null);
    const { state, controller } = await look();
    assert.equal(state, 'succeeded', JSON.stringify(await look()));
    assert.equal(controller, workerOf(remote));
    const { records: parts } = (await inventory.ask(`/api/v1/servers/${id}/components`)).body;
    assert.ok((parts as { component_type_slug: string }[]).some((part) => part.component_type_slug === 'nic'));
  });

  await t.test('each install is one trace, from conditionorc to what its flasher asked the BMC', async () => {
    const { spans } = collector;
    for (const flasher of [stored, remote]) {
      const works = () =>
        spans.filter(
          ({ name, attributes }) =>
            name === 'work firmwareInstall' && attributes.some(({ value }) => value.stringValue === workerOf(flasher)),
        );
      await untilSo(async () => works().length > 0);
      const [work = assert.fail()] = works();
      const order = 'order firmwareInstall';
      await untilSo(async () => !pathOfSpan(spans, work).includes('?'));
      const path = ['POST /api/v1/servers/:uuid/firmwareInstall', order, work.name];
      assert.deepEqual(pathOfSpan(spans, work), path);
      const asked = () => spans.find(({ name, traceId }) => traceId === work.traceId && /^POST \/redfish/.test(name));
      await untilSo(async () => asked() !== undefined);
      assert.deepEqual(pathOfSpan(spans, asked() ?? assert.fail()).slice(0, 3), path);
    }
  });

  await t.test('readiness tells of a bus and of a store that are gone, and that they are back', async () => {
    await nats.stop();
    await untilSo(async () => (await orc.ask('/readyz')).status === 503);
    assert.match(String((await orc.ask('/readyz')).body.message), /the bus is not connected/);
    assert.equal((await orc.ask('/healthz')).status, 200);
    await startNats({ dataDir: at('nats'), port: nats.port, user }).then((again) => t.after(() => again.stop()));
    await untilSo(async () => (await orc.ask('/readyz')).status === 200);
    await postgres.stop();
    await untilSo(async () => (await inventory.ask('/readyz')).status === 503);
    assert.match(
      String((await inventory.ask('/readyz')).body.message),
      /the database .* cannot be reached|the store did not answer in time/,
    );
  });

  await t.test('nothing that was printed holds a secret', async () => {
    const secrets = [new URL(postgres.url).password, user.password, token, readFileSync(tokenFile, 'utf8').trim()];
    const printed = [orc, another, inventory, stored, remote].map(({ printed: { out, err } }) => out + err).join('\n');
    for (const secret of secrets) assert.ok(!printed.includes(secret));
  });
});
