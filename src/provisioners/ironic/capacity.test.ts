import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../provisioner.ts';
import { createFakeBmc, createTestBench, hostAt } from './testing/index.ts';

const isAdmitted = (outcome: Outcome<boolean>): boolean =>
  outcome.kind === 'done' ? outcome.value : assert.fail(outcome.kind);

test('so many hosts may be worked on at once, and one list serves all that ask', async (t) => {
  const bench = await createTestBench(t, { provisioningLimit: 3 });
  await bench.node('deploying');
  const before = bench.ironic.requests.length;
  const others = Array.from({ length: 10 }, (_, index) => hostAt(createFakeBmc(index + 10), `other-${index}`));
  const admitted = await Promise.all(others.map((host) => bench.provisioners.hasCapacity(host)));
  assert.deepEqual(admitted.map(isAdmitted), [true, true, ...Array(8).fill(false)]);
  assert.equal(isAdmitted(await bench.provisioners.hasCapacity(bench.host)), true, 'it is at work already');
  assert.equal(bench.ironic.requests.length - before, 1);
});

test('a host that was let in and did not begin makes room again', async (t) => {
  const bench = await createTestBench(t, { provisioningLimit: 1 });
  const [one, other] = [hostAt(createFakeBmc(10), 'one'), hostAt(createFakeBmc(11), 'other')];
  assert.equal(isAdmitted(await bench.provisioners.hasCapacity(one)), true);
  assert.equal(isAdmitted(await bench.provisioners.hasCapacity(one)), true);
  assert.equal(isAdmitted(await bench.provisioners.hasCapacity(other)), false);
  bench.clock.advance(30_001);
  assert.equal(isAdmitted(await bench.provisioners.hasCapacity(other)), true);
});

test('hosts that boot from virtual media neither count nor wait', async (t) => {
  const bench = await createTestBench(t, { provisioningLimit: 1 });
  await bench.node('deploying', { boot_interface: 'redfish-virtual-media' });
  assert.equal(isAdmitted(await bench.provisioners.hasCapacity(hostAt(createFakeBmc(10), 'one'))), true);
  const other = hostAt(createFakeBmc(11), 'other');
  const address = other.bmc.address.replace('redfish+', 'redfish-virtualmedia+');
  assert.equal(isAdmitted(await bench.provisioners.hasCapacity({ ...other, bmc: { ...other.bmc, address } })), true);
});

test('a limit of 0 is none', async (t) => {
  const bench = await createTestBench(t, { provisioningLimit: 0 });
  await bench.ironic.stop();
  assert.equal(isAdmitted(await bench.provisioners.hasCapacity(bench.host)), true);
  await bench.ironic.start();
});

test('hosts that say of themselves that they are serviced count, as long as they do not boot from virtual media', async (t) => {
  const bench = await createTestBench(t, { provisioningLimit: 1 });
  const host = hostAt(createFakeBmc(10), 'one');
  const asked = async (address: string, name = 'other') => {
    const serviced = () => [{ namespace: host.namespace, name, address }];
    return isAdmitted(await bench.provisioners.hasCapacity(host, { what: 'service', serviced }));
  };
  assert.equal(await asked('redfish://10.0.0.9/redfish/v1/Systems/1'), false);
  assert.equal(await asked('redfish://10.0.0.9/redfish/v1/Systems/1', 'one'), true, 'it is at work already');
  assert.equal(await asked('redfish-virtualmedia://10.0.0.9/redfish/v1/Systems/1'), true);
});
