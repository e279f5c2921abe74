import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CapacityOrder, Outcome } from '../provisioner.ts';
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

const plain = 'redfish://10.0.0.9/redfish/v1/Systems/1';
const media = 'redfish-virtualmedia://10.0.0.9/redfish/v1/Systems/1';

test('hosts that say of themselves that they are serviced count for all who ask for that, however they boot', async (t) => {
  const bench = await createTestBench(t, { provisioningLimit: 1 });
  const host = hostAt(createFakeBmc(10), 'one');
  const asked = async (address: string, { name = 'other', what = 'service' as CapacityOrder['what'] } = {}) => {
    const serviced = () => [{ namespace: host.namespace, name, address }];
    return isAdmitted(await bench.provisioners.hasCapacity(host, { what, serviced }));
  };
  assert.equal(await asked(plain), false);
  assert.equal(await asked(plain, { name: 'one' }), true, 'it is at work already');
  assert.equal(await asked(media), false);
  assert.equal(await asked(plain, { what: 'provision' }), false);
  assert.equal(await asked(media, { what: 'provision' }), true, 'it does not load what provisioning loads');
});

test('never more hosts that boot from virtual media are serviced than the limit says', async (t) => {
  const bench = await createTestBench(t, { provisioningLimit: 2 });
  const all = Array.from({ length: 10 }, (_, index) => {
    const host = hostAt(createFakeBmc(index + 10), `media-${index}`);
    return { ...host, bmc: { ...host.bmc, address: host.bmc.address.replace('redfish+', 'redfish-virtualmedia+') } };
  });
  const admit = (what: CapacityOrder['what']) =>
    Promise.all(all.map(async (host) => bench.provisioners.hasCapacity(host, { what, serviced: () => [] })));
  assert.deepEqual((await admit('service')).map(isAdmitted), [true, true, ...Array(8).fill(false)]);
  assert.deepEqual((await admit('provision')).map(isAdmitted), Array(10).fill(true), 'only that is limited');
});

test('nodes that are seen to be serviced count for whoever is to be, and those that boot from virtual media for nobody else', async (t) => {
  const bench = await createTestBench(t, { provisioningLimit: 1 });
  await bench.node('service wait', { boot_interface: 'redfish-virtual-media' });
  const host = hostAt(createFakeBmc(10), 'one');
  const asked = async (what: CapacityOrder['what']) =>
    isAdmitted(await bench.provisioners.hasCapacity(host, { what, serviced: () => [] }));
  assert.equal(await asked('service'), false);
  assert.equal(await asked('provision'), true);
});
