import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { type CliOptions, type CliProcess, runCli, startCli, startUp, temporaryFolder } from './cli-fixture.ts';
import { askBmc } from './simulated-bmc.ts';
import { untilSo } from './work-services.ts';

const folder = temporaryFolder();
after(() => folder.remove());

async function startSimulate(dataDir: string, words: readonly string[]): Promise<CliProcess> {
  const process = startCli(['simulate', '--data-dir', dataDir, '--bmc-port', '0', ...words]);
  await process.until('Ctrl-C stops it');
  return process;
}

describe('rackwright simulate', () => {
  const dataDir = join(folder.path, 'alone');
  const exported = join(folder.path, 'exported');
  const foreign = ['server-of-mine.yaml', 'notes.txt'];
  let simulator: CliProcess;
  const cli = (words: readonly string[], options: CliOptions = {}) =>
    runCli(['simulate', ...words, '--data-dir', dataDir], options);
  const login = async (server: string): Promise<string> => (await cli(['login', server])).out;

  before(async () => {
    mkdirSync(exported);
    for (const name of ['server-r09-s01.yaml', 'switch-tor-r09-a.yaml', 'switch-mgmt-r09.yaml', ...foreign]) {
      writeFileSync(join(exported, name), '# from before\n', { mode: 0o600 });
    }
    simulator = await startSimulate(dataDir, ['--servers', '6', '--speed', '600', '--export', exported]);
  });
  after(() => simulator.end('SIGKILL'));

  test('says what there is and what to type next, and only its owner can read what it leaves', async () => {
    const { out } = simulator.printed;
    assert.match(out, /A data centre of 6 servers in 1 rack with 3 switches, seed 1\. In a real second, 600 simulated/);
    assert.ok(out.includes(`Authority     ${join(dataDir, 'simulator', 'ca.pem')}   for --bmc-ca`), out);
    assert.match(readFileSync(join(dataDir, 'simulator', 'ca.pem'), 'utf8'), /^-----BEGIN CERTIFICATE-----\n/);
    assert.match(out, /First BMC {5}https:\/\/127\.\d+\.\d+\.\d+:\d+\/redfish\/v1\/\n/);
    const next = out.split('\n').filter((line) => line.startsWith('  npx rackwright simulate '));
    assert.equal(next.length, 4);
    for (const line of next) assert.ok(line.endsWith(` --data-dir ${dataDir}`), line);
    for (const name of ['admin.json', 'state.json']) {
      assert.equal(statSync(join(dataDir, 'simulator', name)).mode & 0o077, 0, name);
    }
    for (const name of readdirSync(exported)) assert.equal(statSync(join(exported, name)).mode & 0o077, 0, name);
  });

  test('an export takes away what an earlier one left of servers that are no more, and nothing else', () => {
    assert.match(simulator.printed.out, /3 files of an earlier export, not part of this fleet, removed\./);
    const names = readdirSync(exported);
    assert.deepEqual(
      names.filter((name) => name.includes('r09')),
      [],
    );
    for (const name of foreign) assert.ok(names.includes(name), name);
    assert.equal(names.filter((name) => name.startsWith('server-r01-')).length, 6);
    for (const name of foreign) rmSync(join(exported, name));
  });

  test('status lists the servers, one of each kind of BMC', async () => {
    const { code, out } = await cli(['status']);
    assert.equal(code, 0);
    const lines = out.trimEnd().split('\n');
    assert.match(lines[0] ?? '', /^NAME +BMC +PERSONALITY +MODEL +POWER +RUNS$/);
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(/ +/)[2]),
      ['dell-idrac9', 'hpe-ilo5', 'hpe-ilo6', 'lenovo-xcc', 'supermicro-x12', 'openbmc'],
    );
  });

  test('what login prints opens the BMC, and a changed password is printed from then on', async () => {
    const before = await login('r01-s06');
    const accounts = '/redfish/v1/AccountService/Accounts';
    const { json } = await askBmc(before, { path: accounts });
    const path = (json as { Members: { '@odata.id': string }[] }).Members[0]?.['@odata.id'] ?? '';
    const changed = await askBmc(before, { method: 'PATCH', path, body: { Password: 'Not-to-be-seen-1' } });
    assert.ok(changed.status < 300, JSON.stringify(changed.json));
    assert.match(await login('r01-s06'), / Not-to-be-seen-1\n$/);
    assert.equal((await askBmc(before, { path: accounts })).status, 401);
    assert.equal((await askBmc(await login('r01-s06'), { path: accounts })).status, 200);
  });

  test('faults are shown, replaced, added to and cleared, and strike', async () => {
    assert.equal((await cli(['faults'])).out, 'no faults\n');
    const rules = join(folder.path, 'rules.yaml');
    writeFileSync(rules, 'faults:\n- {kind: busy, machines: r01-s02, method: GET}\n');
    assert.equal((await cli(['faults', rules])).out, '{"kind":"busy","machines":"r01-s02","method":"GET"}\n');
    assert.equal((await askBmc(await login('r01-s02'), { path: '/redfish/v1/Systems' })).status, 503);
    assert.equal((await askBmc(await login('r01-s03'), { path: '/redfish/v1/Systems' })).status, 200);
    const added = await cli(['faults', '-', '--add'], { input: '- kind: flash-hangs' });
    assert.equal(added.out.split('\n').length - 1, 2);
    assert.equal((await cli(['faults', '--clear'])).out, 'no faults\n');
    assert.equal((await askBmc(await login('r01-s02'), { path: '/redfish/v1/Systems' })).status, 200);
  });

  test('faults that cannot be meant are refused with their place, and the old ones stay', async () => {
    const { code, err } = await cli(['faults', '-'], { input: '- kind: bussy\n- {kind: busy, rate: 2}\n' });
    assert.equal(code, 2);
    assert.match(err, /faults\[0\]\.kind: "bussy" is not one of .*faults\[1\]\.rate: must be a number from 0 to 1/);
    assert.equal((await cli(['faults', '--clear', '--add'])).code, 2);
    assert.equal((await cli(['faults'])).out, 'no faults\n');
  });

  test('the log of a server tells what happened to it, without a password', async () => {
    const { code, out } = await cli(['log', 'r01-s06']);
    assert.equal(code, 0);
    assert.match(out, /^\d+ account\.changed username=\S+$/m);
    const passwords = ['Not-to-be-seen-1'];
    for (let server = 1; server <= 6; server++) {
      passwords.push((await login(`r01-s0${server}`)).trim().split(' ')[2] ?? '');
    }
    const logs = await Promise.all([1, 2, 3, 4, 5, 6].map(async (each) => (await cli(['log', `r01-s0${each}`])).out));
    const said = [...logs, simulator.printed.out, simulator.printed.err].join('\n');
    for (const password of passwords) assert.ok(password.length > 7 && !said.includes(password));
  });

  test('the power button works, and says when it does not', async () => {
    assert.equal((await cli(['reset', 'r01-s05', 'On'])).out, 'r01-s05: PoweringOn\n');
    const { code, err } = await cli(['reset', 'r01-s04', 'GracefulShutdown']);
    assert.deepEqual([code, err], [1, 'error: r01-s04 cannot do GracefulShutdown now: wrong-state, power is Off\n']);
  });

  test('a server that is not there is answered with where to look', async () => {
    for (const words of [
      ['log', 'r09-s01'],
      ['login', 'r09-s01'],
      ['firmware', 'r09-s01'],
      ['reset', 'r09-s01', 'On'],
    ]) {
      const { code, err } = await cli(words);
      assert.deepEqual(
        [code, err],
        [1, 'error: there is no server "r09-s01"; "rackwright simulate status" lists them\n'],
      );
    }
  });

  test('a second simulator in the same data directory is refused', async () => {
    const second = startCli(['simulate', '--data-dir', dataDir, '--bmc-port', '0']);
    assert.equal(await second.ended(), 3);
    assert.match(second.printed.err, new RegExp(`is in use by process ${simulator.child.pid} `));
    assert.equal((await cli(['status'])).code, 0, 'the first goes on');
  });

  test('every exported manifest is taken by an API server, and once more without a change', async () => {
    const plane = join(folder.path, 'plane');
    const up = await startUp(plane, ['--simulate', '0']);
    try {
      const documents = readdirSync(exported).flatMap((name) =>
        parseAllDocuments(readFileSync(join(exported, name), 'utf8')),
      );
      const applied = await runCli(['apply', '-f', exported, '--data-dir', plane]);
      assert.equal(applied.code, 0, applied.err);
      assert.equal(applied.out.match(/ created$/gm)?.length, documents.length);
      // Controllers may put finalizers on them meanwhile.
      await untilSo(async () => {
        const again = await runCli(['apply', '-f', exported, '--data-dir', plane]);
        return again.out.match(/ unchanged$/gm)?.length === documents.length;
      });
      const hosts = await runCli(['get', 'bmh', '-n', 'simulated', '-o', 'name', '--data-dir', plane]);
      assert.equal(hosts.out.trim().split('\n').length, 6);
    } finally {
      await up.end('SIGTERM');
    }
  });

  test('Ctrl-C stops it, nothing runs any more, and started again it goes on where it was', async () => {
    const adminOf = ({ printed }: CliProcess) => /Admin API +(\S+)/.exec(printed.out)?.[1];
    const admin = adminOf(simulator);
    assert.equal(await simulator.end('SIGINT'), 0);
    assert.match(simulator.printed.out, /Stopping \.\.\.\nStopped\.\n$/);
    const nothing = await cli(['status']);
    assert.equal(nothing.code, 6);
    assert.match(nothing.err, /no simulator runs with the data directory .*; start one with "rackwright simulate"/);
    simulator = await startSimulate(dataDir, ['--servers', '6', '--speed', '600']);
    assert.match(simulator.printed.out, /It goes on where it was\./);
    assert.equal(adminOf(simulator), admin, 'links to its images lead there after each start');
    assert.match(await login('r01-s06'), / Not-to-be-seen-1\n$/);
    assert.equal((await askBmc(await login('r01-s06'), { path: '/redfish/v1/Systems' })).status, 200);
  });

  test('killed, it leaves nothing in the way of the next', async () => {
    await simulator.end('SIGKILL');
    const gone = await cli(['status']);
    assert.equal(gone.code, 6);
    assert.match(gone.err, /does not answer; is it still running\?/);
    simulator = await startSimulate(dataDir, ['--servers', '6']);
    assert.match(await login('r01-s06'), / Not-to-be-seen-1\n$/);
  });

  test('the state of another fleet is set aside, and the line that says so names both', async () => {
    await simulator.end('SIGTERM');
    simulator = await startSimulate(dataDir, ['--servers', '2', '--seed', '7']);
    await simulator.untilComplaint(/of another simulated fleet \(seed 1, not 7; servers 6, not 2\): it is now/);
    assert.ok(existsSync(join(dataDir, 'simulator', 'state.json.1')));
    assert.match(simulator.printed.out, /All servers are as they come out of the box\./);
    assert.match((await cli(['status'])).out, /^r01-s02 /m);
  });

  test('flags put all BMCs at one address, in plain HTTP', async () => {
    await simulator.end('SIGTERM');
    const words = ['--servers', '2', '--seed', '7', '--bmc-host', '::1', '--plain-http', 'yes'];
    simulator = await startSimulate(dataDir, [...words, '--personalities', 'openbmc,dell-idrac9']);
    const { out } = await cli(['status']);
    assert.match(out, /^r01-s01 +http:\/\/\[::1\]:\d+ +dell-idrac9 /m);
    assert.match(out, /^r01-s02 +http:\/\/\[::1\]:\d+ +openbmc /m);
  });
});

describe('what keeps a simulator from starting', () => {
  const start = async (words: readonly string[]): Promise<{ code: number | null; err: string }> => {
    const process = startCli(['simulate', '--data-dir', join(folder.path, 'never'), '--bmc-port', '0', ...words]);
    return { code: await process.ended(), err: process.printed.err };
  };

  test('more racks than servers, or a kind of BMC that is not known', async () => {
    const racks = await start(['--servers', '2', '--racks', '3']);
    assert.deepEqual([racks.code, racks.err.includes('    at ')], [2, false]);
    assert.match(racks.err, /racks must be a whole number from 1 up to the number of servers \(2\), not 3/);
    const kind = await start(['--personalities', 'openbmc,ilo4']);
    assert.equal(kind.code, 2);
    assert.match(kind.err, /--personalities: ilo4 is not known; there are dell-idrac9, /);
  });

  test('rules that cannot be read', async () => {
    const missing = await start(['--faults', join(folder.path, 'missing.yaml')]);
    assert.deepEqual([missing.code, /missing\.yaml cannot be read: ENOENT/.test(missing.err)], [2, true]);
    const bad = join(folder.path, 'bad.yaml');
    writeFileSync(bad, 'faults: [{kind: busy, every: 3}]');
    const wrong = await start(['--faults', bad]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /bad\.yaml: .*faults\[0\]\.every: is not a field of a rule; those are kind, machines, /);
  });

  test('a folder for manifests that cannot be made', async () => {
    const file = join(folder.path, 'a-file');
    writeFileSync(file, '');
    const { code, err } = await start(['--export', join(file, 'below')]);
    assert.deepEqual([code, err], [1, `error: --export: ${join(file, 'below')} cannot be written (ENOTDIR)\n`]);
  });

  test('a port that is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { code, err } = await start(['--bmc-host', '127.0.0.1', '--bmc-port', String(port), '--servers', '1']);
    assert.equal(code, 5);
    assert.match(err, new RegExp(`127\\.0\\.0\\.1 port ${port} is taken; choose another with --bmc-port`));
    server.close();
  });

  test('a damaged or newer state, which is named and left alone', async () => {
    const dataDir = join(folder.path, 'spoilt');
    const first = await startSimulate(dataDir, ['--servers', '1']);
    await first.end('SIGTERM');
    const file = join(dataDir, 'simulator', 'state.json');
    for (const [text, why] of [
      ['{"half', /state\.json is damaged \(it is not JSON\): move it away/],
      ['{"format": 99}', /state\.json was written by a newer version \(format 99; this version knows 1\)/],
    ] as const) {
      writeFileSync(file, text);
      const refused = startCli(['simulate', '--data-dir', dataDir, '--bmc-port', '0', '--servers', '1']);
      assert.equal(await refused.ended(), 4);
      assert.match(refused.printed.err, why);
      assert.equal(readFileSync(file, 'utf8'), text);
    }
  });
});
