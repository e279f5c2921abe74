import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { playHost, wakeMs } from '../testing/played-host.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';

const duplicate = { host: 'fleet/first', by: 'the BMC 10.0.0.7:443' };
const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };

describe('a host whose machine another one has (security.md: attacker-with-bmc, duplicate-machines)', () => {
  for (const state of ['registering', 'inspecting', 'available', 'provisioned', 'deprovisioning'] as const) {
    it(`does nothing and says so, ${state}`, async () => {
      const spec = state === 'provisioned' ? { image, online: false } : { online: true };
      const played = playHost({ status: statusIn(state, state === 'provisioned' ? deployed() : {}), spec });
      played.duplicate = duplicate;
      const end = await played.round();
      await played.round();
      assert.deepEqual(played.provisioners.methods(), []);
      assert.equal(played.state, state);
      assert.equal(wakeMs(end.wake), 600_000);
      const condition = played.status.conditions?.find(({ type }) => type === 'DuplicateMachine');
      assert.equal(condition?.status, 'True');
      assert.match(condition?.message ?? '', /^the BareMetalHost fleet\/first is the same machine, by the BMC 10/);
      const told = played.events.filter(({ reason }) => reason === 'DuplicateMachine');
      assert.deepEqual(
        told.map(({ type }) => type),
        ['Warning'],
        'told once',
      );
    });
  }

  it('goes on once it has it alone, and says nothing of it any more', async () => {
    const played = playHost({ status: statusIn('available') });
    played.duplicate = duplicate;
    await played.round();
    played.duplicate = undefined;
    await played.round();
    assert.ok(played.provisioners.methods().includes('register'));
    assert.equal(
      played.status.conditions?.some(({ type }) => type === 'DuplicateMachine'),
      false,
    );
  });

  for (const state of ['available', 'provisioned', 'provisioning', 'deprovisioning'] as const) {
    it(`is forgotten when it is deleted, and its machine is neither wiped nor switched off, ${state}`, async () => {
      const status = statusIn(state, state === 'provisioned' ? deployed() : {});
      const played = playHost({ status });
      played.delete();
      played.duplicate = duplicate;
      for (let rounds = 0; rounds < 5; rounds++) await played.round();
      assert.deepEqual([...new Set(played.provisioners.methods())], ['remove']);
      assert.ok(!played.host.metadata.finalizers?.length);
    });
  }
});
