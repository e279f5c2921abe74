import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEngineError } from '../../engine/index.ts';
import { isUpdateError } from '../errors.ts';
import { serverA, setUpUpdates, versionsIn } from '../testing/update-rig.ts';

const bios = (version: string) => ({ name: 'bios', manufacturer: '', version });

test('an update is resolved in the catalogue and frozen: later changes there change nothing', async (t) => {
  const rig = await setUpUpdates(t);
  const id = await rig.addFirmware('2.10.0');
  const { job, isNew } = await rig.desks.requests.update({ server: 'alpha', firmwares: [bios('2.10.0')], client: 'c' });
  assert.deepEqual([isNew, job.kind, job.target], [true, 'firmwareInstall', `server/${serverA}`]);
  assert.deepEqual(versionsIn(job.parameters), ['bios 2.10.0']);
  const [frozen] = job.parameters.firmwares as { URL: string; checksum: string; id: string }[];
  assert.deepEqual([frozen?.id, frozen?.URL], [id, 'https://images.test/bios-2.10.0.bin']);
  assert.match(frozen?.checksum ?? '', /^sha256:/);
});

test('spellings of names, makers and versions are one; the server may be named by its id', async (t) => {
  const rig = await setUpUpdates(t);
  await rig.addFirmware('1.0', { component: 'drive', vendor: 'intel', models: [] });
  const wanted = [{ name: 'SSD', manufacturer: 'Intel Corp.', version: '1.0' }];
  const { job } = await rig.desks.requests.update({ server: serverA.toUpperCase(), firmwares: wanted, client: 'c' });
  assert.deepEqual(versionsIn(job.parameters), ['drive 1.0']);
});

test('whatever the catalogue calls a component, it is found', async (t) => {
  const rig = await setUpUpdates(t);
  await rig.addFirmware('1.0', { component: 'ssd', vendor: 'intel', models: [] });
  await rig.addFirmware('2.0', { component: 'storagecontroller', vendor: 'broadcom', models: [] });
  const firmwares = [
    { name: 'drive', manufacturer: 'Intel', version: '1.0' },
    { name: 'Storage Controller', manufacturer: 'LSI', version: '2.0' },
  ];
  const { job } = await rig.desks.requests.update({ server: 'alpha', firmwares, client: 'c' });
  assert.deepEqual(versionsIn(job.parameters).sort(), ['ssd 1.0', 'storagecontroller 2.0']);
});

test('what the catalogue does not have makes no job, and all that is missing is said', async (t) => {
  const rig = await setUpUpdates(t);
  await rig.addFirmware('2.10.0');
  await rig.addFirmware('3.0', { models: ['PowerEdge R740'] });
  const firmwares = [bios('3.0'), { name: 'nic', manufacturer: 'Intel', version: '9' }];
  await assert.rejects(rig.desks.requests.update({ server: 'alpha', firmwares, client: 'c' }), (error) => {
    assert.ok(isUpdateError(error, 'firmwareNotFound'));
    assert.equal(error.problems.length, 2);
    return true;
  });
  assert.deepEqual((await rig.engine.list({})).conditions, []);
});

for (const [what, firmwares] of [
  ['an empty list', []],
  ['duplicate names', [bios('1'), { name: 'BIOS', manufacturer: '', version: '2' }]],
  ['two names of one component', ['ssd', 'drive'].map((name) => ({ name, manufacturer: 'Intel', version: '1' }))],
  ['two spellings of one maker', ['Dell Inc.', 'DELL'].map((manufacturer) => ({ ...bios('1'), manufacturer }))],
  ['a version without a sign', [bios('  ')]],
  ['a version that is no text', [bios('1.0\u0000')]],
  ['a version that is none', [bios('../../etc/passwd')]],
  ['a version without end', [bios('1'.repeat(10_000))]],
  ['no name', [{ ...bios('1'), name: '' }]],
  ['a huge list', Array.from({ length: 5000 }, (_, n) => ({ ...bios('1'), name: `part${n}` }))],
] as const) {
  test(`${what} is refused with a reason, and nothing is stored`, async (t) => {
    const rig = await setUpUpdates(t);
    await rig.addFirmware('1');
    await assert.rejects(rig.desks.requests.update({ server: 'alpha', firmwares, client: 'c' }), (error) => {
      assert.ok(isUpdateError(error, 'invalidRequest'), String(error));
      assert.ok(error.problems.length > 0 && error.message.length < 4000);
      return true;
    });
    assert.deepEqual((await rig.engine.list({})).conditions, []);
  });
}

test('an unknown server, two servers of one name and no server at all are refused', async (t) => {
  const rig = await setUpUpdates(t);
  const { requests } = rig.desks;
  await assert.rejects(requests.scan({ server: 'gamma', client: 'c' }), (e) => isUpdateError(e, 'serverNotFound'));
  await assert.rejects(requests.scan({ server: '0c000000-0000-4000-8000-00000000000c', client: 'c' }), (e) =>
    isUpdateError(e, 'serverNotFound'),
  );
  await rig.service.servers.create({ name: 'alpha', facility: 'fc1', serial: 'other' });
  await assert.rejects(requests.scan({ server: 'alpha', client: 'c' }), (e) => isUpdateError(e, 'serverNotFound'));
  for (const server of [undefined, '', ' ', 'a\nb', 'x'.repeat(300)]) {
    await assert.rejects(requests.scan({ server, client: 'c' }), (e) => isUpdateError(e, 'invalidRequest'));
  }
});

test('asking twice is asking once; other versions are a conflict that names the job', async (t) => {
  const rig = await setUpUpdates(t);
  await rig.addFirmware('2.10.0');
  await rig.addFirmware('2.11.0');
  const ask = (version: string) =>
    rig.desks.requests.update({ server: 'alpha', firmwares: [bios(version)], client: 'c' });
  const first = await ask('2.10.0');
  const second = await ask('2.10.0');
  assert.deepEqual([second.isNew, second.job.id], [false, first.job.id]);
  await assert.rejects(ask('2.11.0'), (error) => {
    assert.ok(isUpdateError(error, 'conflict'));
    assert.equal(error.jobId, first.job.id);
    return true;
  });
});

test('a discovery goes by manufacturer and model, however the maker is spelled', async (t) => {
  const rig = await setUpUpdates(t);
  const { requests } = rig.desks;
  rig.discovered.set('dell-r640', { manufacturer: 'Dell Inc.', model: 'PowerEdge R640', versionsToStore: 5 });
  const { job } = await requests.discover({ name: 'dell-r640', client: 'c' });
  assert.equal(job.target, 'model/dell/poweredge r640');
  assert.equal(job.parameters.versionsToStore, 5);
  const same = { name: 'dell-r640', manufacturer: 'DELL', model: 'x', versionsToStore: 1, client: 'c' };
  assert.equal((await requests.discover(same)).job.id, job.id, 'what the object says counts');
  await assert.rejects(requests.discover({ name: 'other', client: 'c' }), (e) =>
    isUpdateError(e, 'discoveredFirmwareNotFound'),
  );
  for (const versionsToStore of [-1, 0, 1.5, 101]) {
    const order = { name: 'other', manufacturer: 'HPE', model: 'DL360', versionsToStore, client: 'c' };
    await assert.rejects(requests.discover(order), (e) => isUpdateError(e, 'invalidRequest'));
  }
});

test('a full queue of one type refuses that type, loses nothing, and leaves the others alone', async (t) => {
  const rig = await setUpUpdates(t, { scan: { pending: 1 } });
  await rig.engine.worker.online({ id: 'w1', kinds: ['inventoryOOB'], facilities: ['fc1'] });
  await rig.addFirmware('2.10.0');
  const { requests } = rig.desks;
  const { job } = await requests.scan({ server: 'alpha', client: 'c' });
  await assert.rejects(requests.scan({ server: 'beta', client: 'c' }), (e) => isEngineError(e, 'kindQueueFull'));
  assert.equal((await requests.scan({ server: 'alpha', client: 'c' })).job.id, job.id);
  assert.ok((await requests.update({ server: 'beta', firmwares: [bios('2.10.0')], client: 'c' })).isNew);
});
