import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DiscoverySource, KnownMachine } from '../../discovery-source.ts';
import { createFakeBmc, createTestBench, type TestBench } from '../testing/index.ts';

const driver = 'manual-management';

function sourceOf({ provisioners }: TestBench): DiscoverySource {
  return provisioners.sources?.[0] ?? assert.fail('it has no source');
}

async function list(bench: TestBench): Promise<readonly KnownMachine[]> {
  const outcome = await sourceOf(bench).list();
  return outcome.kind === 'done' ? outcome.value : assert.fail(JSON.stringify(outcome));
}

const lines = (bench: TestBench, from: number): readonly string[] =>
  bench.ironic.requests.slice(from).map(({ line }) => line.replace(/\?.*/, '').replace(/[0-9a-f-]{36}/, '*'));

test('a machine that came by itself is listed with its addresses, that of its boot NIC first', async (t) => {
  const bench = await createTestBench(t);
  const machine = createFakeBmc(9);
  const node = bench.ironic.api.discover(machine, { driver, atMs: bench.clock.now() });
  const [first, boot] = machine.macs;
  assert.deepEqual(await list(bench), [{ id: node.uuid, bootMac: boot, macs: [boot, first], isAutoDiscovered: true }]);
});

test('a machine that somebody registered is listed as one that did not come by itself, whoever did', async (t) => {
  const bench = await createTestBench(t);
  const ours = await bench.node('available');
  const claims = [
    { name: 'elsewhere' },
    { instance_uuid: '9c5d3a0e-0000-4000-8000-000000000000' },
    // Ironic writes the uuid of an allocation to both.
    {
      allocation_uuid: '9c5d3a0e-0000-4000-8000-000000000001',
      instance_uuid: '9c5d3a0e-0000-4000-8000-000000000001',
    },
    { owner: 'project-7' },
    { lessee: 'project-8' },
    { retired: true },
    { provision_state: 'manageable' },
  ] as const;
  const claimed = claims.map((claim, index) => {
    const node = bench.ironic.api.discover(createFakeBmc(10 + index), { driver, atMs: bench.clock.now() });
    return Object.assign(node, claim).uuid;
  });
  // Made by hand without a name: only what it told could say that it came by itself, and it told nothing.
  const { value } = bench.ironic.api.handle('POST', '/v1/nodes', { driver: 'redfish' });
  const { uuid: byHand } = value as { readonly uuid: string };
  bench.ironic.api.handle('POST', '/v1/ports', { node_uuid: byHand, address: '52:54:00:00:00:99' });
  const known = await list(bench);
  assert.deepEqual(
    known.map(({ id, isAutoDiscovered, isClaimed }) => [id, isAutoDiscovered, isClaimed]),
    [...[ours.uuid, ...claimed].map((id) => [id, false, true]), [byHand, false, undefined]],
  );
});

test('what a list is asked for is what a table has: all else is refused, as by a real Ironic', async (t) => {
  const { ironic } = await createTestBench(t);
  ironic.api.discover(createFakeBmc(9), { driver, atMs: 0 });
  const headers = { 'x-openstack-ironic-api-version': '1.95' };
  for (const field of ['allocation_uuid', 'chassis_uuid', 'conductor', 'foo']) {
    const answer = await fetch(`${ironic.url}/v1/nodes?fields=uuid,${field}`, { headers });
    assert.equal(answer.status, 500);
    assert.match(await answer.text(), new RegExp(`has no attribute '${field}'`));
  }
  const answer = await fetch(`${ironic.url}/v1/nodes?fields=uuid,owner`, { headers });
  const { nodes } = (await answer.json()) as { readonly nodes: readonly object[] };
  assert.deepEqual(nodes.map(Object.keys), [['uuid', 'owner']]);
});

test('a node without any address is not listed', async (t) => {
  const bench = await createTestBench(t);
  bench.ironic.api.handle('POST', '/v1/nodes', { driver });
  assert.deepEqual(await list(bench), []);
});

test('a list costs two requests, and one more for each machine that is new', async (t) => {
  const bench = await createTestBench(t);
  const source = sourceOf(bench);
  for (const index of [1, 2, 3]) {
    bench.ironic.api.discover(createFakeBmc(10 + index), { driver, atMs: bench.clock.now() });
  }
  const known = await list(bench);
  assert.equal(lines(bench, 1).filter((line) => line === 'GET /v1/nodes/*/inventory').length, 3);
  const before = bench.ironic.requests.length;
  assert.deepEqual(await list(bench), known);
  assert.deepEqual(lines(bench, before), ['GET /v1/ports', 'GET /v1/nodes']);
  // What was looked through to tell where a machine came from is not fetched again to be told.
  for (const { id } of known) assert.equal((await source.read(id)).kind, 'done');
  assert.equal(bench.ironic.requests.length, before + 2);
});

test('all pages are read, also where Ironic gives fewer at once than it was asked for', async (t) => {
  const bench = await createTestBench(t);
  for (let index = 0; index < 7; index++) {
    bench.ironic.api.discover(createFakeBmc(10 + index), { driver, atMs: bench.clock.now() });
  }
  bench.ironic.api.limitPages(2);
  const known = await list(bench);
  assert.equal(new Set(known.map(({ id }) => id)).size, 7);
  assert.ok(known.every(({ macs }) => macs.length === 2));
});

test('what a machine told is read, also again', async (t) => {
  const bench = await createTestBench(t);
  const machine = createFakeBmc(9);
  const { uuid } = bench.ironic.api.discover(machine, { driver, atMs: bench.clock.now() });
  await list(bench);
  for (const time of ['kept', 'fetched']) {
    const before = bench.ironic.requests.length;
    const outcome = await sourceOf(bench).read(uuid);
    assert.equal(bench.ironic.requests.length - before, time === 'kept' ? 0 : 1);
    assert.ok(outcome.kind === 'done' && outcome.value !== undefined, time);
    const { hardware, hostname, serialNumber, ip } = outcome.value;
    assert.deepEqual([hostname, serialNumber, ip], ['ramdisk', `SN-${machine.redfishAddress}`, '192.0.2.9'], time);
    assert.deepEqual([hardware.ramMebibytes, hardware.cpu?.count], [16_384, 4], time);
    assert.deepEqual(
      hardware.nics?.map(({ mac }) => mac),
      machine.macs,
    );
  }
});

test('a machine that has told nothing has nothing to read', async (t) => {
  const bench = await createTestBench(t);
  const node = await bench.node('available');
  assert.deepEqual(await sourceOf(bench).read(node.uuid), { kind: 'done', value: undefined });
});

test('an Ironic that is away says nothing of machines', async (t) => {
  const bench = await createTestBench(t);
  await bench.ironic.stop();
  for (const outcome of [await sourceOf(bench).list(), await sourceOf(bench).read('x')]) {
    assert.equal(outcome.kind, 'unavailable');
  }
  await bench.ironic.start();
});
