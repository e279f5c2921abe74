import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import { type DataCentreOptions, type RunningBmc, startDataCentre } from './index.ts';
import { ask, basic } from './redfish/front/testing/wire.ts';

async function start(context: TestContext, options: Partial<DataCentreOptions> = {}) {
  const dataCentre = await startDataCentre({ seed: 1, servers: 3, speed: 1000, ...options });
  context.after(() => dataCentre.close());
  return dataCentre;
}

/** The certificate a BMC shows to somebody who asks now. */
async function shownBy(bmc: RunningBmc): Promise<X509Certificate> {
  const { hostname, port } = new URL(bmc.url);
  const socket = connect({ host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerX509Certificate();
  socket.destroy();
  assert.ok(certificate);
  return certificate;
}

test('by address, each BMC is at its own with one port for all, and a certificate for it', async (t) => {
  const { bmcs, caPem = '' } = await start(t, { addressing: 'address' });
  assert.deepEqual(
    bmcs.map(({ url }) => new URL(url).hostname),
    ['127.0.1.1', '127.0.1.2', '127.0.1.3'],
  );
  assert.equal(new Set(bmcs.map(({ url }) => new URL(url).port)).size, 1);
  for (const bmc of bmcs) {
    const root = await ask(`${bmc.url}/redfish/v1/`, { ca: caPem });
    assert.equal(root.json.UUID, (await ask(`${bmc.url}/redfish/v1`, { ca: caPem })).json.UUID);
    const system = await ask(`${bmc.url}${bmc.systemPath}`, { ca: caPem, headers: basic(bmc) });
    assert.equal(system.json.SerialNumber, bmc.machine.hardware.serial);
    assert.equal((await shownBy(bmc)).fingerprint256, await bmc.fingerprint());
  }
  assert.equal(new Set(await Promise.all(bmcs.map((bmc) => bmc.fingerprint()))).size, 3);
});

test('by port, over IPv6 and IPv4, with and without TLS', async (t) => {
  for (const host of ['127.0.0.1', '::1']) {
    for (const isPlain of [true, false]) {
      const { bmcs, caPem } = await start(t, { host, isPlain, servers: 2 });
      const [, second] = bmcs;
      assert.ok(second);
      assert.equal(new URL(second.url).protocol, isPlain ? 'http:' : 'https:');
      const answer = await ask(`${second.url}${second.systemPath}`, {
        headers: basic(second),
        ...(caPem === undefined ? {} : { ca: caPem }),
      });
      assert.equal(answer.json.SerialNumber, second.machine.hardware.serial);
      assert.equal(await second.fingerprint(), isPlain ? undefined : (await shownBy(second)).fingerprint256);
    }
  }
});

test('a password of one BMC opens no other', async (t) => {
  const { bmcs } = await start(t, { isPlain: true });
  const statuses = await Promise.all(
    bmcs.map(async (bmc) => (await ask(`${bmc.url}${bmc.systemPath}`, { headers: basic(bmcs[0] ?? bmc) })).status),
  );
  assert.deepEqual(statuses, [200, 401, 401]);
});

test('certificate-changed: a BMC shows another one, by the same authority, when the fault is switched on', async (t) => {
  const dataCentre = await start(t);
  const [bmc, other] = dataCentre.bmcs;
  assert.ok(bmc && other);
  const before = [await shownBy(bmc), await shownBy(other)] as const;
  dataCentre.setFaults([{ kind: 'certificate-changed', machines: bmc.name }]);
  assert.equal(dataCentre.faults.length, 1);
  const after = await shownBy(bmc);
  assert.notEqual(after.fingerprint256, before[0].fingerprint256);
  assert.equal(await bmc.fingerprint(), after.fingerprint256);
  assert.equal((await shownBy(other)).fingerprint256, before[1].fingerprint256);
  assert.ok(after.verify(new X509Certificate(dataCentre.caPem ?? '').publicKey));
  assert.equal((await ask(`${bmc.url}/redfish/v1`, { ca: dataCentre.caPem ?? '' })).status, 200);
});

test('servers are found by name, and hosts and switches belong to them', async (t) => {
  const dataCentre = await start(t, { servers: 4, racks: 2, isPlain: true });
  assert.equal(dataCentre.bmc('r02-s01'), dataCentre.bmcs[2]);
  assert.throws(() => dataCentre.bmc('r09-s01'), /there is no server "r09-s01"/);
  assert.deepEqual(
    dataCentre.hosts.map(({ machine }) => machine),
    dataCentre.bmcs.map(({ machine }) => machine),
  );
  assert.equal(dataCentre.fabric.switches.length, 6);
  const { machine } = dataCentre.bmc('r02-s01');
  const mac = machine.hardware.nics[0]?.ports[0]?.mac ?? '';
  assert.equal(machine.neighbour(mac)?.systemName, 'tor-r02-a');
});

test('a taken port gives a clear error and leaves nothing behind', async (t) => {
  const { bmcs } = await start(t, { addressing: 'port', isPlain: true });
  const port = Number(new URL(bmcs[0]?.url ?? '').port);
  await assert.rejects(start(t, { addressing: 'port', port }), { code: 'EADDRINUSE' });
});

test('all hosts start on, or off', async (t) => {
  for (const arePoweredOn of [true, false]) {
    const { bmcs } = await start(t, { arePoweredOn, isPlain: true });
    assert.deepEqual(new Set(bmcs.map(({ machine }) => machine.power.state)), new Set([arePoweredOn ? 'On' : 'Off']));
  }
});

test('durations that are given hold for every BMC, and exactly where they shall not vary', async (t) => {
  const timings = { managerResetMs: 1234 };
  const away = async (variation: number | undefined) => {
    const { bmcs } = await start(t, { servers: 6, timings, ...(variation === undefined ? {} : { variation }) });
    return bmcs.map(({ machine }) => {
      machine.manager.reset(machine.personality.service.managerResetTypes[0] ?? '');
      assert.ok(machine.personality.timings.postMs > 0);
      return machine.log.events.find(({ event }) => event === 'manager.away')?.detail;
    });
  };
  assert.deepEqual([...new Set(await away(0))], ['ms=1234']);
  assert.ok(new Set(await away(undefined)).size > 1);
});
