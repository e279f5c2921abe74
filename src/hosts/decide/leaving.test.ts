import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BareMetalHostStatus } from '../../api/index.ts';
import type { PowerOrder } from '../../provisioners/index.ts';
import { playHost } from '../testing/played-host.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';

const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };
const failure = { kind: 'failed', message: 'not now' } as const;

/** A host in use that is deleted after so many failures of something else. */
function leave(more: Partial<BareMetalHostStatus> = {}) {
  const played = playHost({ status: statusIn('provisioned', { ...deployed(), ...more }), spec: { image } });
  played.delete();
  return played;
}

describe('a host that leaves', () => {
  it('is cleaned though it failed often before that, and one try fails', async () => {
    const played = leave({ errorCount: 9 });
    played.provisioners.answer('deprovision', failure);
    await played.round();
    assert.equal(played.state, 'deprovisioning');
    await played.round();
    assert.equal(played.provisioners.methods().filter((method) => method === 'deprovision').length, 2);
    assert.ok(!played.counts.some(({ metric }) => metric === 'deleteWithoutDeprovisioning'));
    assert.deepEqual(played.host.metadata.finalizers, []);
  });

  it('is cleaned though its BMC could not be reached some times on the way', async () => {
    const played = leave();
    played.provisioners.answer('deprovision', { kind: 'continue', afterMs: 10_000, hasStarted: true }, failure);
    await played.round();
    played.provisioners.answer('register', failure, failure, failure);
    for (let round = 0; round < 4; round++) await played.round();
    assert.equal(played.state, 'deprovisioning');
    await played.round();
    assert.ok(!played.counts.some(({ metric }) => metric === 'deleteWithoutDeprovisioning'));
  });

  it('is cleaned though taking it over failed some times on the way', async () => {
    const played = leave();
    played.provisioners.answer('adopt', failure, failure, failure);
    for (let round = 0; round < 3; round++) await played.round();
    assert.equal(played.status.errorType, 'provisioned registration error');
    played.provisioners.answer('deprovision', failure);
    await played.round();
    assert.equal(played.status.errorType, 'provisioning error');
    assert.equal(played.state, 'deprovisioning');
    await played.round();
    assert.ok(!played.counts.some(({ metric }) => metric === 'deleteWithoutDeprovisioning'));
  });

  it('is not given up for failures of before', async () => {
    const played = playHost({ status: statusIn('available', { errorCount: 9 }) });
    played.delete();
    played.provisioners.answer('setPower', failure);
    await played.round();
    assert.equal(played.state, 'powering off before delete');
    assert.equal(played.status.errorCount, 1);
  });

  it('and cannot be reached is given up without counting anew', async () => {
    const status = { errorType: 'registration error', errorCount: 4, operationalStatus: 'error' } as const;
    const played = leave(status);
    await played.round();
    assert.deepEqual(played.provisioners.methods().slice(-1), ['remove']);
    assert.ok(!played.provisioners.methods().includes('deprovision'));
    assert.deepEqual(played.host.metadata.finalizers, []);
  });

  it('is let go only once its BMC has written, and says what it waits for', async () => {
    const played = leave();
    const writing = { kind: 'busy', afterMs: 5000, message: 'task 7 is at 40 %', isUpdating: true } as const;
    const progressing = () => played.status.conditions?.find(({ type }) => type === 'Progressing');
    played.provisioners.answer('deprovision', writing);
    await played.round();
    assert.equal(played.state, 'deprovisioning');
    assert.equal(progressing()?.reason, 'Deprovisioning');
    assert.match(progressing()?.message ?? '', /its BMC is at an update of firmware, and its power is left alone/);
    played.provisioners.answer('setPower', writing);
    await played.round();
    assert.equal(played.state, 'powering off before delete');
    assert.match(progressing()?.message ?? '', /its BMC is at an update of firmware/);
    const { order } = played.provisioners.calls.find(({ method }) => method === 'setPower') ?? {};
    const { isForced, isUpdateSpared } = (order ?? {}) as Partial<PowerOrder>;
    assert.deepEqual([isForced, isUpdateSpared], [true, true]);
    await played.round();
    assert.deepEqual(played.host.metadata.finalizers, []);
  });
});

describe('a host whose image is taken off', () => {
  it('is available again without being prepared again, where its disk settings are as they were', async () => {
    const played = playHost({ spec: { hardwareProfile: 'unknown', image } });
    for (let round = 0; round < 3; round++) await played.round();
    assert.equal(played.state, 'provisioned');
    const { rootDeviceHints } = played.status.provisioning;
    assert.deepEqual(rootDeviceHints, { deviceName: '/dev/sda' });
    const before = played.stored.length;
    played.edit({ image: undefined } as never);
    for (let round = 0; round < 3; round++) await played.round();
    const states = played.stored.slice(before).map(({ provisioning }) => provisioning.state);
    assert.deepEqual([...new Set(states)], ['deprovisioning', 'available']);
    assert.deepEqual(played.status.provisioning.rootDeviceHints, rootDeviceHints);
  });
});
