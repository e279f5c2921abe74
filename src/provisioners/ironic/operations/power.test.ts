import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PowerOrder } from '../../provisioner.ts';
import { createTestBench, type TestBench, targetsOf } from '../testing/index.ts';

const off: PowerOrder = { target: 'off', mode: 'soft', isForced: false, isRetry: false };

const asked = (bench: TestBench) =>
  bench
    .changes()
    .filter(({ line }) => line.endsWith('/states/power'))
    .map(({ body }) => body);

test('a host is shut down within three minutes, and switched off where it does not do that', async (t) => {
  const bench = await createTestBench(t);
  bench.bmc.isOn = true;
  bench.bmc.ignoresSoftPowerOff = true;
  await bench.node('active');
  await bench.drive.done(() => bench.at().setPower(off));
  assert.equal(bench.bmc.isOn, false);
  assert.deepEqual(asked(bench), [{ target: 'soft power off', timeout: 180 }, { target: 'power off' }]);
});

test('a power switch that fails is told of, and tried again only when asked to', async (t) => {
  const bench = await createTestBench(t);
  bench.bmc.isBroken = true;
  await bench.node('active');
  const failed = await bench.drive.until(() => bench.at().setPower({ ...off, target: 'on' }));
  assert.equal(failed.kind, 'failed');
  assert.match(failed.kind === 'failed' ? failed.message : '', /Failed to change power state to 'power on'/);
  assert.equal((await bench.at().setPower({ ...off, target: 'on' })).kind, 'failed');
  assert.equal(asked(bench).length, 1);
  bench.bmc.isBroken = false;
  const again = await bench.at().setPower({ ...off, target: 'on', isRetry: true });
  assert.deepEqual(again, { kind: 'continue', afterMs: 3000, hasStarted: true });
  await bench.drive.done(() => bench.at().setPower({ ...off, target: 'on' }));
  assert.equal(bench.bmc.isOn, true);
});

test('a host that is off is not done with while Ironic is about to start it', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('cleaning', { target_provision_state: 'available', power_state: 'power off' });
  assert.equal((await bench.at().setPower({ ...off, mode: 'hard', isForced: true })).kind, 'busy');
});

test('a host that may not be switched off is rebooted instead', async (t) => {
  const bench = await createTestBench(t);
  bench.bmc.isOn = true;
  await bench.node('active');
  const at = bench.at({ isPowerOffDisabled: true });
  assert.equal((await at.setPower(off)).kind, 'done');
  assert.deepEqual(asked(bench), [{ target: 'soft rebooting', timeout: 180 }]);
});

test('a reboot is asked for once and is done by that', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active');
  assert.equal((await bench.at().setPower({ ...off, target: 'reboot', mode: 'hard' })).kind, 'done');
  assert.deepEqual(asked(bench), [{ target: 'rebooting' }]);
});

test('a host whose service failed can be switched off', async (t) => {
  const bench = await createTestBench(t);
  bench.bmc.isOn = true;
  await bench.node('service failed', { target_provision_state: 'active', power_state: 'power on' });
  await bench.drive.done(() => bench.at().setPower({ ...off, mode: 'hard' }));
  assert.equal(bench.bmc.isOn, false);
});

test('the power is left alone while Ironic works, unless forced: then the work ends', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('clean wait', { power_state: 'power on' });
  assert.equal((await bench.at().setPower(off)).kind, 'busy');
  assert.deepEqual(targetsOf(bench.changes()), []);
  assert.equal((await bench.at().setPower({ ...off, isForced: true })).kind, 'continue');
  assert.deepEqual(targetsOf(bench.changes()), ['abort']);
  assert.equal(bench.ironic.node('metal3~host-1').provision_state, 'clean failed');
});

test('a look tells power, health and whether Ironic lost the BMC, with one request', async (t) => {
  const bench = await createTestBench(t);
  const lost = { fault: 'power failure', maintenance: true, last_error: 'IPMI call failed: power status.' };
  await bench.node('active', { power_state: 'power on', health: 'Warning', ...lost });
  const message = 'Ironic cannot read or switch its power: IPMI call failed: power status.';
  const before = bench.ironic.requests.length;
  assert.deepEqual(await bench.at().look(), {
    kind: 'done',
    value: { isPoweredOn: true, bmcProblem: { kind: 'lasting', message }, health: 'Warning' },
  });
  assert.equal(bench.ironic.requests.length, before + 1);
  await bench.node('active', { power_state: null, fault: null, health: null });
  assert.deepEqual(await bench.at().look(), {
    kind: 'done',
    value: { isPoweredOn: undefined, health: undefined },
  });
});
