import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Agent, request } from 'undici';
import { type CliProcess, type CliResult, runCli, startCli, startUp, temporaryFolder } from './cli-fixture.ts';

const folder = temporaryFolder();
const dataDir = join(folder.path, 'data');
const upWords = ['--simulate', '2', '--speed', '2000'];
let up: CliProcess;

const cli = (words: readonly string[]): Promise<CliResult> => runCli([...words, '--data-dir', dataDir]);

before(async () => {
  up = await startUp(dataDir, upWords);
  // Hosts that run need not be switched on first, whose self-test is waited for in real time.
  await cli(['simulate', 'reset', 'r01-s01', 'On']);
});
after(async () => {
  await up.end('SIGKILL');
  folder.remove();
});

/** Asks the REST services, as the administrator unless told. */
async function ask(path: string, token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()) {
  const { url } = JSON.parse(readFileSync(join(dataDir, 'rest.json'), 'utf8')) as { url: string };
  const agent = new Agent({ connect: { ca: readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8') } });
  const headers = { authorization: `Bearer ${token}` };
  const { statusCode, body } = await request(`${url}${path}`, { dispatcher: agent, headers });
  const answer = { status: statusCode, body: (await body.json()) as Record<string, unknown> };
  await agent.close();
  return answer;
}

/** How many images a server's BMC has written, by its own log. */
async function flashesOf(server: string): Promise<number> {
  const { out } = await cli(['simulate', 'log', server]);
  return out.split('\n').filter((line) => / update\.done /.test(line)).length;
}

describe('the firmware install service of rackwright up', () => {
  test('is ready, knows the rack, and asks who is there', async () => {
    assert.match(up.printed.out, /REST services {4}https:\/\/127\.0\.0\.1:\d+/);
    assert.deepEqual((await ask('/readyz')).body, { status: 'ok' });
    const servers = (await ask('/api/v1/servers')).body.records as { name: string; facility_code: string }[];
    assert.deepEqual(servers.map(({ name, facility_code: at }) => `${at}/${name}`).sort(), [
      'simulated/r01-s01',
      'simulated/r01-s02',
    ]);
    assert.equal((await ask('/api/v1/servers', 'wrong')).status, 401);
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
    const words = ['install-firmware', 'r01-s01', '--set', 'poweredge-r750-latest', '--component', 'cpld'];
    const { code, out, err } = await cli(words);
    assert.equal(code, 0, err);
    assert.match(out, /^ {2}cpld \S+ -> 1\.1\.4: succeeded/m);
    assert.match(out, /^r01-s01: succeeded, 1 installed$/m);
    const firmware = (await cli(['simulate', 'firmware', 'r01-s01'])).out;
    assert.match(firmware, /^cpld .* 1\.1\.4 +1 of 1 /m);
    const listed = await cli(['conditions', 'r01-s01']);
    assert.match(listed.out, /^[0-9a-f-]{36} +r01-s01 +firmwareInstall +succeeded +100%/m);
    const again = await cli(words);
    assert.match(again.out, /^ {2}cpld 1\.1\.4: skipped, /m);
  });

  test('killed in the middle and started again, it goes on and ends', async () => {
    const words = ['install-firmware', 'r01-s01', '--set', 'latest', '--component', 'psu', '--no-wait'];
    const asked = await cli(words);
    const id = /condition ([0-9a-f-]{36})/.exec(asked.out)?.[1] ?? assert.fail(asked.out + asked.err);
    for (;;) {
      const { record } = (await ask(`/api/v1/conditions/${id}`)).body as { record: { state: string } };
      if (record.state === 'active') break;
    }
    await up.end('SIGKILL');
    up = await startUp(dataDir, upWords);
    for (;;) {
      const { record } = (await ask(`/api/v1/conditions/${id}`)).body as { record: { state: string; leases: number } };
      assert.notEqual(record.state, 'failed', JSON.stringify(record));
      if (record.state !== 'succeeded') continue;
      assert.equal(record.leases, 2, 'another lease took up what the first left');
      break;
    }
    // The log of a simulated server begins anew with its process; the flash is in it unless it was over before.
    assert.ok((await flashesOf('r01-s01')) <= 1, 'the image was written once at most');
    const { out } = await cli(['simulate', 'firmware', 'r01-s01']);
    assert.match(out, /^psu .* 00\.17\.28 +2 of 2 /m);
  });
});

describe('work that cannot be', () => {
  const refusals: [string, readonly string[], number, RegExp][] = [
    ['an unknown server', ['install-firmware', 'r09-s99', '--set', 'latest'], 1, /there is no server "r09-s99"/],
    ['an unknown set', ['install-firmware', 'r01-s01', '--set', 'newest'], 1, /there is no firmware set "newest"/],
    [
      'a component that the set does not have',
      ['install-firmware', 'r01-s01', '--set', 'latest', '--component', 'tpm'],
      2,
      /has nothing for tpm; it has bios, bmc/,
    ],
    ['no set', ['install-firmware', 'r01-s01'], 2, /required option '--set <set>'/],
    ['an id that is none', ['cancel', 'r01-s01'], 2, /no id of a condition/],
    ['a condition that is not there', ['cancel', '00000000-0000-4000-8000-000000000000'], 1, /condition/],
  ];
  for (const [what, words, expected, message] of refusals) {
    test(`${what} is refused with a clear line`, async () => {
      const { code, err } = await cli(words);
      assert.match(err, message);
      assert.equal(code, expected);
    });
  }

  test('without services the way to start them is told', async () => {
    const { code, err } = await runCli(['conditions', '--data-dir', join(folder.path, 'nowhere')]);
    assert.equal(code, 6);
    assert.match(err, /start them with "rackwright up"/);
  });

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
    up = await startUp(dataDir, upWords);
  });
});
