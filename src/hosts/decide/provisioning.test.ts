import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { playHost, wakeMs } from '../testing/played-host.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';

const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };
const failure = { kind: 'failed', message: 'no space' } as const;

describe('provisioning', () => {
  it('is stored before it begins, and told when it begins and ends', async () => {
    const played = playHost({ status: statusIn('available'), spec: { image } });
    played.provisioners.answer('provision', { kind: 'continue', afterMs: 10_000, hasStarted: true });
    await played.round();
    assert.deepEqual(played.done.slice(-3), ['read-config', 'store-status', 'ask provision']);
    assert.equal(played.stored[0]?.provisioning.state, 'provisioning');
    assert.deepEqual(played.status.lastAttemptedImage, image);
    await played.round();
    assert.deepEqual(played.reasons(), ['ProvisioningStarted', 'ProvisioningComplete']);
    assert.equal(played.events[0]?.message, 'Image provisioning started for http://images.example/a.qcow2');
    assert.ok(played.counts.some(({ metric }) => metric === 'provisionDuration'));
  });

  const other = { url: 'http://images.example/b.qcow2', checksum: 'def' };
  const changes = [
    ['of another image', { image }, { image: other }],
    ['by another method', { customDeploy: { method: 'a' } }, { customDeploy: { method: 'b' } }],
    ['of an image instead of a method', { customDeploy: { method: 'a' } }, { image, customDeploy: undefined as never }],
  ] as const;
  for (const [what, first, then] of changes) {
    it(`${what}, wanted in the middle, cleans up first: what is told is what was written`, async () => {
      const played = playHost({ status: statusIn('available'), spec: first });
      played.provisioners.answer('provision', { kind: 'continue', afterMs: 10_000, hasStarted: true });
      await played.round();
      assert.equal(played.state, 'provisioning');
      played.edit(then);
      await played.settle();
      const asked = played.provisioners.calls.filter(({ method }) => /provision$/.test(method));
      assert.deepEqual(
        asked.map(({ method }) => method),
        ['provision', 'deprovision', 'provision'],
      );
      const last = asked.at(-1)?.order as { deployment?: { image?: unknown; customDeploy?: unknown } } | undefined;
      const wanted = JSON.parse(JSON.stringify(then)) as { image?: unknown; customDeploy?: unknown };
      assert.deepEqual([last?.deployment?.image, last?.deployment?.customDeploy], [wanted.image, wanted.customDeploy]);
      const { image: done, customDeploy } = played.status.provisioning;
      assert.deepEqual([done, customDeploy], [wanted.image, wanted.customDeploy]);
      assert.ok(!played.provisioners.methods().slice(0, -4).includes('adopt'), 'nothing is there to be taken over');
    });
  }

  it('tells the checksum that it began with', async () => {
    const played = playHost({ status: statusIn('available'), spec: { image } });
    played.provisioners.answer('provision', { kind: 'continue', afterMs: 10_000, hasStarted: true });
    await played.round();
    played.edit({ image: { ...image, checksum: 'def' } });
    await played.round();
    assert.deepEqual(played.status.provisioning.image, image);
  });

  it('hands over what the host is told at its first boot', async () => {
    const played = playHost({ status: statusIn('available'), spec: { image } });
    played.config = { kind: 'read', config: { userData: '#cloud-config' } };
    await played.round();
    const call = played.provisioners.calls.find(({ method }) => method === 'provision');
    assert.deepEqual((call?.order as { config: unknown } | undefined)?.config, { userData: '#cloud-config' });
    assert.ok(!JSON.stringify(played.done).includes('cloud-config'));
  });

  it('waits for first-boot data that cannot be read', async () => {
    const played = playHost({ status: statusIn('available'), spec: { image } });
    played.config = { kind: 'unreadable', part: 'userData', message: 'the Secret is missing' };
    const end = await played.round();
    assert.equal(played.state, 'provisioning');
    assert.equal(wakeMs(end.wake), 10_000);
    assert.deepEqual(played.reasons(), ['HostConfigDataError']);
    assert.ok(!played.provisioners.methods().includes('provision'));
  });

  it('of a host that is to be offline does not begin', async () => {
    const played = playHost({ status: statusIn('available'), spec: { image, online: false } });
    await played.round();
    assert.equal(played.state, 'available');
  });

  it('that fails is cleaned up and tried again, up to the limit', async () => {
    const played = playHost({
      status: statusIn('available'),
      spec: { image },
      settings: { maxProvisioningRetries: 2 },
    });
    played.provisioners.answer('provision', failure, failure, failure);
    for (let round = 0; round < 6; round++) await played.round();
    assert.equal(played.provisioners.methods().filter((method) => method === 'provision').length, 2);
    assert.equal(played.provisioners.methods().filter((method) => method === 'deprovision').length, 2);
    assert.equal(played.state, 'available');
    assert.equal(played.status.provisioningFailCount, 2);
    assert.equal(played.status.errorType, 'provisioning error');
    assert.equal(
      played.status.errorMessage,
      'provisioning failed 2 times, retry limit (2) reached; change image or reset provisioningFailCount to retry',
    );
    const { errorCount } = played.status;
    await played.round();
    assert.equal(played.status.errorCount, errorCount, 'the same is not told again');
  });

  it('has no limit when that is set to nothing', async () => {
    const played = playHost({
      status: statusIn('available', { provisioningFailCount: 90 }),
      spec: { image },
      settings: { maxProvisioningRetries: 0 },
    });
    played.host = { ...played.host, status: { ...played.status, lastAttemptedImage: image } };
    await played.round();
    assert.equal(played.state, 'provisioned');
  });

  it('of another image begins a new count', async () => {
    const status = statusIn('available', {
      provisioningFailCount: 5,
      lastAttemptedImage: image,
      errorType: 'provisioning error',
      errorMessage: 'x',
      operationalStatus: 'error',
    });
    const played = playHost({ status, spec: { image: { ...image, checksum: 'other' } } });
    await played.round();
    assert.equal(played.state, 'provisioned');
    assert.equal(played.status.operationalStatus, 'OK');
  });

  it('of an image that is removed begins a new count too', async () => {
    const status = statusIn('available', {
      provisioningFailCount: 5,
      lastAttemptedImage: image,
      errorType: 'provisioning error',
      errorMessage: 'x',
      operationalStatus: 'error',
    });
    const played = playHost({ status });
    await played.round();
    assert.equal(played.status.provisioningFailCount, 0);
    assert.equal(played.status.errorType, undefined);
  });

  it('counts what failed before through deprovisioning', async () => {
    const played = playHost({ status: statusIn('available'), spec: { image } });
    played.provisioners.answer('provision', failure);
    await played.round();
    await played.round();
    assert.equal(played.state, 'provisioned', 'cleaned up and tried again in one go');
    assert.equal(played.status.provisioningFailCount, 0);
  });
});

describe('a host in use', () => {
  it('is taken over anew when its provisioner has forgotten it', async () => {
    const played = playHost({ status: statusIn('provisioned', deployed()), spec: { image } });
    await played.round();
    const call = played.provisioners.calls.find(({ method }) => method === 'adopt');
    assert.deepEqual((call?.order as { deployment: { image: unknown } } | undefined)?.deployment.image, image);
    played.provisioners.answer('adopt', failure);
    await played.round();
    assert.equal(played.status.errorType, 'provisioned registration error');
    assert.deepEqual(played.reasons(), ['ProvisionedRegistrationError']);
    await played.round();
    assert.equal(played.status.errorType, undefined);
  });

  it('is registered anew when its provisioner does not know it', async () => {
    const played = playHost({ status: statusIn('provisioned', deployed()), spec: { image } });
    played.provisioners.answer('look', { kind: 'unregistered' });
    const end = await played.round();
    assert.equal(played.status.provisioning.ID, '');
    assert.equal(wakeMs(end.wake), 1000);
    assert.ok(played.counts.some(({ metric }) => metric === 'hostRegistrationRequired'));
    await played.round();
    assert.equal(played.status.provisioning.ID, 'id-h1');
  });

  it('stays as it is while its provisioner is away', async () => {
    const played = playHost({ status: statusIn('provisioned', deployed()), spec: { image } });
    played.provisioners.answer('register', { kind: 'unavailable', message: 'down', afterMs: 30_000 });
    const end = await played.round();
    assert.equal(wakeMs(end.wake), 30_000);
    assert.equal(played.status.operationalStatus, 'OK');
    assert.equal(played.state, 'provisioned');
  });
});

describe('inspection', () => {
  it('that is asked for anew refreshes, and the annotation goes when it has begun', async () => {
    const played = playHost({ status: statusIn('available'), annotations: { 'inspect.metal3.io': '' } });
    played.provisioners.answer(
      'inspect',
      { kind: 'continue', afterMs: 10_000 },
      { kind: 'continue', afterMs: 10_000, hasStarted: true },
    );
    await played.round();
    assert.ok('inspect.metal3.io' in (played.host.metadata.annotations ?? {}));
    await played.round();
    assert.ok(!('inspect.metal3.io' in (played.host.metadata.annotations ?? {})));
    const call = played.provisioners.calls.find(({ method }) => method === 'inspect');
    assert.equal((call?.order as { isRefresh: boolean } | undefined)?.isRefresh, true);
    await played.round();
    assert.deepEqual(played.reasons(), ['InspectionStarted', 'InspectionComplete']);
    assert.equal(played.state, 'available');
  });

  it('that fails is an inspection error and begins anew', async () => {
    const played = playHost({ status: statusIn('inspecting') });
    played.provisioners.answer('inspect', failure);
    await played.round();
    assert.equal(played.status.errorType, 'inspection error');
    assert.deepEqual(played.reasons(), ['InspectionError']);
    assert.deepEqual(played.counts, [{ metric: 'hostError', labels: { error_type: 'inspection error' } }]);
    await played.round();
    const orders = played.provisioners.calls.filter(({ method }) => method === 'inspect').map(({ order }) => order);
    assert.deepEqual(
      orders.map((order) => (order as { isRetry: boolean }).isRetry),
      [false, true],
    );
  });

  it('waits for an image to boot the host with', async () => {
    const played = playHost({ status: statusIn('inspecting') });
    played.provisioners.answer('inspect', { kind: 'needs-image' });
    const end = await played.round();
    assert.equal(wakeMs(end.wake), 300_000);
    assert.equal(played.status.errorType, undefined);
  });
});
