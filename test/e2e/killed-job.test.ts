import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { updateRpc } from '../../src/api/index.ts';
import { createUpdateServiceClient } from '../../src/update-service/index.ts';
import { type CliProcess, runCli, startCli, temporaryFolder } from './cli-fixture.ts';
import { enrol, findSimulated, type Issuer, makeIssuer, startService, untilSo } from './work-services.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder.path, name);
const started: CliProcess[] = [];
let issuer: Issuer;

before(async () => {
  const fleet = ['--servers', '1', '--plain-http', 'yes', '--bmc-host', '127.0.0.1', '--bmc-port', '0'];
  // A flash takes half a minute.
  const words = [
    'simulate',
    '--data-dir',
    at('simulator'),
    ...fleet,
    '--speed',
    '20',
    '--personalities',
    'dell-idrac9',
  ];
  const simulator = startCli(words);
  started.push(simulator);
  issuer = await makeIssuer(folder.path);
  await simulator.until('Ctrl-C stops it');
  await runCli(['simulate', 'reset', 'r01-s01', 'On', '--data-dir', at('simulator')]);
});
after(async () => {
  await Promise.all(started.map((one) => one.end('SIGKILL')));
  folder.remove();
});

/** The number of the process that does a job. */
function processOf(jobId: string): number {
  const root = join(at('updates'), 'jobs');
  for (const name of readdirSync(root)) {
    const read = (file: string) => JSON.parse(readFileSync(join(root, name, file), 'utf8')) as Record<string, unknown>;
    if (read('job.json').jobId === jobId) return Number(read('process.json').pid);
  }
  return assert.fail('it has no process');
}

test('with the times of operation, a job that is killed in mid-flash is resumed within 90 s, and nothing is flashed twice', async () => {
  // Only how often the BMC is looked at is not as in operation.
  const soon = ['--poll-first', '100ms', '--poll-most', '500ms', '--verify-first', '100ms', '--verify-most', '500ms'];
  const words = ['update-service', '--data-dir', at('updates'), '--facility', 'lab', '--launcher', 'process'];
  const service = await startService([...words, ...soon, ...issuer.words], {
    ...issuer,
    env: { RACKWRIGHT_BMC_HTTP: 'yes' },
  });
  started.push(service);
  const server = await findSimulated(at('simulator'), 'r01-s01');
  const id = await enrol(service, server, { facility: 'lab', set: 'newest', components: ['bmc'] });
  const offer = server.offers.find(({ component, isNewest }) => isNewest && component === 'bmc') ?? assert.fail();
  const rpc = createUpdateServiceClient({ url: service.url, token: async () => issuer.token });
  const firmwares = [{ name: 'bmc', manufacturer: offer.vendor, version: offer.version }];
  const { jobId } = await rpc.update({ server: { name: id }, firmwares });
  const show = async () => (await rpc.getJob({ jobId })).job ?? assert.fail();
  const log = async () => (await runCli(['simulate', 'log', 'r01-s01', '--data-dir', at('simulator')])).out;
  await untilSo(async () => (await show()).isCancelUnsafe);
  const killedAt = Date.now();
  process.kill(processOf(jobId), 'SIGKILL');
  let resumes: string | undefined;
  await untilSo(async () => {
    const { message } = await show();
    resumes = /worker lost, resumes at (\S+Z)/.exec(message)?.[1];
    return resumes !== undefined;
  });
  assert.ok(Date.parse(resumes ?? '') - killedAt < 90_000, `killed at ${new Date(killedAt).toISOString()}: ${resumes}`);
  await untilSo(async () => (await show()).finishedAt !== undefined);
  const { state, attempts, message } = await show();
  assert.deepEqual([state, attempts], [updateRpc.JobState.SUCCEEDED, 2], message);
  assert.equal((await log()).match(/ update\.flash-begin /g)?.length, 1);
});
