import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type HardwareData, metal3ApiVersion } from '../../api/index.ts';
import { finalizers } from '../resources.ts';
import { discovered } from '../testing/discovered-host.ts';
import { playHost } from '../testing/played-host.ts';
import { someHardware } from '../testing/scripted-provisioners.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';

const statusName = 'baremetalhost.metal3.io/status';
const detailsName = 'inspect.metal3.io/hardwaredetails';

describe('a paused host', () => {
  for (const value of ['', 'metal3.io/capm3', 'anything']) {
    it(`is left alone, whatever the annotation says (${value})`, async () => {
      const played = playHost({ annotations: { 'baremetalhost.metal3.io/paused': value } });
      const end = await played.round();
      assert.deepEqual(end.wake, { on: 'change' });
      assert.deepEqual(played.done, []);
      assert.equal(end.status.conditions, undefined);
      assert.equal(played.host.metadata.finalizers, undefined);
    });
  }

  it('is not even let go', async () => {
    const played = playHost({ status: statusIn('available'), annotations: { 'baremetalhost.metal3.io/paused': '' } });
    played.delete();
    await played.round();
    assert.deepEqual(played.done, []);
  });
});

describe('the status annotation', () => {
  it('brings a status along from elsewhere, and goes once that is stored', async () => {
    const status = statusIn('provisioned', deployed());
    const { lastUpdated: _, ...brought } = status;
    const played = playHost({
      spec: { image: { url: 'http://images.example/a.qcow2', checksum: 'abc' } },
      annotations: { [statusName]: JSON.stringify(brought) },
    });
    await played.round();
    assert.deepEqual(played.done.slice(0, 2), ['store-status', 'change-host']);
    assert.equal(played.state, 'provisioned');
    assert.equal(played.status.provisioning.ID, 'id-h1');
    assert.deepEqual(Object.keys(played.host.metadata.annotations ?? {}), []);
    assert.ok(!played.provisioners.methods().includes('provision'));
  });

  it('may tell of parts only', async () => {
    const played = playHost({
      annotations: { [statusName]: '{"provisioning":{"ID":"abc","state":""},"poweredOn":true}' },
    });
    played.provisioners.answer('register', { kind: 'continue', afterMs: 1000 });
    await played.round();
    assert.equal(played.status.provisioning.ID, 'abc');
    assert.equal(played.status.poweredOn, true);
    assert.equal(played.state, 'registering');
  });

  it('of a host that is being serviced is taken too', async () => {
    const { lastUpdated: _, ...brought } = statusIn('provisioned', { ...deployed(), operationalStatus: 'servicing' });
    const played = playHost({
      spec: { image: { url: 'http://images.example/a.qcow2', checksum: 'abc' } },
      annotations: { [statusName]: JSON.stringify(brought) },
    });
    await played.round();
    assert.equal(played.status.operationalStatus, 'servicing');
  });

  it('of a host that has a status is removed and not used', async () => {
    const played = playHost({
      status: statusIn('available'),
      annotations: { [statusName]: '{"provisioning":{"state":"provisioned"}}' },
    });
    await played.round();
    assert.equal(played.state, 'available');
    assert.deepEqual(Object.keys(played.host.metadata.annotations ?? {}), []);
  });

  it('that is none stops the host and says so', async () => {
    const played = playHost({ annotations: { [statusName]: '{"nonsense":1}' } });
    await played.round();
    assert.deepEqual(played.reasons(), ['InvalidAnnotationValue']);
    assert.deepEqual(played.provisioners.methods(), []);
  });

  it('gives way to HardwareData where hardware is concerned', async () => {
    const { lastUpdated: _, ...brought } = statusIn('available', { hardware: { hostname: 'old' } });
    const played = playHost({ annotations: { [statusName]: JSON.stringify(brought) } });
    played.hardwareData = {
      apiVersion: metal3ApiVersion,
      kind: 'HardwareData',
      metadata: { name: 'h1' },
      spec: { hardware: someHardware },
    };
    await played.round();
    assert.deepEqual(played.status.hardware, someHardware);
  });
});

describe('the hardware details annotation', () => {
  const details = { [detailsName]: JSON.stringify(someHardware) };

  it('tells the hardware of a host that is not inspected, and goes', async () => {
    const played = playHost({ spec: { inspectionMode: 'disabled' }, annotations: details });
    await played.round();
    assert.deepEqual(played.status.hardware, someHardware);
    assert.ok(played.reasons().includes('UpdateHardwareDetails'));
    assert.ok(!played.reasons().includes('RemoveAnnotation'));
    assert.deepEqual(Object.keys(played.host.metadata.annotations ?? {}), []);
  });

  it('is removed and not used when the hardware is known by inspection', async () => {
    const played = playHost({
      status: statusIn('available', { hardware: { hostname: 'found' } }),
      annotations: details,
    });
    await played.round();
    assert.equal(played.status.hardware?.hostname, 'found');
    assert.ok(played.reasons().includes('RemoveAnnotation'));
    assert.deepEqual(Object.keys(played.host.metadata.annotations ?? {}), []);
  });

  it('with fields that hardware does not have is not used', async () => {
    const played = playHost({ spec: { inspectionMode: 'disabled' }, annotations: { [detailsName]: '{"wheels":4}' } });
    await played.round();
    assert.equal(played.status.hardware, undefined);
    assert.ok(played.reasons().includes('RemoveAnnotation'));
  });
});

describe('a host', () => {
  it('has its finalizer before anybody is told of it', async () => {
    const played = playHost();
    await played.round();
    assert.equal(played.done[0], 'change-host');
    assert.ok((played.host.metadata.finalizers ?? []).includes(finalizers.host));
  });

  it('that leaves lets its HardwareData go and gets no finalizer', async () => {
    const played = playHost();
    await played.round();
    played.done.splice(0);
    played.delete();
    await played.round();
    assert.equal(played.done[0], 'release-hardware-data');
  });

  it('keeps the architecture that its owner wrote', async () => {
    const played = playHost({ spec: { architecture: 'aarch64' } });
    await played.round();
    assert.equal(played.host.spec?.architecture, 'aarch64');
  });
});

describe('HardwareData of a host that had the name before', () => {
  const theirs = { apiVersion: metal3ApiVersion, kind: 'BareMetalHost', name: 'h1', uid: 'the one before' } as const;
  const old = (metadata: Partial<HardwareData['metadata']>): HardwareData => ({
    apiVersion: metal3ApiVersion,
    kind: 'HardwareData',
    metadata: { name: 'h1', namespace: 'fleet', ...metadata },
    spec: { hardware: { hostname: 'the machine before' } },
  });
  const deletionTimestamp = '2026-01-01T00:00:00Z';

  it('says nothing of the new one, which takes it over', async () => {
    const played = playHost(discovered());
    played.hardwareData = old({ ownerReferences: [theirs] });
    await played.settle();
    assert.deepEqual(played.status.hardware, someHardware);
    assert.deepEqual(played.hardwareData?.spec?.hardware, someHardware);
  });

  it('is let go where it goes, and the note keeps the hardware until it has gone', async () => {
    const played = playHost(discovered());
    played.hardwareData = old({ ownerReferences: [theirs], deletionTimestamp, finalizers: [finalizers.hardwareData] });
    await played.settle();
    assert.ok(played.done.includes('release-hardware-data'));
    assert.deepEqual(played.status.hardware, someHardware);
    const going = playHost(discovered());
    going.hardwareData = old({ ownerReferences: [theirs], deletionTimestamp });
    await going.settle();
    assert.ok(!going.done.includes('put-hardware-data'), 'what goes cannot be taken over');
    assert.deepEqual(going.status.hardware, someHardware);
    assert.match(Object.values(going.host.metadata.annotations ?? {}).join(), /"hardware":/);
    going.hardwareData = undefined;
    await going.round();
    assert.ok(going.done.includes('put-hardware-data'));
  });

  it('is the past where nobody owns it and it goes; where it stays it counts, as when hosts move', async () => {
    const going = playHost(discovered());
    going.hardwareData = old({ deletionTimestamp });
    await going.settle();
    assert.deepEqual(going.status.hardware, someHardware);
    const staying = playHost(discovered());
    staying.hardwareData = old({});
    await staying.settle();
    assert.equal(staying.status.hardware?.hostname, 'the machine before');
  });

  it('that is its own counts, also while somebody deletes it', async () => {
    const played = playHost(discovered());
    played.hardwareData = old({ ownerReferences: [{ ...theirs, uid: 'u1' }], deletionTimestamp });
    await played.settle();
    assert.equal(played.status.hardware?.hostname, 'the machine before');
  });
});
