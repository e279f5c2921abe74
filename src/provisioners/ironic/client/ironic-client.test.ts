import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createCertificateAuthority, issueServerCertificate } from '../../../kube/index.ts';
import { type FakeIronicOptions, startFakeIronic } from '../testing/index.ts';
import { createIronicClient, featuresOf, type IronicConnection, isIronicError } from './index.ts';
import { errorOfAnswer } from './ironic-error.ts';

async function connect(t: TestContext, options: FakeIronicOptions = {}, more: Partial<IronicConnection> = {}) {
  const ironic = await startFakeIronic(options);
  const client = createIronicClient({ url: ironic.url, ...more });
  t.after(async () => {
    await client.close();
    await ironic.stop();
  });
  return { ironic, client };
}

const list = { method: 'GET', path: '/nodes' } as const;

test('the newest version is asked for that both know', () => {
  const asked = ['1.86', '1.87', '1.88', '1.89', '1.92', '1.94', '1.95', '1.108', '1.109', '1.110', '1.200'].map(
    (newest) => featuresOf(newest).minor,
  );
  assert.deepEqual(asked, [86, 87, 87, 89, 89, 93, 95, 95, 109, 110, 110]);
  assert.deepEqual(featuresOf('1.95'), {
    minor: 95,
    canService: true,
    canReadVirtualMedia: true,
    canDisablePowerOff: true,
    hasHealth: false,
    canAbortDeployment: false,
  });
});

for (const newest of ['1.85', '2.0', undefined, 'nonsense']) {
  test(`an Ironic that speaks up to ${newest} is too old, and is told so`, () => {
    assert.throws(
      () => featuresOf(newest),
      (error) => isIronicError(error, 'tooOld') && /1\.86 .*is needed; upgrade it/.test(error.message),
    );
  });
}

test('versions are asked for once, and again after Ironic was away, since it may be another one then', async (t) => {
  const { ironic, client } = await connect(t, { newestMinor: 92 });
  await client.call(list);
  await client.call(list);
  assert.equal(ironic.requests.filter(({ line }) => line === 'GET /v1/').length, 1);
  await ironic.stop();
  await assert.rejects(client.call(list), (error) => isIronicError(error, 'away'));
  await ironic.start({ newestMinor: 110 });
  assert.equal((await client.features()).canAbortDeployment, true);
});

for (const [before, after] of [
  [86, 87],
  [110, 86],
] as const) {
  test(`an Ironic that became 1.${after} from 1.${before} while nobody asked it is known as that after one answer`, async (t) => {
    const { ironic, client } = await connect(t, { newestMinor: before });
    await client.call(list);
    await ironic.stop();
    await ironic.start({ newestMinor: after });
    await client.call(list).catch(() => {});
    assert.equal((await client.features()).minor, after);
    assert.deepEqual(await client.call(list), { nodes: [] });
    assert.equal(ironic.requests.filter(({ line }) => line === 'GET /v1/').length, 2);
  });
}

test('an Ironic that is upgraded is used without a restart of ours', async (t) => {
  const { ironic, client } = await connect(t, { newestMinor: 80 });
  await assert.rejects(client.call(list), (error) => isIronicError(error, 'tooOld'));
  await ironic.stop();
  await ironic.start({ newestMinor: 95 });
  assert.deepEqual(await client.call(list), { nodes: [] });
});

test('user name and password are sent, and wrong ones are told of without them', async (t) => {
  const credentials = { username: 'operator', password: 'hunter2' };
  const { client, ironic } = await connect(t, { credentials }, { credentials });
  assert.deepEqual(await client.call(list), { nodes: [] });
  const stranger = createIronicClient({ url: ironic.url, credentials: { username: 'operator', password: 'guess' } });
  t.after(() => stranger.close());
  await assert.rejects(stranger.call(list), (error) => {
    assert.ok(isIronicError(error, 'denied'));
    assert.doesNotMatch(error.message, /guess|hunter2/);
    return true;
  });
});

test('over TLS only a certificate of the given authority is trusted (security.md: tls-peers)', async (t) => {
  const now = new Date();
  const authority = await createCertificateAuthority({ commonName: 'test', now });
  const issued = await issueServerCertificate(authority, { now, ips: ['127.0.0.1'], commonName: 'ironic' });
  const tls = { cert: issued.certificatePem, key: issued.privateKeyPem };
  const { client, ironic } = await connect(t, { tls }, { ca: authority.certificatePem });
  assert.deepEqual(await client.call(list), { nodes: [] });
  const stranger = createIronicClient({ url: ironic.url });
  t.after(() => stranger.close());
  await assert.rejects(stranger.call(list), (error) => isIronicError(error, 'away'));
});

test('an address may end with the version, and what answers there must be an Ironic', async (t) => {
  const { ironic, client } = await connect(t);
  const same = createIronicClient({ url: `${ironic.url}/v1/` });
  t.after(() => same.close());
  assert.deepEqual(await same.call(list), await client.call(list));
});

test('a BMC that a driver could not use is told apart from an Ironic in trouble', () => {
  const faults = [
    'Redfish exception occurred. Error: HTTP GET /redfish/v1 returned code 401',
    'Redfish connection failed for node 1: timed out',
    'IPMI call failed: chassis bootparam get 5.',
    'Unexpected exception, traceback saved into log',
  ];
  assert.deepEqual(
    faults.map((fault) => errorOfAnswer(500, fault).code),
    ['unreached', 'unreached', 'unreached', 'away'],
  );
});
