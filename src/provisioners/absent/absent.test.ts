import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostIdentity } from '../provisioner.ts';
import { createAbsentProvisioners } from './index.ts';

const host: HostIdentity = {
  namespace: 'metal3',
  name: 'host-1',
  bmc: { address: 'redfish://192.0.2.1', isCertificateUnchecked: false },
  isPowerOffDisabled: false,
};
const message = 'nobody is there';
const absent = createAbsentProvisioners({ message, pollMs: 5 });

test('a host without a provisioner waits, and is told why', async () => {
  const provisioner = absent.of(host);
  const unavailable = { kind: 'unavailable', message, afterMs: 5 };
  assert.deepEqual(await provisioner.look(), unavailable);
  assert.deepEqual(
    await provisioner.setPower({ target: 'off', mode: 'hard', isForced: true, isRetry: false }),
    unavailable,
  );
  assert.deepEqual(await provisioner.deprovision({ isRetry: false, cleaningMode: 'metadata' }), unavailable);
  assert.deepEqual(await absent.hasCapacity(host), unavailable);
  // Whoever wants to work on its machine past a provisioner need not wait for one.
  assert.equal((await provisioner.setMaintenance('a new BIOS is being written')).kind, 'unregistered');
});

test('one that nobody ever knew can go; one that somebody else knows cannot', async () => {
  assert.equal((await absent.of(host).remove()).kind, 'done');
  assert.equal((await absent.of({ ...host, id: 'known elsewhere' }).remove()).kind, 'unavailable');
});
