import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resource, sampleTree } from '../testing/sample-tree.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { readBmcClock, setBmcClock } from './bmc-clock.ts';
import { readIndicator, setIndicator } from './indicator.ts';
import { readSecureBoot, setSecureBoot } from './secure-boot.ts';

test('secure boot is read, set for the next boot, and not set twice', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
  const { isEnabled, wasEnabledAtBoot, mode } = await readSecureBoot(bmc);
  assert.deepEqual([isEnabled, wasEnabledAtBoot, mode], [false, false, 'UserMode']);
  assert.deepEqual(await setSecureBoot(bmc, { isEnabled: true }), { wasSent: true });
  assert.deepEqual(await setSecureBoot(bmc, { isEnabled: true }), { wasSent: false });
  const patch = gate.sent.find(({ method }) => method === 'PATCH');
  assert.deepEqual([patch?.body, patch?.isDisruptive], [{ SecureBootEnable: true }, true]);
});

test('a system without secure boot says so', async () => {
  const { bmc } = createScriptedBmc({ tree: sampleTree({ system: { SecureBoot: null } }) });
  await assert.rejects(readSecureBoot(bmc), /has no SecureBoot/);
});

test('the light is set in the old form and in the new', async () => {
  const old = createScriptedBmc({ tree: sampleTree() });
  assert.equal(await readIndicator(old.bmc), 'off');
  assert.deepEqual(await setIndicator(old.bmc, { state: 'blinking' }), { wasSent: true });
  assert.equal(await readIndicator(old.bmc), 'blinking');
  assert.deepEqual(await setIndicator(old.bmc, { state: 'blinking' }), { wasSent: false });
  const recent = createScriptedBmc({ tree: sampleTree({ system: { LocationIndicatorActive: false } }) });
  await setIndicator(recent.bmc, { state: 'blinking' });
  assert.deepEqual(recent.gate.sent.find(({ method }) => method === 'PATCH')?.body, { LocationIndicatorActive: true });
  assert.equal(await readIndicator(recent.bmc), 'lit');
});

test('the light may be on the chassis, or nowhere', async () => {
  const chassis = '/redfish/v1/Chassis/1';
  const more = { [chassis]: resource(chassis, { IndicatorLED: 'Lit' }) };
  const there = createScriptedBmc({ tree: sampleTree({ system: { IndicatorLED: null }, more }) });
  assert.equal(await readIndicator(there.bmc), 'lit');
  const nowhere = createScriptedBmc({ tree: sampleTree({ system: { IndicatorLED: null } }) });
  await assert.rejects(readIndicator(nowhere.bmc), /have none/);
});

test("the BMC's clock is compared with ours and set to it", async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ manager: { DateTime: '2015-01-01T00:00:00Z' } }) });
  assert.equal((await readBmcClock(bmc)).offsetMs, Date.UTC(2015, 0, 1) - Date.UTC(2025, 0, 1));
  await setBmcClock(bmc);
  assert.deepEqual(gate.sent.find(({ method }) => method === 'PATCH')?.body, { DateTime: '2025-01-01T00:00:00+00:00' });
  assert.equal((await readBmcClock(bmc)).offsetMs, 0);
});
