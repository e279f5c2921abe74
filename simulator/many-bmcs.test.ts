import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { personalityNames, type RunningBmc, startDataCentre } from './index.ts';
import { ask, basic } from './redfish/front/testing/wire.ts';

const mib = 2 ** 20;

/** How many members of a collection a BMC has. */
async function countOf(bmc: RunningBmc, path: string): Promise<number> {
  const { json } = await ask(`${bmc.url}${path}`, { headers: basic(bmc) });
  return Number(json['Members@odata.count']);
}

test('five thousand BMCs with all their parts answer in one process of far less than 1.5 GiB', async (t) => {
  const before = process.memoryUsage().rss;
  const dataCentre = await startDataCentre({ seed: 1, servers: 5000, arePoweredOn: true, isPlain: true });
  t.after(() => dataCentre.close());
  assert.equal(dataCentre.bmcs.length, 5000);
  for (let index = 0; index < 5000; index += 97) {
    const bmc = dataCentre.bmcs[index];
    assert.ok(bmc);
    const { hardware } = bmc.machine;
    const answer = await ask(`${bmc.url}${bmc.systemPath}`, { headers: basic(bmc) });
    assert.equal(answer.json.SerialNumber, hardware.serial);
    const firmware = await countOf(bmc, '/redfish/v1/UpdateService/FirmwareInventory');
    const nics = await countOf(bmc, `${bmc.systemPath}/EthernetInterfaces`);
    assert.ok(firmware >= 25 && nics >= 4, `${bmc.name} has ${firmware} entries of firmware, ${nics} NICs`);
    assert.equal(await countOf(bmc, `${bmc.systemPath}/Memory`), 16);
    assert.equal(hardware.drives.length, 8);
  }
  assert.equal(new Set(dataCentre.bmcs.map(({ machine }) => machine.personality)).size, personalityNames.length);
  const grown = process.memoryUsage().rss - before;
  t.diagnostic(`${Math.round(grown / mib)} MiB for 5000 BMCs`);
  assert.ok(grown < 700 * mib, `${Math.round(grown / mib)} MiB`);
});

test('hundreds of BMCs answer over TLS, each with a certificate of its own', async (t) => {
  const dataCentre = await startDataCentre({ seed: 1, servers: 200, arePoweredOn: true });
  t.after(() => dataCentre.close());
  const ca = dataCentre.caPem;
  assert.ok(ca !== undefined);
  const seen = new Set<string>();
  for (const bmc of dataCentre.bmcs) {
    const { hostname, port } = new URL(bmc.url);
    const socket = connect({ host: hostname, port: Number(port), ca });
    await once(socket, 'secureConnect');
    seen.add(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
    socket.destroy();
  }
  assert.equal(seen.size, 200);
});
