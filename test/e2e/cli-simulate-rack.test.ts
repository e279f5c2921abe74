import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { freePortRange } from '../real/free-ports.ts';
import {
  type CliProcess,
  type CliResult,
  runCli,
  startCli,
  startUp,
  switchHost,
  temporaryFolder,
} from './cli-fixture.ts';
import { askBmc } from './simulated-bmc.ts';

const folder = temporaryFolder();
const dataDir = join(folder.path, 'data');
let up: CliProcess;

const cli = (words: readonly string[], where = dataDir): Promise<CliResult> => runCli([...words, '--data-dir', where]);
const login = async (server: string): Promise<string> => (await cli(['simulate', 'login', server])).out;

async function fieldOf(what: readonly string[], path: string, where = dataDir): Promise<string> {
  const { code, out, err } = await cli(['get', ...what, '-o', `jsonpath={${path}}`], where);
  assert.equal(code, 0, err);
  return out;
}

/** How often an event is in the log of a server. */
async function countLogged(server: string, event: string): Promise<number> {
  const { code, out, err } = await cli(['simulate', 'log', server]);
  assert.equal(code, 0, err);
  assert.doesNotMatch(out, /update\.failed/);
  return out.split('\n').filter((line) => line.includes(event)).length;
}

/** Resolves once an event is in the log of a server more often than it was. */
async function untilLogged(server: string, event: string, before = 0): Promise<void> {
  for (let looks = 0; looks < 1200; looks++) {
    if ((await countLogged(server, event)) > before) return;
    await delay(100);
  }
  assert.fail(`no other ${event} in the log of ${server}:\n${(await cli(['simulate', 'log', server])).out}`);
}

before(async () => {
  up = await startUp(dataDir);
});
after(async () => {
  await up.end('SIGKILL');
  folder.remove();
});

describe('the simulated rack of rackwright up', () => {
  test('is there unless told otherwise, and the API knows its servers and switches', async () => {
    assert.match(up.printed.out, /Simulated rack {3}8 servers and 3 switches; the first BMC is https:\/\/127\./);
    const hosts = await cli(['get', 'baremetalhosts', '-n', 'simulated', '-o', 'name']);
    assert.equal(hosts.out.trim().split('\n').length, 8);
    for (const [kind, count] of [
      ['bmc', 8],
      ['bmcsecret', 8],
      ['switch', 3],
      ['fixtureswitch', 3],
    ] as const) {
      const { out } = await cli(['get', kind, '-n', 'simulated', '-o', 'name']);
      assert.equal(out.trim().split('\n').length, count, kind);
    }
    const status = await cli(['simulate', 'status']);
    assert.equal(status.out.trim().split('\n').length, 9);
  });

  test('what its objects say is where the BMC is and what opens it', async () => {
    const [url, username, password] = (await login('r01-s01')).trim().split(' ');
    const host = ['bmh', 'r01-s01', '-n', 'simulated'];
    assert.match(await fieldOf(host, '.spec.bmc.address'), new RegExp(`^redfish-virtualmedia\\+${url}/redfish/v1/`));
    const secret = ['secret', 'r01-s01-bmc', '-n', 'simulated'];
    for (const [field, value] of [
      ['username', username],
      ['password', password],
    ] as const) {
      assert.equal(Buffer.from(await fieldOf(secret, `.data.${field}`), 'base64').toString(), value);
    }
    assert.ok(!up.printed.out.includes(password ?? ''), 'the password is not printed');
  });

  test('no simulator starts in its data directory', async () => {
    const second = startCli(['simulate', '--data-dir', dataDir, '--bmc-port', '0']);
    assert.equal(await second.ended(), 3);
    assert.match(second.printed.err, new RegExp(`is in use by process ${up.child.pid} `));
  });

  test('goes on where it was: BIOS settings, firmware, power, addresses', async () => {
    // Until then hosts are switched on and off to be inspected.
    await up.until('Hosts of the rack: ');
    const bios = '/redfish/v1/Systems/1/Bios';
    const system = '/redfish/v1/Systems/1';
    const body = { Attributes: { ProcHyperthreading: 'Disabled' } };
    const staged = await askBmc(await login('r01-s02'), { method: 'PATCH', path: `${bios}/Settings`, body });
    assert.ok(staged.status < 300, JSON.stringify(staged.json));
    const { out } = await cli(['simulate', 'firmware', 'r01-s02']);
    const [, version = '', image = ''] = /^cpld .* (\S+) +0 of 1 +(http\S+)$/m.exec(out) ?? assert.fail(out);
    const update = { method: 'POST', body: { ImageURI: image } } as const;
    const path = '/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate';
    const started = await askBmc(await login('r01-s02'), { ...update, path });
    assert.ok(started.status < 300, JSON.stringify(started.json));
    await untilLogged('r01-s02', 'update.done');
    // The agent that inspected it has run before; the settings take effect in the self-test of the next boot.
    const boots = await countLogged('r01-s02', 'os.running');
    await switchHost({ dataDir, name: 'r01-s02', isOn: true });
    await untilLogged('r01-s02', 'os.running', boots);
    const before = await login('r01-s02');

    await up.end('SIGTERM');
    up = await startUp(dataDir);
    assert.equal(await login('r01-s02'), before, 'address and password are as they were');
    const seen = (await askBmc(before, { path: bios })).json as { Attributes: Record<string, string> };
    assert.equal(seen.Attributes.ProcHyperthreading, 'Disabled');
    assert.equal(((await askBmc(before, { path: system })).json as { PowerState: string }).PowerState, 'On');
    const after = (await cli(['simulate', 'firmware', 'r01-s02'])).out;
    assert.ok(
      after.split('\n').some((line) => line.startsWith('cpld ') && / 1 of 1 /.test(line) && line.includes(version)),
    );
    assert.match((await cli(['simulate', 'log', 'r01-s02'])).out, /^\d+ machine\.restored power=running$/m);
  });

  test('a copy beside it finds other ports, and its objects name them; nothing else in them changes', async () => {
    const copy = join(folder.path, 'copy');
    const host = ['bmh', 'r01-s03', '-n', 'simulated'];
    // Until then it goes on in the one and in the other.
    await up.until('Hosts of the rack: ');
    await cli(['label', ...host, 'kept=yes']);
    await cli(['backup', `${copy}.tar`]);
    await runCli(['restore', `${copy}.tar`, '--data-dir', copy]);
    const second = await startUp(copy);
    try {
      const port = /the first BMC is https:\/\/[\d.]+:(\d+)/.exec(second.printed.out)?.[1];
      assert.ok(port && !up.printed.out.includes(`:${port}\n`));
      for (const server of ['r01-s01', 'r01-s08']) {
        const address = await fieldOf(['bmh', server, '-n', 'simulated'], '.spec.bmc.address', copy);
        assert.match(address, new RegExp(`^redfish-virtualmedia\\+https://[\\d.]+:${port}/redfish/v1/Systems/`));
        assert.equal(await fieldOf(['bmc', server], '.spec.protocol.port', copy), port);
      }
      for (const field of [
        '.metadata.uid',
        '.metadata.labels',
        '.status.provisioning',
        '.status.operationHistory',
        '.status.hardware',
        '.spec.online',
        '.spec.bmc.credentialsName',
      ]) {
        assert.equal(await fieldOf(host, field, copy), await fieldOf(host, field), field);
      }
    } finally {
      await second.end('SIGTERM');
    }
  });

  test('it keeps to its addresses when the API gets another port', async () => {
    const before = await login('r01-s01');
    await up.end('SIGTERM');
    up = await startUp(dataDir);
    assert.equal(await login('r01-s01'), before);
  });
});

describe('a rack that cannot be', () => {
  /** A server at the port where the first BMC would listen, ten above a port that the API can have. */
  async function occupy(): Promise<{ readonly server: Server; readonly apiPort: number }> {
    const address = (await listen({ host: '127.0.1.1', port: 0 }).then(close)) ? '127.0.1.1' : '127.0.0.1';
    for (;;) {
      const apiPort = await freePortRange(11);
      const server = await listen({ host: address, port: apiPort + 10 });
      if (server !== undefined) return { server, apiPort };
    }
  }

  async function listen(at: { readonly host: string; readonly port: number }): Promise<Server | undefined> {
    const server = createServer();
    const { promise, resolve } = Promise.withResolvers<Server | undefined>();
    server.once('error', () => resolve(undefined));
    server.listen(at, () => resolve(server));
    return promise;
  }

  async function close(server: Server | undefined): Promise<boolean> {
    if (server === undefined) return false;
    server.close();
    await once(server, 'close');
    return true;
  }

  test('says which port is in use and what to do, and leaves nothing running', async () => {
    const { server, apiPort } = await occupy();
    const words = ['up', '--data-dir', join(folder.path, 'taken'), '--port', String(apiPort)];
    const refused = startCli(words);
    assert.equal(await refused.ended(), 5, refused.printed.err);
    assert.match(refused.printed.err, new RegExp(`port ${apiPort + 10}, where the BMCs .* --simulate 0`));
    server.close();
  });
});
