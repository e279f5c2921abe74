import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { playHost, wakeMs } from '../testing/played-host.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';

const full = { kind: 'done', value: false as never } as const;
const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };

describe('a provisioner that has no room', () => {
  it('delays an inspection; the host stays where it is and tries again within two minutes', async () => {
    const played = playHost();
    played.provisioners.answer('hasCapacity', full);
    const end = await played.round();
    assert.equal(played.state, 'registering');
    assert.equal(played.status.operationalStatus, 'delayed');
    assert.equal(wakeMs(end.wake), 90_000);
    await played.round();
    assert.equal(played.state, 'available');
    assert.equal(played.status.operationalStatus, 'OK');
  });

  it('delays provisioning', async () => {
    const played = playHost({ status: statusIn('available'), spec: { image } });
    played.provisioners.answer('hasCapacity', full);
    await played.round();
    assert.equal(played.state, 'available');
    assert.equal(played.status.operationalStatus, 'delayed');
    assert.ok(played.counts.some(({ metric }) => metric === 'delayedProvisioning'));
    await played.round();
    assert.equal(played.state, 'provisioned');
    assert.equal(played.status.operationalStatus, 'OK');
  });

  it('delays deprovisioning, also of a host that leaves', async () => {
    const played = playHost({ status: statusIn('provisioned', deployed()) });
    played.delete();
    played.provisioners.answer('hasCapacity', full);
    await played.round();
    assert.equal(played.state, 'provisioned');
    assert.equal(played.status.operationalStatus, 'delayed');
    assert.ok(played.counts.some(({ metric }) => metric === 'delayedDeprovisioning'));
  });
});
