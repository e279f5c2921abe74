import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEngineError } from '../../engine/index.ts';
import { isTimeout, kubeError } from '../../kube/index.ts';
import { isUpdateError } from '../errors.ts';
import { createInventoryReader, toInstalledParts } from '../mirror/installed.ts';
import { serverA, setUpUpdates, sha, type UpdateRig } from '../testing/update-rig.ts';

const versions = (version: string) => [
  { name: 'bios', manufacturer: '', version },
  { name: 'nic', manufacturer: 'Intel', version: '1.0' },
];

function resultOf(rig: UpdateRig, version: string) {
  return { server: 'alpha', firmwares: versions(version), inventoryJson: '', observedAt: rig.clock.now() };
}

async function installed(rig: UpdateRig): Promise<string[] | undefined> {
  const found = await createInventoryReader(rig.service).read(serverA);
  if (found === undefined) return undefined;
  return toInstalledParts(found, 'Dell Inc.')
    .map((one) => `${one.name} ${one.version}`)
    .toSorted();
}

async function scanning(rig: UpdateRig, worker = 'w1') {
  await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const [lease] = await rig.lease(worker);
  assert.ok(lease);
  return { lease, proof: await rig.launched(lease) };
}

test('a result ends its job and reaches the inventory, both or neither', async (t) => {
  const rig = await setUpUpdates(t);
  const { lease, proof } = await scanning(rig);
  const wrong = { ...resultOf(rig, '2.0'), inventoryJson: '{"firmware": "all"}' };
  await assert.rejects(rig.desks.results.server({ proof }, wrong), (e) => isUpdateError(e, 'invalidRequest'));
  assert.equal((await rig.engine.get(lease.condition.id))?.state, 'active');
  await rig.desks.results.server({ proof }, resultOf(rig, '2.0'));
  const ended = await rig.engine.get(lease.condition.id);
  assert.deepEqual([ended?.state, await installed(rig)], ['succeeded', ['bios 2.0', 'nic 1.0']]);
});

test('a late job cannot write over what came after it, nor can one twice', async (t) => {
  const rig = await setUpUpdates(t);
  const first = await scanning(rig);
  rig.clock.advance(61_000);
  await rig.engine.sweep();
  await assert.rejects(rig.desks.results.server({ proof: first.proof }, resultOf(rig, '1.0')), (e) =>
    isUpdateError(e, 'leaseLost'),
  );
  assert.equal(await installed(rig), undefined);
  rig.clock.advance(61_000);
  const second = await scanning(rig, 'w2');
  await rig.desks.results.server({ proof: second.proof }, resultOf(rig, '2.0'));
  await assert.rejects(rig.desks.results.server({ proof: first.proof }, resultOf(rig, '1.0')), (e) =>
    isUpdateError(e, 'leaseLost'),
  );
  const third = await scanning(rig, 'w3');
  await rig.desks.results.server({ proof: third.proof }, resultOf(rig, '3.0'));
  // The answer to the second was lost, and it comes again: it was taken, and what is newer stays.
  await rig.desks.results.server({ proof: second.proof }, resultOf(rig, '2.0'));
  assert.deepEqual(await installed(rig), ['bios 3.0', 'nic 1.0']);
});

test('a job tells its result also while the Kubernetes API is away, which only names its server', async (t) => {
  const rig = await setUpUpdates(t);
  const machine = (await rig.engine.machines.get(serverA)) ?? assert.fail();
  await rig.engine.machines.put(machine, [{ kind: 'server', value: 'alpha' }]);
  const { lease, proof } = await scanning(rig);
  const away = async () => {
    throw kubeError('RequestTimeout', 'get servers got no answer within 30000 ms');
  };
  Object.assign(rig.names, { machineOf: away });
  const isAway = (error: unknown) => isTimeout(error);
  await assert.rejects(rig.desks.results.server({ proof }, { ...resultOf(rig, '2.0'), server: 'beta' }), isAway);
  await assert.rejects(
    rig.desks.results.server({ user: 'u', mayReportUnfenced: true }, { ...resultOf(rig, '2.0'), server: 'alpha' }),
    isAway,
  );
  await rig.desks.results.server({ proof }, resultOf(rig, '2.0'));
  assert.equal((await rig.engine.get(lease.condition.id))?.state, 'succeeded');
});

test('tokens are those of one job and one lease, and cannot be made up (security.md: job-tokens)', async (t) => {
  const rig = await setUpUpdates(t);
  const { proof, lease } = await scanning(rig);
  const [fencing, signature = ''] = proof.token.split('.');
  const others = [
    { ...proof, token: '' },
    { ...proof, token: String(lease.token) },
    { ...proof, token: `${Number(fencing) + 1}.${signature}` },
    { ...proof, jobId: proof.jobId.replace(/.$/, '0') },
    { jobId: '', token: proof.token },
  ].filter((one) => one.jobId !== proof.jobId || one.token !== proof.token);
  for (const wrong of others) {
    await assert.rejects(rig.desks.results.server({ proof: wrong }, resultOf(rig, '1')), (e) =>
      isUpdateError(e, 'badProof'),
    );
  }
  const { desks } = await rig.again();
  assert.equal(desks.tokens.issue({ conditionId: proof.jobId, token: lease.token }), proof.token);
});

test('the result of another server, or of another kind of job, is refused', async (t) => {
  const rig = await setUpUpdates(t);
  const { proof } = await scanning(rig);
  await assert.rejects(rig.desks.results.server({ proof }, { ...resultOf(rig, '1'), server: 'beta' }), (e) =>
    isUpdateError(e, 'invalidRequest'),
  );
  const found = { name: 'x', firmwares: [], images: [], observedAt: 0 };
  await assert.rejects(rig.desks.results.discovery({ proof }, found), (e) => isUpdateError(e, 'invalidRequest'));
});

test('without a proof nothing is taken, unless somebody may and nothing exclusive is active', async (t) => {
  const rig = await setUpUpdates(t);
  await rig.addFirmware('2.10.0');
  const somebody = { user: 'dustin', mayReportUnfenced: false };
  await assert.rejects(rig.desks.results.server(somebody, resultOf(rig, '1')), (e) => isUpdateError(e, 'noProof'));
  assert.equal(await installed(rig), undefined);
  const trusted = { user: 'dustin', mayReportUnfenced: true };
  await rig.desks.results.server(trusted, resultOf(rig, '1'));
  assert.deepEqual(await installed(rig), ['bios 1', 'nic 1.0']);
  const firmwares = [{ name: 'bios', manufacturer: '', version: '2.10.0' }];
  await rig.desks.requests.update({ server: 'alpha', firmwares, client: 'c' });
  await rig.lease('w1');
  await assert.rejects(rig.desks.results.server(trusted, resultOf(rig, '9')), (e) => isEngineError(e, 'machineBusy'));
  assert.deepEqual(await installed(rig), ['bios 1', 'nic 1.0']);
});

test('a discovery fills the catalogue and ends in one transaction', async (t) => {
  const rig = await setUpUpdates(t);
  rig.discovered.set('r640', { manufacturer: 'Dell Inc.', model: 'PowerEdge R640', versionsToStore: 3 });
  const { job } = await rig.desks.requests.discover({ name: 'r640', client: 'c' });
  const [lease] = await rig.lease('w1');
  assert.ok(lease);
  const proof = await rig.launched(lease);
  const image = {
    component: 'bios',
    manufacturer: 'Dell Inc.',
    version: '2.11.0',
    models: ['PowerEdge R640'],
    softwareIds: ['159'],
    fileName: 'bios.exe',
    url: 'https://images.test/bios.exe',
    checksum: sha,
  };
  const found = {
    name: 'r640',
    firmwares: [{ name: 'bios', manufacturer: 'Dell', versions: ['2.11.0'] }],
    observedAt: 0,
  };
  const send = (images: (typeof image)[]) =>
    rig.desks.results.discovery({ proof }, { ...found, images, imagesNotKept: 1 });
  for (const wrong of [
    { ...image, fileName: '../../etc/passwd' },
    { ...image, url: 'https://root:calvin@images.test/x' },
    { ...image, url: 'nowhere' },
    { ...image, checksum: 'sha256:zz' },
    { ...image, softwareIds: Array.from({ length: 1001 }, (_, at) => `${at}`) },
    { ...image, softwareIds: ['x'.repeat(256)] },
  ]) {
    await assert.rejects(send([image, wrong]));
    assert.equal((await rig.engine.get(job.id))?.state, 'active');
  }
  await send([image, { ...image, version: '2.12.0', checksum: '' }]);
  const ended = await rig.engine.get(job.id);
  assert.deepEqual([ended?.state, ended?.status.images, ended?.status.images_without_checksum], ['succeeded', 1, 1]);
  assert.equal(ended?.status.images_not_kept, 1);
  const firmwares = [{ name: 'bios', manufacturer: 'DELL', version: '2.11.0' }];
  const update = await rig.desks.requests.update({ server: 'alpha', firmwares, client: 'c' });
  const [frozen] = update.job.parameters.firmwares as { software_ids: string[] }[];
  assert.deepEqual([update.isNew, frozen?.software_ids], [true, ['159']]);
});

test('who may not report learns nothing of what there is', async (t) => {
  const rig = await setUpUpdates(t);
  rig.discovered.set('r640', { manufacturer: 'Dell Inc.', model: 'PowerEdge R640', versionsToStore: 3 });
  const nobody = { user: 'nobody', mayReportUnfenced: false };
  const made = { proof: { jobId: 'made-up', token: 'made-up' } };
  for (const server of ['alpha', 'no-such']) {
    const result = { ...resultOf(rig, '2.0'), server };
    await assert.rejects(rig.desks.results.server(nobody, result), (e) => isUpdateError(e, 'noProof'));
    await assert.rejects(rig.desks.results.server(made, result), (e) => isUpdateError(e, 'badProof'));
  }
  for (const name of ['r640', 'no-such']) {
    const result = { name, firmwares: [], images: [], observedAt: 0 };
    await assert.rejects(rig.desks.results.discovery(nobody, result), (e) => isUpdateError(e, 'noProof'));
    await assert.rejects(rig.desks.results.discovery(made, result), (e) => isUpdateError(e, 'badProof'));
  }
});
