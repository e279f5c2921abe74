import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Agent, request } from 'undici';
import { type CliProcess, type CliResult, runCli, startUp, switchHost, temporaryFolder } from './cli-fixture.ts';

const folder = temporaryFolder();
const dataDir = join(folder.path, 'data');
const words = ['--simulate', '1', '--speed', '2000', '--log-level', 'warn'];
let up: CliProcess | undefined;
after(async () => {
  await up?.end('SIGKILL');
  folder.remove();
});

const cli = (...more: readonly string[]): Promise<CliResult> => runCli([...more, '--data-dir', dataDir]);

/** Asks the REST services as the administrator. */
async function ask(method: 'GET' | 'POST', path: string, content?: object) {
  const { url } = JSON.parse(readFileSync(join(dataDir, 'rest.json'), 'utf8')) as { url: string };
  const dispatcher = new Agent({ connect: { ca: readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8') } });
  const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = content === undefined ? null : JSON.stringify(content);
  const answer = await request(`${url}/api/v1${path}`, { method, dispatcher, headers, body });
  const text = await answer.body.text();
  await dispatcher.close();
  return { status: answer.statusCode, text, body: JSON.parse(text) };
}

test('firmware without a checksum is refused everywhere, unless a setting lets it in', async () => {
  up = await startUp(dataDir, words);
  const { records } = (await ask('GET', '/server-component-firmwares?component=psu')).body;
  const [known = assert.fail('the rack has no power supplies')] = records;
  const { vendor, model, version, component, repository_url } = known;
  const unverified = { vendor, model, version, component, repository_url, filename: 'from-somewhere.bin' };
  const refused = await ask('POST', '/server-component-firmwares', unverified);
  assert.equal(refused.status, 400, refused.text);
  assert.match(refused.text, /it has no checksum; give sha256, or allow firmware without one/);

  await up.end('SIGTERM');
  up = await startUp(dataDir, [...words, '--allow-unverified-firmware', 'yes']);
  assert.match(up.printed.err, /firmware without a checksum is taken/);
  const taken = await ask('POST', '/server-component-firmwares', unverified);
  assert.equal(taken.status, 201, taken.text);
  const set = { name: 'unverified', component_firmware_uuids: [taken.body.slug] };
  assert.equal((await ask('POST', '/server-component-firmware-sets', set)).status, 201);
  // A host that runs need not be switched on first.
  await switchHost({ dataDir, name: 'r01-s01', isOn: true });
  const installed = await cli('install-firmware', 'r01-s01', '--set', 'unverified');
  assert.equal(installed.code, 0, installed.err);
  assert.match(installed.out, /^r01-s01: succeeded, 1 installed$/m);
  assert.match(up.printed.err, /a file is taken that has no checksum/);

  // What is in the catalogue from those days is not installed any more.
  await up.end('SIGTERM');
  up = await startUp(dataDir, words);
  const later = await cli('install-firmware', 'r01-s01', '--set', 'unverified', '--force');
  assert.notEqual(later.code, 0);
  assert.match(later.err, /checksum is missing/);
});
