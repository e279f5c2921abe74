import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { updateRpc } from '../../src/api/index.ts';
import {
  type OtlpReceiver,
  pathOfSpan,
  type SentSpan,
  startOtlpReceiver,
} from '../../src/telemetry/testing/otlp-receiver.ts';
import { createUpdateServiceClient } from '../../src/update-service/index.ts';
import { type CliProcess, runCli, startCli, temporaryFolder } from './cli-fixture.ts';
import { enrol, findSimulated, type Issuer, makeIssuer, startService, untilSo } from './work-services.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder.path, name);
const started: CliProcess[] = [];
let issuer: Issuer;
let collector: OtlpReceiver;

/** Installs that do not wait for real minutes while simulated ones pass in a moment. */
const soon = [
  ...['--poll-first', '100ms', '--poll-most', '500ms'],
  ...['--verify-first', '100ms', '--verify-most', '500ms'],
  ...['--retry-first', '200ms', '--retry-most', '1s'],
];

before(async () => {
  const fleet = ['--servers', '2', '--plain-http', 'yes', '--bmc-host', '127.0.0.1', '--bmc-port', '0'];
  const simulator = startCli(['simulate', '--data-dir', at('simulator'), ...fleet, '--speed', '2000']);
  started.push(simulator);
  [collector, issuer] = await Promise.all([startOtlpReceiver(), makeIssuer(folder.path)]);
  await simulator.until('Ctrl-C stops it');
  // Hosts that run need not be switched on first, whose self-test is waited for in real time.
  for (const name of ['r01-s01', 'r01-s02'])
    await runCli(['simulate', 'reset', name, 'On', '--data-dir', at('simulator')]);
});
after(async () => {
  await Promise.all(started.map((one) => one.end('SIGKILL')));
  await collector.close();
  folder.remove();
});

async function start(words: readonly string[]) {
  const service = await startService([...words, '--traces-endpoint', collector.url], {
    ...issuer,
    env: { RACKWRIGHT_BMC_HTTP: 'yes' },
  });
  started.push(service);
  return service;
}

/** Waits until the spans of a request to a BMC that an install made are there, and gives their names from the root down. */
async function pathToBmc(root: string): Promise<readonly string[]> {
  const { spans } = collector;
  const isFlash = (span: SentSpan): boolean =>
    span.kind === 3 && span.name.startsWith('POST /redfish/v1/') && pathOfSpan(spans, span)[0] === root;
  const isWhole = (span: SentSpan): boolean => pathOfSpan(spans, span).some((name) => name.startsWith('install '));
  const find = () => spans.find((span) => isFlash(span) && isWhole(span));
  await untilSo(async () => find() !== undefined);
  return pathOfSpan(spans, find() ?? assert.fail());
}

describe('traces across processes', { concurrency: true }, () => {
  test('an update is one trace: the call, the engine, the runner, the process of the job, the BMC', async () => {
    const call = 'rackwright.update.v1.UpdateService/Update';
    const service = await start([
      ...['update-service', '--data-dir', at('updates'), '--facility', 'lab', '--launcher', 'process'],
      ...['--concurrency', '2', ...soon, ...issuer.words],
    ]);
    const server = await findSimulated(at('simulator'), 'r01-s01');
    const id = await enrol(service, server, { facility: 'lab', set: 'newest', components: ['bmc'] });
    const offer = server.offers.find(({ component, isNewest }) => isNewest && component === 'bmc') ?? assert.fail();
    const rpc = createUpdateServiceClient({ url: service.url, token: async () => issuer.token });
    const firmwares = [{ name: 'bmc', manufacturer: offer.vendor, version: offer.version }];
    const { status, error, jobId } = await rpc.update({ server: { name: id }, firmwares });
    assert.equal(status, updateRpc.RequestStatus.SCHEDULED, JSON.stringify(error));
    const ended = async () => (await rpc.getJob({ jobId })).job;
    await untilSo(async () => (await ended())?.finishedAt !== undefined);
    assert.equal((await ended())?.state, updateRpc.JobState.SUCCEEDED, (await ended())?.message);
    const path = await pathToBmc(call);
    assert.deepEqual(path.slice(0, 4), [
      call,
      'order firmwareInstall',
      'launch firmwareInstall',
      'work firmwareInstall',
    ]);
    assert.match(path.at(-2) ?? '', /^install /);
    // What the job tells the update service is in the same trace.
    const { spans } = collector;
    const told = (name: string) => spans.filter((span) => span.name === `rackwright.update.v1.UpdateService/${name}`);
    for (const name of ['TakeJob', 'ReportProgress', 'UpdateServer']) {
      await untilSo(async () => told(name).length > 0);
      // Each process sends its own spans, in its own time: what is above one may come after it.
      await untilSo(async () => told(name).every((span) => !pathOfSpan(spans, span).includes('?')));
      assert.ok(
        told(name).every((span) => pathOfSpan(spans, span)[0] === call),
        name,
      );
    }
    const secrets = [server.login.password, issuer.token];
    assert.ok(secrets.every((secret) => !collector.bodies.join('').includes(secret)));
    assert.equal(await service.end('SIGTERM'), 0, service.printed.err);
  });

  test('a condition is one trace: conditionOrc, the engine, a flasher without a store, the BMC', async () => {
    const orc = await start(['conditionorc', '--data-dir', at('orc'), ...issuer.words]);
    const server = await findSimulated(at('simulator'), 'r01-s02');
    const id = await enrol(orc, server, { facility: 'lab', set: 'newest', components: ['psu'] });
    await start([
      ...['flasher', '--data-dir', at('flasher'), '--facility', 'lab', '--orchestrator-url', orc.url],
      ...['--inventory-url', orc.url, '--token-file', issuer.tokenFile, ...soon],
    ]);
    const where = ['--rest-url', orc.url, '--inventory-url', orc.url, '--token-file', issuer.tokenFile];
    const { code, err } = await runCli(['install-firmware', id, '--set', 'newest', ...where]);
    assert.equal(code, 0, err);
    const path = await pathToBmc('POST /api/v1/servers/:uuid/firmwareInstall');
    assert.deepEqual(path.slice(1, 3), ['order firmwareInstall', 'work firmwareInstall']);
    assert.match(path.at(-2) ?? '', /^install /);
    // Each report of the flasher is part of the work that it tells of.
    const { spans } = collector;
    const reports = () => spans.filter(({ name }) => name === 'POST /api/v1/workers/report');
    await untilSo(async () => reports().some((span) => pathOfSpan(spans, span).includes('work firmwareInstall')));
  });
});
