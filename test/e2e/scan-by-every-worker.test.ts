import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Agent, request } from 'undici';
import { parseAllDocuments } from 'yaml';
import { personalityNames, personalityOf } from '../../simulator/index.ts';
import type { ServerFirmware } from '../../src/api/index.ts';
import { createClient, type KubeClient } from '../../src/kube/index.ts';
import { type CliProcess, runCli, startCli, startUp, temporaryFolder } from './cli-fixture.ts';
import { assertListed, type OfferedSlot, readOfferedSlots } from './newest-offers.ts';
import { ask, startService, untilSo } from './work-services.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder.path, name);
const plain = { RACKWRIGHT_BMC_HTTP: 'yes' };
const models = personalityNames.flatMap((name) => personalityOf(name).models);
const started: CliProcess[] = [];

/** By name of the simulated server. */
let offered: ReadonlyMap<string, readonly OfferedSlot[]>;

before(async () => {
  // Among so many servers with this seed every simulated model occurs.
  const fleet = [
    '--servers',
    '18',
    '--seed',
    '21',
    '--plain-http',
    'yes',
    '--bmc-host',
    '127.0.0.1',
    '--bmc-port',
    '0',
  ];
  const simulator = startCli(['simulate', '--data-dir', at('simulator'), ...fleet, '--export', at('manifests')]);
  started.push(simulator);
  await simulator.until('Ctrl-C stops it');
  const admin = JSON.parse(readFileSync(join(at('simulator'), 'simulator', 'admin.json'), 'utf8'));
  const { body } = await ask(`${admin.url}/v1/bmcs`, { token: admin.token });
  const byModel = Map.groupBy(body.bmcs as { name: string; model: string }[], ({ model }) => model);
  assert.deepEqual([...byModel.keys()].toSorted(), models.toSorted());
  const names = [...byModel.values()].map(([first]) => first?.name ?? '');
  offered = new Map(
    await Promise.all(names.map(async (name) => [name, await readOfferedSlots(at('simulator'), name)] as const)),
  );
});
after(async () => {
  await Promise.all(started.map((one) => one.end('SIGKILL')));
  folder.remove();
});

/** What registers the BMCs of the chosen servers. */
function manifests(): string {
  const documents = [...offered.keys()].flatMap((name) =>
    parseAllDocuments(readFileSync(join(at('manifests'), `server-${name}.yaml`), 'utf8')),
  );
  const objects = documents.map((one) => one.toJS() as { kind: string });
  return objects
    .filter(({ kind }) => kind === 'BMC' || kind === 'BMCSecret')
    .map((one) => JSON.stringify(one))
    .join('\n---\n');
}

const ref = { group: 'metal.ironcore.dev', version: 'v1alpha1', resource: 'serverfirmwares', kind: 'ServerFirmware' };

/** The ServerFirmwares of an API server. */
async function connectTo(dataDir: string) {
  const client: KubeClient = await createClient({ kubeconfig: join(dataDir, 'kubeconfig') });
  const resource = client.resource<ServerFirmware>({ ...ref, namespaced: false });
  return {
    list: async () => (await resource.list({})).items,
    /** Takes what is known of every server away, so that what is there later was written by the next scan. */
    async forget() {
      for (const { metadata } of (await resource.list({})).items) {
        const path = `/apis/${ref.group}/${ref.version}/${ref.resource}/${metadata.name}/status`;
        await client.request({
          ...{ method: 'PATCH', path, body: { status: { firmwares: null, bios: null } } },
          contentType: 'application/merge-patch+json',
        });
      }
    },
    close: () => client.close(),
  };
}

type Objects = Awaited<ReturnType<typeof connectTo>>;
type Shown = Readonly<Record<string, Pick<NonNullable<ServerFirmware['status']>, 'bios' | 'firmwares'>>>;

function shownOf(objects: readonly ServerFirmware[]): Shown {
  return Object.fromEntries(
    objects.map(({ metadata, status }) => [metadata.name, { bios: status?.bios, firmwares: status?.firmwares }]),
  );
}

interface Service {
  readonly url: string;
  readonly token: string;
  readonly ca?: string;
}

async function call({ url, token, ca }: Service, method: 'GET' | 'POST' | 'PUT', path: string, body?: object) {
  const dispatcher = new Agent(ca === undefined ? {} : { connect: { ca } });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await request(`${url}${path}`, { method, dispatcher, headers, ...text });
  const shown = await answer.body.text();
  await dispatcher.close();
  assert.ok(answer.statusCode < 300, `${path}: ${answer.statusCode} ${shown}`);
  return JSON.parse(shown);
}

/** Scans every server, waits until each ServerFirmware shows its own scan, and says which workers did them. */
async function scanAll(service: Service, objects: Objects): Promise<{ shown: Shown; runners: readonly string[] }> {
  await objects.forget();
  const rpc = (method: string, body: object) =>
    call(service, 'POST', `/rackwright.update.v1.UpdateService/${method}`, body);
  const jobs = new Map<string, string>();
  for (const { metadata, spec } of await objects.list()) {
    const { jobId } = await rpc('Scan', { server: { name: spec.serverRef.name } });
    jobs.set(metadata.name ?? '', jobId);
  }
  const runners: string[] = [];
  for (const jobId of jobs.values()) {
    await untilSo(async () => {
      const { job } = await rpc('GetJob', { jobId });
      if (job.finishedAt === undefined) return false;
      assert.equal(job.state, 'JOB_STATE_SUCCEEDED', job.message);
      runners.push(job.runner);
      return true;
    });
  }
  const isShown = ({ metadata, status }: ServerFirmware) =>
    status?.report?.conditionID === jobs.get(metadata.name ?? '') && status?.firmwares !== undefined;
  await untilSo(async () => (await objects.list()).every(isShown));
  return { shown: shownOf(await objects.list()), runners };
}

/** Registers the BMCs with `up` and waits until each of them has a ServerFirmware that was scanned. */
async function startPlane() {
  const up = await startUp(at('plane'), ['--simulate', '0', '--bmc-http', 'yes', '--facilities', 'lab']);
  started.push(up);
  const { code, err } = await runCli(['apply', '-f', '-', '--data-dir', at('plane')], { input: manifests() });
  assert.equal(code, 0, err);
  const objects = await connectTo(at('plane'));
  const isScanned = ({ status }: ServerFirmware) =>
    status?.conditions?.some(({ type, status: is }) => type === 'Scanned' && is === 'True') ?? false;
  await untilSo(async () => (await objects.list()).filter(isScanned).length === models.length);
  const { url } = JSON.parse(readFileSync(join(at('plane'), 'rest.json'), 'utf8')) as { url: string };
  const ca = readFileSync(join(at('plane'), 'pki', 'ca.crt'), 'utf8');
  return { up, objects, service: { url, ca, token: adminToken() } };
}

const adminToken = (): string => readFileSync(join(at('plane'), 'admin-token'), 'utf8').trim();

/** Moves every server into a facility that only this flasher works on. */
async function startFlasher(service: Service): Promise<CliProcess> {
  const { records } = await call(service, 'GET', '/api/v1/servers');
  for (const { uuid } of records) await call(service, 'PUT', `/api/v1/servers/${uuid}`, { facility_code: 'remote' });
  const trust = ['--ca-file', join(at('plane'), 'pki', 'ca.crt'), '--token-file', join(at('plane'), 'admin-token')];
  const words = ['flasher', '--facility', 'remote', '--orchestrator-url', service.url, '--data-dir', at('flasher')];
  const flasher = await startService([...words, ...trust], { token: service.token, env: plain });
  started.push(flasher);
  return flasher;
}

/** An update service on the same store, and the same objects from an API server: each opens its data directory alone. */
async function startUpdateService() {
  cpSync(at('plane'), at('cluster'), { recursive: true });
  const cluster = startCli(['apiserver', '--data-dir', at('cluster'), '--port', '0']);
  started.push(cluster);
  await cluster.until('export KUBECONFIG=');
  const words = ['update-service', '--facility', 'remote', '--launcher', 'process', '--concurrency', '4'];
  const where = ['--data-dir', at('plane'), '--kubeconfig', join(at('cluster'), 'kubeconfig')];
  const service = await startService([...words, ...where], { token: adminToken(), env: plain });
  started.push(service);
  return { service, objects: await connectTo(at('cluster')) };
}

test('one server of every simulated model has the same firmwares, scanned inside up, by a flasher over HTTP and by job processes', async () => {
  const { up, objects, service } = await startPlane();
  const inside = await scanAll(service, objects);
  assert.ok(
    inside.runners.every((name) => name.startsWith('flasher/embedded/')),
    inside.runners.join(),
  );
  assert.equal(Object.keys(inside.shown).length, models.length);
  for (const [name, { firmwares = [] }] of Object.entries(inside.shown)) {
    assertListed(name, offered.get(name.replace(/-system-0$/, '')) ?? assert.fail(name), firmwares);
  }

  const flasher = await startFlasher(service);
  const overHttp = await scanAll(service, objects);
  const [remote, ...others] = new Set(overHttp.runners);
  assert.deepEqual(others, []);
  assert.match(remote ?? '', /^flasher\/(?!embedded\/)/);
  assert.deepEqual(overHttp.shown, inside.shown);
  await objects.close();
  await flasher.end('SIGTERM');
  await up.end('SIGTERM');

  const updates = await startUpdateService();
  const byProcess = await scanAll({ url: updates.service.url, token: adminToken() }, updates.objects);
  await updates.objects.close();
  const launched = updates.service.printed.out.matchAll(/"pid":(\d+),"msg":"a job was started"/g);
  assert.equal(new Set([...launched].map(([, pid]) => pid)).size, models.length, 'each scan has a process of its own');
  assert.deepEqual(byProcess.shown, inside.shown);
});
