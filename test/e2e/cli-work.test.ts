import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Agent, request } from 'undici';
import {
  type OtlpReceiver,
  pathOfSpan,
  type SentSpan,
  startOtlpReceiver,
} from '../../src/telemetry/testing/otlp-receiver.ts';
import { differences, documentedMetrics, exposedMetrics } from '../observability/metrics-table.ts';
import {
  type CliProcess,
  type CliResult,
  runCli,
  startCli,
  startUp,
  switchHost,
  temporaryFolder,
} from './cli-fixture.ts';
import { untilSo } from './work-services.ts';

const folder = temporaryFolder();
const dataDir = join(folder.path, 'data');
const upWords = ['--simulate', '2', '--speed', '2000'];
const auditFile = join(folder.path, 'audit.jsonl');
let up: CliProcess;
let collector: OtlpReceiver;

const cli = (words: readonly string[]): Promise<CliResult> => runCli([...words, '--data-dir', dataDir]);

before(async () => {
  collector = await startOtlpReceiver();
  up = await startUp(dataDir, [...upWords, '--traces-endpoint', collector.url, '--audit-log', auditFile]);
  // Hosts that run need not be switched on first, whose self-test is waited for in real time.
  await switchHost({ dataDir, name: 'r01-s01', isOn: true });
});
after(async () => {
  await up.end('SIGKILL');
  await collector.close();
  folder.remove();
});

/** Asks the REST services, as the administrator unless told. */
function ask(path: string, token?: string) {
  const { url } = JSON.parse(readFileSync(join(dataDir, 'rest.json'), 'utf8')) as { url: string };
  return askAt(url, path, token);
}

async function askAt(url: string, path: string, token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()) {
  const agent = new Agent({ connect: { ca: readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8') } });
  const headers = { authorization: `Bearer ${token}` };
  const { statusCode, body } = await request(`${url}${path}`, { dispatcher: agent, headers });
  const text = await body.text();
  await agent.close();
  return { status: statusCode, text, body: (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown> };
}

/** How many images a server's BMC has written, by its own log. */
async function flashesOf(server: string): Promise<number> {
  const { out } = await cli(['simulate', 'log', server]);
  return out.split('\n').filter((line) => / update\.done /.test(line)).length;
}

const idIn = ({ out, err }: CliResult): string => /condition ([0-9a-f-]{36})/.exec(out)?.[1] ?? assert.fail(out + err);

function kubeUrl(): string {
  return /Kubernetes API +(https:\S+)/.exec(up.printed.out)?.[1] ?? assert.fail(up.printed.out);
}

/** Every password and token that is stored, and the administrator's. */
async function secretsOfFleet(): Promise<readonly string[]> {
  const { body } = await askAt(kubeUrl(), '/api/v1/secrets');
  const items = body.items as { data?: Record<string, string> }[];
  const values = items.flatMap(({ data = {} }) => Object.entries(data).filter(([name]) => /password|token/.test(name)));
  const decoded = values.map(([, value]) => Buffer.from(value, 'base64').toString('utf8'));
  assert.ok(decoded.length >= 2 && decoded.every((value) => value.length >= 6), 'there are no secrets to look for');
  return [...decoded, readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()];
}

test('every metric that is documented is there, and no other', async () => {
  const kube = kubeUrl();
  assert.deepEqual(
    differences(documentedMetrics('Of the API server'), exposedMetrics((await askAt(kube, '/metrics')).text)),
    [],
  );
  assert.deepEqual(
    differences(documentedMetrics('Of everything else'), exposedMetrics((await ask('/metrics')).text)),
    [],
  );
});

describe('the firmware install service of rackwright up', () => {
  test('is ready, knows the rack, counts, and asks who is there', async () => {
    assert.match(up.printed.out, /REST and RPC {5}https:\/\/127\.0\.0\.1:\d+/);
    assert.deepEqual((await ask('/readyz', '')).body, { status: 'ok' });
    assert.deepEqual((await ask('/healthz', '')).body, { status: 'ok' });
    const servers = (await ask('/api/v1/servers')).body.records as { name: string; facility_code: string }[];
    assert.deepEqual(servers.map(({ name, facility_code: at }) => `${at}/${name}`).sort(), [
      'simulated/r01-s01',
      'simulated/r01-s02',
    ]);
    assert.match((await ask('/metrics')).text, /^rackwright_rest_requests_total\{.*route="\/api\/v1\/servers".*\} 1$/m);
    for (const path of ['/api/v1/servers', '/metrics']) assert.equal((await ask(path, 'wrong')).status, 401);
  });

  test('a dry run says what would be installed and disturbs nothing', async () => {
    const { code, out, err } = await cli(['install-firmware', 'r01-s01', '--set', 'latest', '--dry-run']);
    assert.equal(code, 0, err);
    assert.match(out, /^r01-s01: firmware install scheduled, set poweredge-r750-latest, condition [0-9a-f-]{36}$/m);
    assert.match(out, /^ {2}bios \S+ -> \S+: succeeded, it would be installed now \(dry run\)$/m);
    assert.match(out, /^r01-s01: succeeded, dry run: all could be installed$/m);
    assert.equal(await flashesOf('r01-s01'), 0);
  });

  test('an install is followed until the new version runs', async () => {
    const words = ['install-firmware', 'r01-s01', '--set', 'poweredge-r750-latest', '--component', 'psu'];
    const { code, out, err } = await cli(words);
    assert.equal(code, 0, err);
    assert.match(out, /^ {2}psu \S+ -> 00\.17\.28: succeeded/m);
    assert.match(out, /^r01-s01: succeeded, 1 installed$/m);
    const firmware = (await cli(['simulate', 'firmware', 'r01-s01'])).out;
    assert.match(firmware, /^psu .* 00\.17\.28 +2 of 2 /m);
    const listed = await cli(['conditions', 'r01-s01']);
    assert.match(listed.out, /^[0-9a-f-]{36} +r01-s01 +firmwareInstall +succeeded +100%/m);
    const again = await cli(words);
    assert.match(again.out, /^ {2}psu 00\.17\.28: skipped, /m);
  });

  test('an install is one trace, from the request to what the BMC was asked, and no secret is in it', async () => {
    const { spans } = collector;
    const isFlash = ({ name }: SentSpan): boolean => name === 'install sending';
    await untilSo(async () => spans.some(isFlash));
    const { traceId } = spans.find(isFlash) ?? assert.fail();
    const steps = () => spans.filter((span) => span.traceId === traceId);
    await untilSo(async () => steps().some(({ name }) => name === 'work firmwareInstall'));
    const asked = steps().find(({ name, kind }) => kind === 3 && name.startsWith('POST /redfish/v1/')) ?? assert.fail();
    assert.deepEqual(pathOfSpan(spans, asked).slice(0, 3), [
      'POST /api/v1/servers/:uuid/firmwareInstall',
      'order firmwareInstall',
      'work firmwareInstall',
    ]);
    assert.match(pathOfSpan(spans, asked).at(-2) ?? '', /^install /);
    // What follows the install is in its trace too, and is sent piece by piece.
    await untilSo(async () => steps().every((span) => !pathOfSpan(spans, span).includes('?')));
    assert.ok(asked.attributes.some(({ key, value }) => key === 'http.response.status_code' && value.intValue === 202));
    const sent = collector.bodies.join('\n');
    for (const secret of await secretsOfFleet()) assert.ok(!sent.includes(secret), 'a secret is in the traces');
  });

  test('who asked for it is in the audit log, and no secret is', async () => {
    const text = readFileSync(auditFile, 'utf8');
    const events = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const order = events.find(({ requestURI }) => String(requestURI).endsWith('/firmwareInstall')) ?? assert.fail();
    assert.equal((order.user as { username: string }).username, 'admin');
    assert.deepEqual([order.verb, order.level], ['create', 'Metadata']);
    const kinds = new Set(events.map(({ objectRef }) => (objectRef as { resource?: string } | undefined)?.resource));
    assert.ok(kinds.has('conditions') && kinds.has('baremetalhosts'));
    for (const secret of await secretsOfFleet()) assert.ok(!text.includes(secret), 'a secret is in the audit log');
  });

  test('an install that is cancelled ends before it flashes, and the command that follows it says so', async () => {
    const told = Promise.withResolvers<string>();
    const words = ['install-firmware', 'r01-s02', '--set', 'latest', '--component', 'bios', '--data-dir', dataDir];
    const followed = runCli(words, { onOut: (text) => told.resolve(text) });
    const id = /condition ([0-9a-f-]{36})/.exec(await told.promise)?.[1] ?? '';
    const cancelled = await cli(['cancel', id]);
    assert.equal(cancelled.code, 0, cancelled.err);
    const { code, err } = await followed;
    assert.match(err, /^error: the install on r01-s02 was cancelled: /m);
    assert.equal(code, 9);
    assert.equal(await flashesOf('r01-s02'), 0);
  });

  test('killed in the middle and started again, it goes on and ends', async () => {
    // As slow as real servers are, so that the kill comes long before the end.
    await up.end('SIGTERM');
    up = await startUp(dataDir, ['--simulate', '2', '--speed', '1']);
    const words = ['install-firmware', 'r01-s01', '--set', 'latest', '--component', 'nic', '--no-wait'];
    const id = idIn(await cli(words));
    const look = async () =>
      (await ask(`/api/v1/conditions/${id}`)).body.record as {
        state: string;
        leases: number;
        reason: unknown;
        finalized_at: string | null;
      };
    await untilSo(async () => (await look()).state === 'active');
    await up.end('SIGKILL');
    up = await startUp(dataDir, upWords);
    await untilSo(async () => (await look()).finalized_at !== null);
    const { state, leases, reason } = await look();
    assert.equal(state, 'succeeded', JSON.stringify(reason));
    assert.equal(leases, 2, 'another lease took up what the first left');
    // The log of a simulated server begins anew with its process; what was flashed before is not in it.
    assert.ok((await flashesOf('r01-s01')) <= 2, 'each image was written once at most');
    const { out } = await cli(['simulate', 'firmware', 'r01-s01']);
    assert.match(out, /^nic .* 22\.71\.11\.13 +2 of 2 /m);
  });
});

describe('work that cannot be', () => {
  const install = ['install-firmware', 'r01-s01', '--set', 'latest'];
  const refusals: [string, readonly string[], number, RegExp][] = [
    ['an unknown server', ['install-firmware', 'r09-s99', '--set', 'latest'], 1, /there is no server "r09-s99"/],
    ['an unknown set', ['install-firmware', 'r01-s01', '--set', 'newest'], 1, /there is no firmware set "newest"/],
    [
      'a component that the set does not have',
      [...install, '--component', 'tpm'],
      2,
      /has nothing for tpm; it has bios/,
    ],
    ['no set', ['install-firmware', 'r01-s01'], 2, /required option '--set <set>'/],
    ['a condition that is not there', ['cancel', '00000000-0000-4000-8000-000000000000'], 1, /condition/],
  ];
  for (const [what, words, expected, message] of refusals) {
    test(`${what} is refused with a clear line`, async () => {
      const { code, err } = await cli(words);
      assert.match(err, message);
      assert.equal(code, expected);
    });
  }

  test('a fleet whose engine has another store is refused', async () => {
    await up.end('SIGKILL');
    const copy = join(folder.path, 'copy');
    await runCli(['backup', copy, '--data-dir', dataDir]);
    const restored = join(folder.path, 'restored');
    await runCli(['restore', copy, '--data-dir', restored]);
    rmSync(join(restored, 'engine'), { recursive: true });
    const second = startCli(['up', '--data-dir', restored, '--port', '0', '--simulate', '0']);
    assert.equal(await second.ended(), 4, second.printed.err);
    assert.match(second.printed.err, /belongs to another store of the work engine/);
    const unsure = await runCli(['adopt-fleet', '--data-dir', restored]);
    assert.deepEqual([unsure.code, /say it with --yes/.test(unsure.err)], [2, true], unsure.err);
    const adopted = await runCli(['adopt-fleet', '--yes', '--port', '0', '--data-dir', restored]);
    assert.equal(adopted.code, 0, adopted.err);
    assert.match(adopted.out, /belongs to store \S+ now; before, to \S+\./);
    const third = await startUp(restored, ['--simulate', '0']);
    await third.end('SIGTERM');
  });
});
