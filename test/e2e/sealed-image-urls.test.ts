import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Agent, request } from 'undici';
import { updateRpc } from '../../src/api/index.ts';
import { createUpdateServiceClient } from '../../src/update-service/index.ts';
import { type CliProcess, runCli, startCli, startUp, temporaryFolder } from './cli-fixture.ts';
import {
  type Asking,
  enrol,
  findSimulated,
  makeIssuer,
  type StartedService,
  startService,
  untilSo,
} from './work-services.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder.path, name);
const started: CliProcess[] = [];
const secret = 'Zq7'.repeat(8);
const plain = { RACKWRIGHT_BMC_HTTP: 'yes' };
const soon = ['--poll-first', '100ms', '--poll-most', '500ms', '--verify-first', '100ms', '--verify-most', '500ms'];

let images: Server;
/** How often an image was fetched with its log-in, by its path. */
const fetched = new Map<string, number>();
const served = new Map<string, Buffer>();

before(async () => {
  const authorization = `Basic ${Buffer.from(`user:${secret}`).toString('base64')}`;
  images = createServer((incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://images');
    const isKnown = incoming.headers.authorization === authorization && searchParams.get('X-Amz-Signature') === secret;
    const image = served.get(pathname);
    if (!isKnown || image === undefined) response.writeHead(403).end();
    else {
      if (incoming.method === 'GET') fetched.set(pathname, (fetched.get(pathname) ?? 0) + 1);
      response.writeHead(200, { 'content-length': image.length }).end(image);
    }
  });
  await new Promise<void>((done) => images.listen(0, '127.0.0.1', done));
  const fleet = ['--servers', '3', '--plain-http', 'yes', '--bmc-host', '127.0.0.1', '--bmc-port', '0'];
  const how = ['--speed', '2000', '--personalities', 'dell-idrac9'];
  const simulator = startCli(['simulate', '--data-dir', at('simulator'), ...fleet, ...how]);
  started.push(simulator);
  await simulator.until('Ctrl-C stops it');
  // Hosts that run need not be switched on first, whose self-test is waited for in real time.
  for (const name of ['r01-s01', 'r01-s02', 'r01-s03'])
    await runCli(['simulate', 'reset', name, 'On', '--data-dir', at('simulator')]);
});
after(async () => {
  await Promise.all(started.map((one) => one.end('SIGKILL')));
  images.close();
  folder.remove();
});

/** The services of `up`, as its administrator. */
function planeOf(dataDir: string): Pick<StartedService, 'ask'> {
  return {
    async ask(path: string, { method = 'GET', body }: Asking = {}) {
      const { url } = JSON.parse(readFileSync(join(dataDir, 'rest.json'), 'utf8')) as { url: string };
      const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
      const dispatcher = new Agent({ connect: { ca: readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8') } });
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await request(`${url}${path}`, { method, dispatcher, headers, ...text });
      const shown = (await answer.body.json()) as Record<string, unknown>;
      await dispatcher.close();
      assert.ok(answer.statusCode < 300, `${path}: ${answer.statusCode} ${JSON.stringify(shown)}`);
      return { status: answer.statusCode, body: shown };
    },
  };
}

/** Serves the newest image of the BMC of a simulated server to those who have the log-in. */
async function serveWithLogin(name: string) {
  const server = await findSimulated(at('simulator'), name);
  const offer = server.offers.find(({ component, isNewest }) => isNewest && component === 'bmc') ?? assert.fail();
  const path = `/${name}.bin`;
  const image = Buffer.from(await (await request(offer.image)).body.arrayBuffer());
  served.set(path, image);
  const { port } = images.address() as AddressInfo;
  const url = `http://user:${secret}@127.0.0.1:${port}${path}?X-Amz-Signature=${secret}`;
  return { server, offer, path, url, checksum: `sha256:${createHash('sha256').update(image).digest('hex')}` };
}

/** Enrols a server with its image in the catalogue, and gives the set that has it. */
async function enrolWithSet(inventory: Pick<StartedService, 'ask'>, name: string) {
  const { server, url, ...more } = await serveWithLogin(name);
  const id = await enrol(inventory, server, { facility: 'lab', set: name, components: ['bmc'] });
  const { body } = await inventory.ask('/api/v1/server-component-firmware-sets');
  const sets = body.records as { name: string; uuid: string; component_firmware: Record<string, unknown>[] }[];
  const set = sets.find((one) => one.name === name);
  const firmware = set?.component_firmware[0] ?? assert.fail(JSON.stringify(sets));
  const path = `/api/v1/server-component-firmwares/${firmware.uuid}`;
  await inventory.ask(path, { method: 'PUT', body: { ...firmware, repository_url: url } });
  return { ...more, id, setId: set?.uuid };
}

/** Files below a folder that have the secret in them. */
function filesWithSecret(dataDir: string): readonly string[] {
  const files = globSync('**/*', { cwd: dataDir }).map((name) => join(dataDir, name));
  const regular = files.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
  assert.ok(regular.some((file) => file.endsWith('.db')));
  return regular.filter((file) => readFileSync(file).includes(secret));
}

async function order(plane: Pick<StartedService, 'ask'>, server: string, parameters: object): Promise<string> {
  const body = { kind: 'firmwareInstall', parameters };
  const { body: answer } = await plane.ask(`/api/v1/servers/${server}/condition`, { method: 'POST', body });
  const record = (answer.record ?? (answer.records as unknown[])[0]) as Record<string, unknown>;
  return String(record.id ?? (record.conditions as { id: string }[])[0]?.id);
}

async function untilInstalled(plane: Pick<StartedService, 'ask'>, id: string): Promise<void> {
  await untilSo(async () => {
    const { record } = (await plane.ask(`/api/v1/conditions/${id}`)).body as { record: Record<string, unknown> };
    assert.notEqual(record.state, 'failed', JSON.stringify(record));
    return record.state === 'succeeded';
  });
}

test('images are fetched with their log-ins by up and by a flasher over HTTP after a restart, and no file has one (security.md: work-log-ins)', async () => {
  const words = ['--simulate', '0', '--bmc-http', 'yes', '--facilities', 'lab'];
  const up = await startUp(at('plane'), words);
  started.push(up);
  const plane = planeOf(at('plane'));
  const here = await enrolWithSet(plane, 'r01-s01');
  await untilInstalled(plane, await order(plane, here.id, { firmware_set_id: here.setId }));
  assert.ok((fetched.get(here.path) ?? 0) > 0);
  const { server, offer, path, url, checksum } = await serveWithLogin('r01-s02');
  const id = await enrol(plane, server, { facility: 'remote', set: 'none', components: [] });
  const inline = { component: 'bmc', vendor: offer.vendor, version: offer.version, URL: url, checksum };
  const waiting = await order(plane, id, { firmwares: [inline] });
  assert.deepEqual(filesWithSecret(at('plane')), []);
  await up.end('SIGKILL');

  started.push(await startUp(at('plane'), words));
  assert.equal(await order(plane, id, { firmwares: [inline] }), waiting, 'it is known as the same');
  const rest = JSON.parse(readFileSync(join(at('plane'), 'rest.json'), 'utf8')) as { url: string };
  const trust = ['--ca-file', join(at('plane'), 'pki', 'ca.crt'), '--token-file', join(at('plane'), 'admin-token')];
  const flasher = ['flasher', '--facility', 'remote', '--orchestrator-url', rest.url, '--data-dir', at('flasher')];
  started.push(await startService([...flasher, ...trust, ...soon], { token: '', env: plain }));
  await untilInstalled(plane, waiting);
  assert.ok((fetched.get(path) ?? 0) > 0);
  assert.deepEqual(filesWithSecret(at('plane')), []);
});

test('a job process fetches an image with its log-in, and no file of the service has it', async () => {
  const issuer = await makeIssuer(folder.path);
  const words = ['update-service', '--data-dir', at('updates'), '--facility', 'lab', '--launcher', 'process'];
  const service = await startService([...words, ...soon, ...issuer.words], { ...issuer, env: plain });
  started.push(service);
  const { id, path, offer } = await enrolWithSet(service, 'r01-s03');
  const rpc = createUpdateServiceClient({ url: service.url, token: async () => issuer.token });
  const firmwares = [{ name: 'bmc', manufacturer: offer.vendor, version: offer.version }];
  const { jobId } = await rpc.update({ server: { name: id }, firmwares });
  const show = async () => (await rpc.getJob({ jobId })).job ?? assert.fail();
  await untilSo(async () => (await show()).finishedAt !== undefined);
  const { state, message } = await show();
  assert.equal(state, updateRpc.JobState.SUCCEEDED, message);
  assert.ok((fetched.get(path) ?? 0) > 0);
  assert.deepEqual(filesWithSecret(at('updates')), []);
});
