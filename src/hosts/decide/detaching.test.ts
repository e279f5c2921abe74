import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { playHost, wakeMs } from '../testing/played-host.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';

const name = 'baremetalhost.metal3.io/detached';
const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };

describe('the detached annotation', () => {
  for (const state of ['available', 'provisioned', 'externally provisioned', 'ready'] as const) {
    it(`lets the provisioner forget a host that is ${state}`, async () => {
      const status = statusIn(state, state === 'provisioned' ? deployed() : {});
      const spec = state === 'provisioned' ? { image } : { externallyProvisioned: state === 'externally provisioned' };
      const played = playHost({ status, spec, annotations: { [name]: 'anything' } });
      const end = await played.round();
      assert.deepEqual(played.provisioners.methods(), ['detach']);
      assert.equal(played.status.operationalStatus, 'detached');
      assert.equal(played.state, state);
      assert.equal(wakeMs(end.wake), 600_000);
      await played.round();
      assert.deepEqual(played.provisioners.methods(), ['detach'], 'it is not told twice');
    });
  }

  it('waits in other states, unless it forces it', async () => {
    const waiting = playHost({ status: statusIn('inspecting'), annotations: { [name]: '' } });
    waiting.provisioners.answer('inspect', { kind: 'continue', afterMs: 10_000 });
    await waiting.round();
    assert.ok(!waiting.provisioners.methods().includes('detach'));
    const forced = playHost({ status: statusIn('inspecting'), annotations: { [name]: '{"force":true}' } });
    await forced.round();
    assert.deepEqual(
      forced.provisioners.calls.map(({ order }) => order),
      [{ isForced: true }],
    );
    assert.equal(forced.status.operationalStatus, 'detached');
  });

  it('that goes takes the host back', async () => {
    const played = playHost({ status: statusIn('available', { operationalStatus: 'detached' }) });
    await played.round();
    assert.equal(played.status.operationalStatus, 'OK');
    assert.ok(played.provisioners.methods().includes('register'));
  });

  it('that goes shows an error again that was there before', async () => {
    const status = statusIn('available', {
      operationalStatus: 'detached',
      errorType: 'power management error',
      errorMessage: 'x',
    });
    const played = playHost({ status });
    played.provisioners.answer('register', { kind: 'busy', message: 'x', afterMs: 1000 });
    await played.round();
    assert.equal(played.status.operationalStatus, 'error');
  });

  it('that cannot be obeyed is a detach error', async () => {
    const played = playHost({ status: statusIn('available'), annotations: { [name]: '' } });
    played.provisioners.answer('detach', { kind: 'failed', message: 'locked' });
    await played.round();
    assert.equal(played.status.errorType, 'detach error');
    assert.deepEqual(played.reasons(), ['DetachError']);
  });

  it('a provisioner that does not know the host has obeyed it already', async () => {
    const played = playHost({ status: statusIn('available'), annotations: { [name]: '' } });
    played.provisioners.answer('detach', { kind: 'unregistered' });
    await played.round();
    assert.equal(played.status.operationalStatus, 'detached');
  });

  for (const value of ['', '{"force":true}']) {
    for (const operationalStatus of ['detached', 'OK'] as const) {
      it(`a host that is ${operationalStatus} and deleted with '${value}' goes without being touched`, async () => {
        const played = playHost({
          status: statusIn('provisioned', { ...deployed(), operationalStatus }),
          spec: { image },
          annotations: { [name]: value },
        });
        played.delete();
        await played.round();
        assert.deepEqual(played.provisioners.methods(), ['remove']);
        assert.deepEqual(played.host.metadata.finalizers, []);
      });
    }
  }

  it('a deletion waits when it asks for that, and goes on when it goes', async () => {
    const played = playHost({
      status: statusIn('provisioned', { ...deployed(), operationalStatus: 'detached' }),
      spec: { image },
      annotations: { [name]: '{"deleteAction":"delay"}' },
    });
    played.delete();
    const end = await played.round();
    assert.equal(wakeMs(end.wake), 600_000);
    assert.deepEqual(played.provisioners.methods(), []);
    assert.ok(played.counts.some(({ metric }) => metric === 'deleteDelayedForDetached'));
    played.annotate({ [name]: undefined });
    await played.round();
    assert.ok(played.provisioners.methods().includes('deprovision'));
    assert.deepEqual(played.host.metadata.finalizers, []);
  });
});
