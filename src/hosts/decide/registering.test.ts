import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { goodSecret, playHost, wakeMs } from '../testing/played-host.ts';
import { someHardware } from '../testing/scripted-provisioners.ts';

describe('a new host', () => {
  it('goes from nothing to available in one round, with one write of its status for each state', async () => {
    const played = playHost();
    const end = await played.round();
    assert.equal(played.state, 'available');
    assert.deepEqual(
      played.stored.map(({ provisioning }) => provisioning.state),
      ['registering', 'inspecting', 'preparing', 'available'],
    );
    assert.equal(wakeMs(end.wake), 60_000);
    assert.deepEqual(played.done, [
      'change-host',
      'ask register',
      'store-status',
      'ask capacity',
      'ask inspect',
      'put-hardware-data',
      'change-host',
      'store-status',
      'ask prepare',
      'store-status',
      'ask look',
      'release-work',
    ]);
    assert.deepEqual(played.reasons(), [
      'Registered',
      'ProfileSet',
      'BMCAccessValidated',
      'InspectionStarted',
      'InspectionComplete',
    ]);
    const { status } = played;
    assert.equal(status.operationalStatus, 'OK');
    assert.equal(status.provisioning.ID, 'id-h1');
    assert.equal(status.provisioning.bootMode, 'UEFI');
    assert.deepEqual(status.hardware, someHardware);
    assert.equal(status.hardwareProfile, 'unknown');
    assert.deepEqual(status.goodCredentials, {
      credentials: { name: 'bmc', namespace: 'fleet' },
      credentialsVersion: '7',
    });
    assert.deepEqual(status.triedCredentials, status.goodCredentials);
    assert.equal(played.host.spec?.architecture, 'x86_64');
    assert.ok(status.operationHistory?.register?.end);
    assert.ok(status.operationHistory?.inspect?.end);
  });

  it('without BMC details is unmanaged and discovered', async () => {
    const played = playHost({ spec: { bmc: undefined as never } });
    const end = await played.round();
    assert.equal(played.state, 'unmanaged');
    assert.equal(played.status.operationalStatus, 'discovered');
    assert.deepEqual(played.events, [
      { type: 'Normal', reason: 'Discovered', message: 'Discovered host with no BMC details' },
    ]);
    assert.equal(wakeMs(end.wake), 600_000);
    assert.deepEqual(
      played.counts.map(({ metric }) => metric),
      ['stateChange', 'hostUnmanaged'],
    );
    played.edit({ bmc: { address: 'redfish://10.0.0.7', credentialsName: 'bmc' } });
    await played.round();
    assert.equal(played.state, 'available');
    assert.equal(played.status.operationalStatus, 'OK');
  });

  it('with an address only is registering and says that the Secret is not named', async () => {
    const played = playHost({ spec: { bmc: { address: 'redfish://10.0.0.7', credentialsName: '' } } });
    const end = await played.round();
    assert.equal(played.state, 'registering');
    assert.equal(played.status.errorType, 'registration error');
    assert.match(played.status.errorMessage, /^No BMC CredentialsName defined /);
    assert.deepEqual(end.wake, { on: 'change' });
  });

  it('that is externally provisioned is not inspected', async () => {
    const played = playHost({ spec: { externallyProvisioned: true } });
    await played.round();
    assert.equal(played.state, 'externally provisioned');
    assert.ok(!played.done.includes('ask inspect'));
  });

  it('whose inspection is disabled is prepared without', async () => {
    const played = playHost({ spec: { inspectionMode: 'disabled' } });
    await played.round();
    assert.equal(played.state, 'available');
    assert.ok(!played.done.includes('ask inspect'));
    assert.ok(played.reasons().includes('InspectionSkipped'));
  });

  it('is registered with what it says', async () => {
    const played = playHost({
      spec: { bootMode: 'legacy', automatedCleaningMode: 'disabled', architecture: 'aarch64' },
    });
    await played.round();
    const call = played.provisioners.calls.find(({ method }) => method === 'register');
    assert.deepEqual(call?.order, {
      isRetry: false,
      haveCredentialsChanged: true,
      bootMode: 'legacy',
      cleaningMode: 'disabled',
      architecture: 'aarch64',
      isExternallyProvisioned: false,
    });
    assert.deepEqual(call?.identity.bmc?.credentials, { username: 'admin', password: 'hunter2' });
  });
});

describe('registering', () => {
  it('that goes on is waited for, and told', async () => {
    const played = playHost();
    played.provisioners.answer('register', { kind: 'continue', afterMs: 3000 });
    const end = await played.round();
    assert.equal(played.state, 'registering');
    assert.equal(wakeMs(end.wake), 3000);
    assert.equal(played.stored.length, 1);
    await played.round();
    assert.equal(played.state, 'available');
    const orders = played.provisioners.calls.filter(({ method }) => method === 'register').map(({ order }) => order);
    assert.deepEqual(
      orders.map((order) => (order as { haveCredentialsChanged: boolean }).haveCredentialsChanged),
      [true, false],
    );
  });

  it('that fails is an error, tried again after a growing while, and begun anew then', async () => {
    const played = playHost();
    const failure = { kind: 'failed', message: 'no such BMC' } as const;
    played.provisioners.answer('register', failure, failure);
    const first = await played.round();
    assert.equal(played.status.operationalStatus, 'error');
    assert.equal(played.status.errorType, 'registration error');
    assert.equal(played.status.errorMessage, 'no such BMC');
    assert.equal(played.status.errorCount, 1);
    assert.equal(wakeMs(first.wake), 90_000);
    assert.deepEqual(played.reasons(), ['RegistrationError']);
    const second = await played.round();
    assert.equal(played.status.errorCount, 2);
    assert.equal(wakeMs(second.wake), 180_000);
    await played.round();
    assert.equal(played.state, 'available');
    assert.equal(played.status.errorCount, 0);
    assert.equal(played.status.errorType, undefined);
    assert.equal(played.status.operationalStatus, 'OK');
    const orders = played.provisioners.calls.filter(({ method }) => method === 'register').map(({ order }) => order);
    assert.deepEqual(
      orders.map((order) => (order as { isRetry: boolean }).isRetry),
      [false, true, true],
    );
  });

  it('is not begun anew at every look while it goes on after a failure', async () => {
    const played = playHost();
    const goesOn = { kind: 'continue', afterMs: 3000 } as const;
    played.provisioners.answer('register', { kind: 'failed', message: 'x' }, goesOn, goesOn);
    for (let round = 0; round < 4; round++) await played.round();
    const orders = played.provisioners.calls.filter(({ method }) => method === 'register').map(({ order }) => order);
    assert.deepEqual(
      orders.map((order) => (order as { isRetry: boolean }).isRetry),
      [false, true, false, false],
    );
  });

  it('says in a condition why it waits while its provisioner cannot be asked, and no more when it can', async () => {
    const played = playHost();
    const manageable = () => played.status.conditions?.find(({ type }) => type === 'Manageable');
    played.provisioners.answer('register', { kind: 'unavailable', message: 'no provisioner is set', afterMs: 30_000 });
    await played.round();
    assert.equal(played.state, 'registering');
    const { status, reason, message } = manageable() ?? assert.fail();
    assert.deepEqual([status, reason, message], ['False', 'Registering', 'no provisioner is set']);
    await played.round();
    assert.deepEqual([played.state, manageable()?.message], ['available', '']);
  });

  it('tells a provisioner that could not be asked again that credentials are new', async () => {
    const played = playHost();
    played.provisioners.answer('register', { kind: 'unavailable', message: 'down', afterMs: 30_000 });
    const end = await played.round();
    assert.equal(wakeMs(end.wake), 30_000);
    assert.equal(played.status.errorType, undefined);
    assert.ok(played.counts.some(({ metric }) => metric === 'provisionerNotReady'));
    await played.round();
    const orders = played.provisioners.calls.filter(({ method }) => method === 'register').map(({ order }) => order);
    assert.deepEqual(
      orders.map((order) => (order as { haveCredentialsChanged: boolean }).haveCredentialsChanged),
      [true, true],
    );
  });

  it('tells that credentials are new until they were found good, in use too', async () => {
    const played = playHost();
    await played.round();
    if (goodSecret.kind !== 'found') assert.fail();
    played.secret = { ...goodSecret, version: '8', password: 'changed' };
    const failure = { kind: 'failed', message: 'no such BMC' } as const;
    played.provisioners.calls.splice(0);
    played.provisioners.answer('register', failure, failure, { kind: 'continue', afterMs: 3000 });
    for (let round = 0; round < 5; round++) await played.round();
    const orders = played.provisioners.calls.filter(({ method }) => method === 'register').map(({ order }) => order);
    assert.deepEqual(
      orders.map((order) => (order as { haveCredentialsChanged: boolean }).haveCredentialsChanged),
      [true, true, true, false, false],
      'not any more once it is under way with them',
    );
    assert.equal(played.status.goodCredentials?.credentialsVersion, '8');
  });

  it('that fails with credentials that were good before does not call them new', async () => {
    const played = playHost();
    await played.round();
    played.provisioners.calls.splice(0);
    played.provisioners.answer('register', { kind: 'failed', message: 'down' });
    for (let round = 0; round < 2; round++) await played.round();
    const orders = played.provisioners.calls.filter(({ method }) => method === 'register').map(({ order }) => order);
    assert.deepEqual(
      orders.map((order) => (order as { haveCredentialsChanged: boolean }).haveCredentialsChanged),
      [false, false],
    );
  });

  it('happens again in use when the Secret is another, and is told', async () => {
    const played = playHost();
    await played.round();
    if (goodSecret.kind !== 'found') assert.fail();
    played.secret = { ...goodSecret, version: '8' };
    played.events.splice(0);
    await played.round();
    assert.deepEqual(played.reasons(), ['BMCAccessValidated']);
    assert.equal(played.status.goodCredentials?.credentialsVersion, '8');
    assert.ok(played.counts.some(({ metric }) => metric === 'credentialsUpdated'));
  });

  it('as another node forgets what was set up while it is prepared', async () => {
    const played = playHost({ spec: { rootDeviceHints: { deviceName: '/dev/sdb' } } });
    played.provisioners.answer('prepare', { kind: 'continue', afterMs: 10_000, hasStarted: true });
    await played.round();
    assert.deepEqual(played.status.provisioning.rootDeviceHints, { deviceName: '/dev/sdb' });
    played.provisioners.answer('register', { kind: 'done', value: { id: 'another' } as never });
    await played.round();
    const orders = played.provisioners.calls.filter(({ method }) => method === 'prepare').map(({ order }) => order);
    assert.deepEqual(
      orders.map((order) => (order as { isWanted: boolean }).isWanted),
      [true, true],
    );
  });

  it('does not end the servicing of a host by clearing an error that is not there', async () => {
    const played = playHost();
    await played.round();
    const status = { ...played.status, operationalStatus: 'servicing' as const };
    played.host = { ...played.host, status };
    played.provisioners.answer('register', { kind: 'continue', afterMs: 1000 });
    await played.round();
    assert.equal(played.status.operationalStatus, 'servicing');
  });
});
