import assert from 'node:assert/strict';
import { createReadStream, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { after, before, describe, test } from 'node:test';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-fs';
import { Agent, request } from 'undici';
import { parse } from 'yaml';
import { normalise, readConsoleSteps, shellWords } from '../../examples/console-page.ts';
import { blocksFor } from '../docs/pages.ts';
import { type CliProcess, type CliResult, runCli, startUp, temporaryFolder } from './cli-fixture.ts';

const folder = temporaryFolder();
const dataDir = join(folder.path, 'data');
let up: CliProcess;

const cli = (words: readonly string[], input = ''): Promise<CliResult> =>
  runCli([...words, '--data-dir', dataDir], { cwd: folder.path, input });

/** Runs a command that has to succeed, and gives what it printed. */
async function told(words: readonly string[], input = ''): Promise<string> {
  const { code, out, err } = await cli(words, input);
  assert.equal(code, 0, `${words.join(' ')}: ${err}`);
  return out;
}

/** Another fleet on the same database: a server of the same name, of which this one has no object, and work on it. */
const foreign = { uuid: 'f0e1d2c3-0000-4000-8000-00000000f0e1', name: 'r01-s01', facility_code: 'elsewhere' };

async function post(path: string, body: object): Promise<void> {
  const { url } = JSON.parse(readFileSync(join(dataDir, 'rest.json'), 'utf8')) as { url: string };
  const agent = new Agent({ connect: { ca: readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8') } });
  const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await request(`${url}${path}`, {
    ...{ method: 'POST', dispatcher: agent, headers, body: JSON.stringify(body) },
  });
  const text = await answer.body.text();
  await agent.close();
  assert.ok(answer.statusCode < 300, `${path}: ${answer.statusCode} ${text}`);
}

before(async () => {
  up = await startUp(dataDir, ['--simulate', '2', '--speed', '2000']);
  await told([
    'wait',
    'bmh',
    '--all',
    '-n',
    'simulated',
    '--for=jsonpath={.status.provisioning.state}=available',
    '--timeout=100s',
  ]);
  await told(['wait', 'serverfirmware', '--all', '--for=condition=Scanned', '--timeout=100s']);
});
after(async () => {
  await up.end('SIGKILL');
  folder.remove();
});

interface Entry {
  readonly what: string;
  readonly about: string;
  readonly by: string;
  readonly result: string;
  readonly source: string;
}

/** What differs from run to run is made alike, and so is what columns are padded with. */
function linesOf(text: string): string[] {
  const alike = normalise(text, new Map())
    .replaceAll(/\b\d+(m\d+)?s(?= |$)/gm, '1s')
    .replaceAll(/\b\d+ files/g, 'many files')
    .replaceAll(/\S+ *\n/g, (end) => `${end.trimEnd()}\n`);
  return alike.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, '  '));
}

// Before anything else changes the fleet.
test('docs/command.md shows what its commands print', async () => {
  const blocks = blocksFor(import.meta.filename);
  const steps = blocks.flatMap(({ text }) => readConsoleSteps(`\`\`\`console\n${text}\`\`\``));
  assert.ok(steps.length > 8, 'the page shows commands');
  symlinkSync(dataDir, join(folder.path, '.rackwright'));
  for (const { command, output } of steps) {
    const [npx, , ...words] = shellWords(command);
    assert.equal(npx, 'npx');
    const { code, out, err } = await runCli(words, { cwd: folder.path });
    assert.equal(code, 0, `${command}: ${err}`);
    const printed = linesOf(out);
    // In which order two controllers came to a machine may differ.
    const missing = linesOf(output).filter((line) => line !== '...' && !printed.includes(line));
    assert.deepEqual(missing, [], `${command} printed:\n${out}`);
  }
});

describe('rackwright history', () => {
  before(async () => {
    await post('/api/v1/servers', foreign);
    await post(`/api/v1/servers/${foreign.uuid}/condition`, { kind: 'inventoryOOB', parameters: {} });
  });

  test('tells what was done to a machine, when, by whom and with what result', async () => {
    const uuid = await told(['get', 'server', 'r01-s01-system-0', '-o', 'jsonpath={.spec.systemUUID}']);
    await told(['install-firmware', uuid, '--set', 'latest', '--component', 'psu', '--dry-run']);
    const lines = (await told(['history', 'r01-s01', '-n', 'simulated'])).split('\n');
    assert.match(lines[0] ?? '', /^WHEN +WHAT +ABOUT +BY +RESULT +TOOK +MESSAGE$/);
    const about = 'BareMetalHost simulated/r01-s01';
    const has = (pattern: RegExp): void =>
      assert.ok(
        lines.some((line) => pattern.test(line)),
        lines.join('\n'),
      );
    has(new RegExp(`^\\S+Z +inspect +${about} +host controller +ended `));
    has(new RegExp(`^\\S+Z +inventoryOOB +${about} +update-service/controllers +succeeded `));
    has(new RegExp(`^\\S+Z +firmwareInstall +${about} +admin +succeeded +\\d+s +dry run`));
    has(new RegExp(`^\\S+Z +Registered +${about} +metal3-baremetal-controller +told +Registered new host`));
    const times = lines.slice(1).flatMap((line) => (line === '' ? [] : [line.split(' ', 1)[0] ?? '']));
    assert.deepEqual(times, times.toSorted());
  });

  test('is the same for a host, its BMC, its Server and its UUID, for programs too', async () => {
    const uuid = await told(['get', 'server', 'r01-s02-system-0', '-o', 'jsonpath={.spec.systemUUID}']);
    const words = ['bmh/r01-s02', 'r01-s02', 'server/r01-s02-system-0', uuid];
    const stories = [];
    for (const word of words) {
      const { items } = JSON.parse(await told(['history', word, '--no-events', '-o', 'json'])) as { items: Entry[] };
      stories.push(items.map(({ what, about }) => `${what} ${about}`));
    }
    assert.ok((stories[0] ?? []).includes('inventoryOOB BareMetalHost simulated/r01-s02'));
    for (const story of stories) assert.deepEqual(story, stories[0]);
    const asYaml = parse(await told(['history', 'r01-s02', '--no-events', '-o', 'yaml'])) as { items: Entry[] };
    assert.equal(asYaml.items.length, stories[0]?.length);
  });

  test('tells nothing of another fleet on the same database, also where its machines have the same names', async () => {
    const work = await told(['conditions', '-o', 'json']);
    assert.match(work, new RegExp(foreign.uuid), 'the database has work of the other fleet');
    for (const words of [
      ['history', '-o', 'json', '--limit', '10000'],
      ['history', 'r01-s01', '-o', 'json'],
    ]) {
      const story = await told(words);
      assert.doesNotMatch(story, new RegExp(`${foreign.uuid}|elsewhere`));
    }
    const { code, err } = await cli(['history', foreign.uuid]);
    assert.equal(code, 1);
    assert.match(err, /there is no BareMetalHost, Server, BMC or system UUID/);
  });
});

describe('every list and object', () => {
  const commands: string[][] = [
    ['conditions'],
    ['history'],
    ['plan', 'firmware'],
    ['plan', 'network'],
    ['why', 'r01-s02'],
    ['version'],
    ['simulate', 'status'],
    ['simulate', 'firmware', 'r01-s01'],
    ['simulate', 'log', 'r01-s01'],
    ['simulate', 'login', 'r01-s01'],
    ['simulate', 'faults'],
    ['label', 'bmh', 'r01-s01', 'shelf=7', '-n', 'simulated', '--overwrite'],
  ];
  for (const words of commands) {
    test(`of rackwright ${words.join(' ')} is one value as JSON and as YAML`, async () => {
      const asJson = JSON.parse(await told([...words, '-o', 'json'])) as object;
      const asYaml = parse(await told([...words, '-o', 'yaml'])) as object;
      assert.deepEqual(Object.keys(asYaml).sort(), Object.keys(asJson).sort());
      assert.notEqual(await told([...words, '-o', 'wide']), '');
    });
  }

  test('in an unknown form is refused with the ones there are', async () => {
    const { code, err } = await cli(['conditions', '-o', 'xml']);
    assert.equal(code, 2);
    assert.match(err, /json, yaml, name, wide and jsonpath=TEMPLATE/);
  });
});

describe('rackwright why', () => {
  test('tells of a host its state, what it waits for and what to type', async () => {
    const out = await told(['why', 'r01-s02', '-n', 'simulated']);
    assert.match(out, /^BareMetalHost simulated\/r01-s02 is available, switched off, OK\.$/m);
    assert.match(out, /^It waits for somebody who wants it: no image is asked for\.$/m);
    assert.match(out, /^ {2}rackwright history bmh\/r01-s02 -n simulated$/m);
    assert.equal(await told(['why', 'bmh/r01-s02', '-n', 'simulated']), out);
    assert.match(
      await told(['why', 'r01-s02']),
      /^Server r01-s02-system-0 is a /,
      'without a namespace a server is meant',
    );
  });

  test('tells of a port and of a switch how they are', async () => {
    const port = await told(['why', 'switchport', 'tor-r01-a-ethernet1-1', '-n', 'simulated']);
    assert.match(port, /^SwitchPort simulated\/tor-r01-a-ethernet1-1 is Idle\.$/m);
    assert.match(
      await told(['why', 'switch/tor-r01-a', '-n', 'simulated']),
      /^Switch simulated\/tor-r01-a is Running\.$/m,
    );
    const { code, err } = await cli(['why', 'bmh/nobody']);
    assert.equal(code, 1);
    assert.match(err, /there is no BareMetalHost "nobody" in the namespace default/);
  });
});

test('completion knows kinds, names and servers of the running fleet', async () => {
  const complete = async (...words: string[]): Promise<string[]> => {
    const out = await runCli(['__complete', ...words]);
    return out.out.split('\n').map((line) => line.split('\t', 1)[0] ?? '');
  };
  const where = ['--data-dir', dataDir, '-n', 'simulated'];
  assert.ok((await complete('get', ...where, 'baremetalh')).includes('baremetalhosts'));
  assert.deepEqual(await complete('get', ...where, 'bmh', 'r01'), ['r01-s01', 'r01-s02', ':4', '']);
  assert.deepEqual(await complete('describe', ...where, 'bmh/r01-s02'), ['bmh/r01-s02', ':4', '']);
  assert.deepEqual(await complete('simulate', 'log', '--data-dir', dataDir, 'r01-s02'), ['r01-s02', ':4', '']);
  assert.ok((await complete('get', '--data-dir', dataDir, '-n', 'sim')).includes('simulated'));
});

test('a command that is interrupted says so and ends with 130', async () => {
  const stop = new AbortController();
  const words = ['wait', 'bmh/r01-s01', '-n', 'simulated', '--for=condition=NeverThere', '--timeout=100s'];
  const waiting = runCli([...words, '--data-dir', dataDir], { interrupted: stop.signal });
  stop.abort();
  const { code, err } = await waiting;
  assert.equal(code, 130);
  assert.match(err, /^error: interrupted before it was done$/m);
});

/** A text that must not be in any bundle. */
const sentinel = (where: string): string => `sentinel-${where}-7Qx/4`;

const leaky = `
apiVersion: v1
kind: Secret
metadata:
  name: leaky
  annotations: {kubectl.kubernetes.io/last-applied-configuration: "${sentinel('applied')}", note: "${sentinel('note')}"}
stringData: {username: "${sentinel('username')}", password: "${sentinel('password')}"}
---
apiVersion: metal.ironcore.dev/v1alpha1
kind: BMCSecret
metadata: {name: leaky}
stringData: {username: "${sentinel('bmc-user')}", password: "${sentinel('bmc-password')}"}
---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  name: leaky
  annotations:
    example.org/how-to: "log in with password=${sentinel('annotation')}"
    example.org/repeated: "it said ${sentinel('password')}"
    example.org/encoded: "Basic ${Buffer.from(`root:${sentinel('basic')}`).toString('base64')}"
spec:
  online: false
  bootMACAddress: "00:11:22:33:44:99"
  image: {url: "https://puller:${sentinel('url').replace('/', '')}@images.example.org/a.iso", format: live-iso}
---
apiVersion: metal3.io/v1alpha1
kind: HostFirmwareSettings
metadata: {name: leaky}
spec: {settings: {ServiceToken: "${sentinel('settings')}"}}
---
apiVersion: v1
kind: Event
metadata: {name: leaky.1, namespace: default}
involvedObject: {apiVersion: metal3.io/v1alpha1, kind: BareMetalHost, name: leaky, namespace: default}
reason: Leaked
type: Warning
message: "the BMC refused ${sentinel('bmc-password')}, token: ${sentinel('event')}"
`;

describe('rackwright support-bundle', () => {
  const unpacked = join(folder.path, 'unpacked');
  const inBundle = (path: string): string => readFileSync(join(unpacked, 'rackwright-support', path), 'utf8');

  before(async () => {
    await told(['apply', '-f', '-', '--validate', 'ignore'], leaky);
    const log = [
      JSON.stringify({ msg: 'asked', headers: { authorization: `Bearer ${sentinel('bearer')}` } }),
      `GET https://robot:${sentinel('log-url').replace('/', '')}@192.0.2.1/ said ${sentinel('password')}`,
      'an ordinary line',
    ];
    writeFileSync(join(folder.path, 'service.log'), log.join('\n'));
    const out = await told(['support-bundle', 'bundle.tar.gz', '--log-file', 'service.log', '-o', 'json']);
    assert.deepEqual((JSON.parse(out) as { leftOut: object[] }).leftOut, []);
    const file = join(folder.path, 'bundle.tar.gz');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    await pipeline(createReadStream(file), createGunzip(), extract(unpacked));
  });

  test('holds objects, events, conditions, inventory, metrics, versions and logs', () => {
    assert.match(inBundle('objects/baremetalhosts.metal3.io.yaml'), /name: r01-s01$/m);
    assert.match(inBundle('events.yaml'), /reason: Registered$/m);
    assert.match(inBundle('conditions.json'), /"kind": "inventoryOOB"/);
    assert.match(inBundle('inventory.json'), /"name": "r01-s02"/);
    assert.match(inBundle('metrics.txt'), /^rackwright_rest_requests_total/m);
    assert.match(inBundle('versions.json'), /"gitVersion": "v1/);
    assert.match(inBundle('readiness.json'), /"status": "ok"/);
    assert.match(inBundle('logs/audit.log'), /"resource":"baremetalhosts"/);
    assert.match(inBundle('logs/service.log'), /^an ordinary line$/m);
    assert.match(inBundle('objects/secrets.yaml'), /name: leaky/);
  });

  test('holds no secret, wherever one was put', () => {
    const files = readdirSync(unpacked, { recursive: true, encoding: 'utf8' }).filter((path) =>
      statSync(join(unpacked, path)).isFile(),
    );
    assert.ok(files.length > 20, files.join(' '));
    const adminToken = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
    for (const path of files) {
      const text = readFileSync(join(unpacked, path), 'utf8');
      const found = /sentinel-[\w-]+|sentinel%2D\w+/.exec(text)?.[0];
      assert.equal(found, undefined, `${path} holds ${found}`);
      assert.ok(
        !text.includes(Buffer.from('sentinel-').toString('base64').slice(0, 11)),
        `${path} holds one in base64`,
      );
      assert.ok(!text.includes(adminToken), `${path} holds the token of the administrator`);
    }
  });

  test('holds nothing of another fleet on the same database', () => {
    for (const path of ['conditions.json', 'inventory.json']) {
      assert.doesNotMatch(inBundle(path), new RegExp(`${foreign.uuid}|elsewhere`));
    }
  });

  test('is not written over another file', async () => {
    const { code, err } = await cli(['support-bundle', 'bundle.tar.gz']);
    assert.equal(code, 4, err);
    assert.match(err, /bundle\.tar\.gz exists already/);
  });
});
