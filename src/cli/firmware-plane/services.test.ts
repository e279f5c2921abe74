import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { request } from 'undici';
import { updateRpc } from '../../api/index.ts';
import { startApiServer } from '../../apiserver/index.ts';
import { createUpdateServiceClient } from '../../update-service/index.ts';
import { runCommandLine } from '../program.ts';
import { silentTerminal } from '../reference-page.ts';

const folder = mkdtempSync(join(tmpdir(), 'rackwright-updates-'));
const at = (name: string): string => join(folder, name);
const issuer = ['--jwt-issuer', 'https://issuer.example', '--jwt-key-file', at('jwt.key')];

before(() => writeFileSync(at('jwt.key'), randomBytes(32).toString('base64'), { mode: 0o600 }));
after(() => rmSync(folder, { recursive: true, force: true }));

async function run(words: readonly string[], stop?: AbortSignal, onText?: (text: string) => void) {
  let printed = '';
  const write = (text: string): void => {
    printed += text;
    onText?.(text);
  };
  const stopping = stop === undefined ? {} : { interrupted: stop };
  const terminal = { ...silentTerminal, ...stopping, env: {}, cwd: folder, out: write, err: write };
  return { code: await runCommandLine(words, terminal), printed };
}

/** Starts a service in this process and waits for its line that it is ready. */
async function start(words: readonly string[]) {
  const stop = new AbortController();
  const ready = Promise.withResolvers<{ url: string; launcher: string }>();
  const ended = run([...words, '--rest-port', '0'], stop.signal, (text) => {
    if (text.includes('"msg":"ready"')) ready.resolve(JSON.parse(text));
  });
  void ended.then(({ code, printed }) => ready.reject(new Error(`it ended with ${code}:\n${printed}`)));
  return {
    ...(await ready.promise),
    async stop() {
      stop.abort();
      return await ended;
    },
  };
}

async function tokenFor(...scopes: readonly string[]): Promise<string> {
  const words = ['issue-token', ...issuer, '--subject', 'me', ...scopes.flatMap((scope) => ['--scope', scope])];
  const { code, printed } = await run(words);
  assert.equal(code, 0, printed);
  return printed.trim();
}

/** A catalogue in a folder, with one image, and the words that name it: on the command line, or in a file. */
function writeCatalog({ isInFile }: { readonly isInFile: boolean }): [string, string] {
  mkdirSync(at('catalog'), { recursive: true });
  const image = randomBytes(1000);
  writeFileSync(at('catalog/bios-2.0.bin'), image);
  const entry = {
    component: 'bios',
    manufacturer: 'Acme',
    models: ['One'],
    version: '2.0',
    url: 'bios-2.0.bin',
    checksums: [`sha256:${createHash('sha256').update(image).digest('hex')}`],
  };
  const catalog = { apiVersion: 'rackwright.dev/v1', kind: 'FirmwareCatalog', firmware: [entry] };
  writeFileSync(at('catalog/catalog.json'), JSON.stringify(catalog));
  writeFileSync(at('catalogs.yaml'), 'catalogs: [{format: plain, location: catalog/catalog.json}]');
  return isInFile ? ['--catalog-file', at('catalogs.yaml')] : ['--catalog', `plain=${at('catalog/catalog.json')}`];
}

/** A module with discoveries for one manufacturer, which need no catalogue. */
function writeVendorJobs(): string {
  const image = {
    ...{ component: 'bios', manufacturer: 'Vendor', version: '9.0', models: ['Two'], fileName: 'b.bin' },
    ...{ url: 'http://127.0.0.1:1/b.bin', checksum: `sha256:${'0'.repeat(64)}`, softwareIds: [] },
  };
  const firmwares = [{ name: 'bios', manufacturer: 'Vendor', versions: ['9.0'] }];
  const text = `export const jobImplementations = [{
    type: 'discovery',
    manufacturer: 'Vendor',
    async run(work, { harvest, clock }) {
      harvest.keepDiscovered({ firmwares: ${JSON.stringify(firmwares)}, images: [${JSON.stringify(image)}], observedAt: clock.now() });
      return { outcome: 'succeeded' };
    },
  }];`;
  writeFileSync(at('vendor-jobs.mjs'), text);
  return './vendor-jobs.mjs';
}

/** Asks for a discovery and waits until it has ended well. */
async function discover(
  client: ReturnType<typeof createUpdateServiceClient>,
  about: { name: string; manufacturer: string; model: string },
) {
  const { name, ...whose } = about;
  const asked = await client.discover({ discoveredFirmware: { name }, ...whose, versionsToStore: 3 });
  assert.equal(asked.status, updateRpc.RequestStatus.SCHEDULED, JSON.stringify(asked.error));
  let state: updateRpc.JobState | undefined;
  let message = '';
  for await (const { job } of client.watchJobs({ jobId: asked.jobId })) {
    [state, message] = [job?.state, `${job?.reason} ${job?.message}`];
    if (job?.finishedAt !== undefined) break;
  }
  assert.equal(state, updateRpc.JobState.SUCCEEDED, message);
  return asked.jobId;
}

describe('an update service on a data directory', () => {
  for (const launcher of ['embedded', 'process'] as const) {
    test(`takes calls in all protocols and runs jobs: ${launcher}`, async (t) => {
      const words = ['update-service', '--data-dir', at(launcher), '--facility', 'ams1', '--launcher', launcher];
      const store = ['--image-store', at(`${launcher}-store`), '--image-store-listen', '127.0.0.1:0'];
      const named = writeCatalog({ isInFile: launcher === 'process' });
      const files = [...named, '--image-folder', folder, ...store];
      const added = ['--job-implementation', writeVendorJobs()];
      const service = await start([...words, ...files, ...added, ...issuer]);
      t.after(() => service.stop());
      assert.equal(service.launcher, launcher);
      assert.equal((await request(`${service.url}/readyz`)).statusCode, 200);
      const token = await tokenFor('read', 'write');
      const client = createUpdateServiceClient({ url: service.url, token: async () => token });
      const jobId = await discover(client, { name: 'acme-one', manufacturer: 'Acme', model: 'One' });
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const path = '/rackwright.update.v1.UpdateService/ListJobs';
      const answer = await request(service.url + path, { method: 'POST', headers, body: '{}' });
      const { jobs } = (await answer.body.json()) as { jobs: { id: string; state: string }[] };
      assert.deepEqual(
        jobs.map(({ id, state }) => [id, state]),
        [[jobId, 'JOB_STATE_SUCCEEDED']],
      );
      const stranger = await request(service.url + path, {
        method: 'POST',
        headers: { ...headers, authorization: '' },
      });
      assert.equal(stranger.statusCode, 401);
      // Nobody else can open this store, so the catalogue is served here too.
      const versions = await request(`${service.url}/api/v1/server-component-firmwares`, { headers });
      const { records } = (await versions.body.json()) as { records: { version: string; repository_url: string }[] };
      assert.deepEqual(
        records.map(({ version }) => version),
        ['2.0'],
      );
      // Kept in the store, from where everybody gets it.
      const image = await request(records[0]?.repository_url ?? '', { headers: { range: 'bytes=10-19' } });
      assert.equal(image.statusCode, 206);
      assert.equal((await image.body.arrayBuffer()).byteLength, 10);
      // What was added for another manufacturer is taken there, and nowhere else.
      await discover(client, { name: 'vendor-two', manufacturer: 'VENDOR', model: 'Two' });
      const all = await request(`${service.url}/api/v1/server-component-firmwares`, { headers });
      const { records: both } = (await all.body.json()) as { records: { version: string }[] };
      assert.deepEqual(both.map(({ version }) => version).toSorted(), ['2.0', '9.0']);
      const { code, printed } = await service.stop();
      assert.equal(code, 0, printed);
      assert.equal(printed.includes(token), false);
    });
  }
});

test('Jobs in a namespace that cannot be read are refused at the start, and not waited for', async (t) => {
  const server = await startApiServer({ dataDir: at('api'), port: 0 });
  t.after(() => server.close());
  writeFileSync(at('kubeconfig'), server.kubeconfig, { mode: 0o600 });
  const { code, printed } = await run([
    ...['update-service', '--rest-port', '0', '--data-dir', at('nowhere'), '--facility', 'ams1'],
    ...['--kubeconfig', at('kubeconfig'), '--launcher', 'kubernetes', '--job-image', 'i', '--job-namespace', 'nowhere'],
    ...['--update-service-url', 'https://updates:7447'],
  ]);
  assert.notEqual(code, 0);
  assert.match(printed, /the namespace nowhere of Jobs cannot be read.*not found/);
});

describe('what cannot be meant', () => {
  const update = ['update-service', '--rest-port', '0', '--data-dir', 'bad', '--facility', 'a', ...issuer];
  const controllers = ['controllers', '--rest-port', '0', '--data-dir', 'bad'];
  const cluster = [...controllers, '--kubeconfig', 'k'];
  type Case = [what: string, words: readonly string[], message: RegExp];
  const jobs = [...update, '--launcher', 'kubernetes', '--kubeconfig', 'k', '--job-image', 'i'];
  const store = [...jobs, '--update-service-url', 'https://updates:7447', '--image-store', 'x', '--image-store-listen'];
  const unreachable: Case[] = [
    ['Jobs that would ask themselves', jobs, /goes with --update-service-url: pods do not find this service/],
    ...['0.0.0.0', '::', '127.0.0.1', 'localhost'].map(
      (host): Case => [
        `Jobs that would ask ${host}`,
        [...jobs, '--host', host],
        /goes with --update-service-url: pods do not find this service/,
      ],
    ),
    ['images that Jobs do not reach', [...store, '0.0.0.0:0'], /goes with --image-store-url: pods do not find/],
    ['images on loopback', [...store, '[::1]:0'], /goes with --image-store-url: pods do not find the images at ::1/],
  ];
  const cases: Case[] = [
    [
      'a kind that no flasher does',
      ['flasher', '--rest-port', '0', '--data-dir', 'bad', '--facility', 'a', '--without', 'dance'],
      /a flasher does firmwareInstall/,
    ],
    [
      'two strategies',
      [...update, '--strategy', 'redfish', '--strategy', 'vendor-cli'],
      /exactly one strategy, and 2 are enabled \(redfish, vendor-cli\)/,
    ],
    [
      'an unknown strategy',
      [...update, '--strategy', 'no-such'],
      /there is no strategy no-such: .*redfish, vendor-cli, boot-image/,
    ],
    ['settings for one that has none', [...update, '--strategy-settings', 'jwt.key'], /holds no object/],
    [
      'a strategy whose settings are missing',
      [...update, '--strategy', 'vendor-cli'],
      /the strategy vendor-cli cannot be used/,
    ],
    [
      'jobs of a package that is not there',
      [...update, '--job-implementation', 'no-such-jobs'],
      /--job-implementation: jobs of no-such-jobs cannot be loaded \(Cannot find package/,
    ],
    [
      'jobs of a file that has none',
      [...update, '--job-implementation', './no-jobs.mjs'],
      /no-jobs\.mjs cannot be used: it exports no list `jobImplementations`/,
    ],
    [
      'two that do the same jobs',
      [...update, '--job-implementation', './scans.mjs', '--job-implementation', './scans-too.mjs'],
      /scans\.mjs and .*scans-too\.mjs both have scan jobs for Acme: leave one of them out/,
    ],
    ['a launcher that is none', [...update, '--launcher', 'rocket'], /one of embedded, process, kubernetes/],
    ['Jobs without a cluster', [...update, '--launcher', 'kubernetes'], /goes with --kubeconfig/],
    ['Jobs without an image', [...update, '--launcher', 'kubernetes', '--kubeconfig', 'k'], /goes with --job-image/],
    ['a catalogue of no format', [...update, '--catalog', 'https://me:not-to-be-seen@x/'], /FORMAT=LOCATION/],
    ['a catalogue somewhere odd', [...update, '--catalog', 'dell=ftp://me:not-to-be-seen@x/'], /http, https or file/],
    ['a log-in that others read', [...update, '--catalog', 'hpe=https://me:not-to-be-seen@x/'], /--catalog-file/],
    ['a store that nobody serves', [...update, '--image-store', 'x'], /--image-store-listen or --image-store-url/],
    [
      'a bucket whose addresses end',
      [...update, '--image-store', 's3://images', '--s3-endpoint', 'http://127.0.0.1:1', '--s3-key-file', 'jwt.key'],
      /goes with --image-store-listen or --image-store-url: addresses that a bucket signs end/,
    ],
    ['a bucket nowhere', [...update, '--image-store', 's3://images'], /goes with --s3-endpoint and --s3-key-file/],
    ['images of no store', [...update, '--image-store-listen', '127.0.0.1:0'], /go with --image-store/],
    ['controllers of nothing', controllers, /--kubeconfig is missing/],
    [
      'controllers of nothing in a cluster',
      cluster,
      /what is to be looked after\? .*--update-service-url.*--ironic-url/,
    ],
    [
      'controllers of an unknown set',
      [...cluster, '--only', 'console'],
      /one of firmware, hosts, network, machines is needed/,
    ],
    ['firmware without an update service', [...cluster, '--only', 'firmware'], /--update-service-url is missing/],
    ['hosts without an Ironic', [...cluster, '--only', 'network,hosts'], /--ironic-url is missing/],
    [
      'an Ironic that is not asked',
      [...cluster, '--only', 'network', '--ironic-ca', 'ca.pem'],
      /--ironic-ca needs --ironic-url/,
    ],
    [
      'hosts with half an image',
      [...cluster, '--ironic-url', 'http://127.0.0.1:1', '--ironic-kernel', 'http://x/kernel'],
      /go together/,
    ],
    [
      'controllers without a token',
      [...cluster, '--update-service-url', 'http://127.0.0.1:1'],
      /goes with --token-file/,
    ],
    ...unreachable,
  ];
  before(() => {
    const scans = `export const jobImplementations = [{ type: 'scan', manufacturer: 'Acme', async run() {} }];`;
    writeFileSync(at('no-jobs.mjs'), 'export const strategy = 1;');
    for (const name of ['scans.mjs', 'scans-too.mjs']) writeFileSync(at(name), scans);
  });

  for (const [what, words, message] of cases) {
    test(`${what} is refused before anything is opened`, async () => {
      const { code, printed } = await run(words);
      assert.equal(code, 2, printed);
      assert.match(printed, message);
      assert.equal(printed.includes('not-to-be-seen'), false);
    });
  }
});
