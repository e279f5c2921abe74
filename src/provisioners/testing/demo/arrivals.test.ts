import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostIdentity, Outcome, Registration } from '../../provisioner.ts';
import { createDemoArrivals, createDemoProvisioners, type DemoArrival } from './index.ts';

const attempt = { isRetry: false };
const registration: Registration = {
  isRetry: false,
  haveCredentialsChanged: true,
  bootMode: 'UEFI',
  cleaningMode: 'metadata',
  isExternallyProvisioned: false,
};
const inspect = { isRetry: false, isRefresh: false, isForced: false, bootMode: 'UEFI' } as const;
const image = { url: 'http://files/a.qcow2', checksum: 'abc' };
const provision = { isRetry: false, isForced: false, deployment: { image, bootMode: 'UEFI' }, config: {} } as const;
const bmc = { address: 'redfish://10.0.0.1', isCertificateUnchecked: false } as const;

const arrival: DemoArrival = {
  bootMac: '52:54:00:AA:00:07',
  details: { hardware: { ramMebibytes: 1024, nics: [{ mac: '52:54:00:aa:00:08' }] }, hostname: 'seven' },
};

function hostOf(more: Partial<HostIdentity> = {}): HostIdentity {
  return { namespace: 'demo', name: 'seven', isPowerOffDisabled: false, ...more };
}

function setUp() {
  const arrivals = createDemoArrivals();
  const demo = createDemoProvisioners({ arrivals });
  return { arrivals, demo };
}

function told<T>(outcome: Outcome<T>): T {
  assert.ok(outcome.kind === 'done', JSON.stringify(outcome));
  return outcome.value;
}

test('a machine that comes by itself is listed once, however often it is started, with all that it told', async () => {
  const { arrivals, demo } = setUp();
  const id = arrivals.arrive(arrival);
  assert.equal(arrivals.arrive(arrival), id);
  const [machine, ...others] = told((await demo.sources?.[0]?.list()) ?? { kind: 'unregistered' });
  assert.deepEqual(others, []);
  assert.deepEqual(machine, {
    id,
    bootMac: '52:54:00:aa:00:07',
    macs: ['52:54:00:aa:00:07', '52:54:00:aa:00:08'],
    isAutoDiscovered: true,
  });
  assert.deepEqual(told((await demo.sources?.[0]?.read(id)) ?? { kind: 'unregistered' }), arrival.details);
});

test('it is imported, provisioned and given back without a BMC, and stays on', async () => {
  const { arrivals, demo } = setUp();
  const id = arrivals.arrive(arrival);
  const at = demo.of(hostOf({ id }));
  assert.deepEqual(told((await at.importHost?.(attempt)) ?? { kind: 'unregistered' }), { id });
  assert.deepEqual(told(await at.readInventory()), arrival.details.hardware);
  assert.equal((await at.prepare({ ...attempt, isWanted: true })).kind, 'done');
  assert.equal((await at.provision(provision)).kind, 'done');
  assert.equal((await at.deprovision({ ...attempt, cleaningMode: 'metadata' })).kind, 'done');
  assert.equal(told(await at.look()).isPoweredOn, true);
});

test('what needs its BMC is refused, and says what to do', async () => {
  const { arrivals, demo } = setUp();
  const at = demo.of(hostOf({ id: arrivals.arrive(arrival) }));
  await at.importHost?.(attempt);
  const power = { ...attempt, target: 'off', mode: 'hard', isForced: false } as const;
  const raid = { hardwareRAIDVolumes: [{ level: '1' as const }] };
  for (const outcome of [
    await at.setPower(power),
    await at.register(registration),
    await at.inspect(inspect),
    await at.service({ ticket: 't', isSpecified: true }),
    await at.attachDataImage({ ...attempt, url: 'http://files/x.iso' }),
    await at.prepare({ ...attempt, isWanted: true, raid }),
  ]) {
    assert.match(outcome.kind === 'failed' ? outcome.message : outcome.kind, /set spec\.bmc/);
  }
  assert.equal((await at.service({ ticket: 't', isSpecified: false })).kind, 'done', 'nothing is there to be given up');
});

test('when its BMC is told it is the same machine, with what is on it, and can be switched', async () => {
  const { arrivals, demo } = setUp();
  const id = arrivals.arrive(arrival);
  await demo.of(hostOf({ id })).importHost?.(attempt);
  await demo.of(hostOf({ id })).provision(provision);
  const at = demo.of(hostOf({ id, bmc }));
  const current = provision.deployment;
  assert.deepEqual(told(await at.register({ ...registration, current })), { id });
  assert.equal((await at.setPower({ ...attempt, target: 'off', mode: 'hard', isForced: false })).kind, 'done');
});

test('a host that is registered by hand is recognised by its MAC, and need not be inspected', async () => {
  const { arrivals, demo } = setUp();
  const id = arrivals.arrive(arrival);
  const at = demo.of(hostOf({ bmc, bootMacAddress: '52:54:00:AA:00:07' }));
  assert.deepEqual(told(await at.register(registration)), { id });
  assert.deepEqual(told(await at.inspect(inspect)), arrival.details.hardware);
});

test('two hosts cannot have one machine, and the one that is refused takes nothing from the other', async () => {
  const { arrivals, demo } = setUp();
  const id = arrivals.arrive(arrival);
  const [first, second] = [demo.of(hostOf({ id })), demo.of(hostOf({ id, name: 'other' }))];
  await first.importHost?.(attempt);
  const refused = await second.importHost?.(attempt);
  assert.match(refused?.kind === 'failed' ? refused.message : '', /demo\/seven/);
  await second.remove();
  assert.equal(arrivals.find({ id })?.id, id);
});

test('a machine that is not known says so; one that was removed is another when it comes again, found by its MAC', async () => {
  const { arrivals, demo } = setUp();
  const id = arrivals.arrive(arrival);
  const host = hostOf({ id, bootMacAddress: arrival.bootMac });
  await demo.of(host).importHost?.(attempt);
  await demo.of(host).remove();
  assert.equal((await demo.of(host).importHost?.(attempt))?.kind, 'unregistered');
  const again = arrivals.arrive(arrival);
  assert.notEqual(again, id);
  assert.deepEqual(await demo.of(host).importHost?.(attempt), { kind: 'done', value: { id: again } });
});

test('a step of importing takes as long as it is told to, and fails as it is told to', async () => {
  const arrivals = createDemoArrivals();
  const demo = createDemoProvisioners({
    arrivals,
    script: ({ step, attempt: count }) => (step === 'import' && count === 1 ? { failure: 'no' } : undefined),
  });
  const at = demo.of(hostOf({ id: arrivals.arrive(arrival) }));
  assert.deepEqual(await at.importHost?.(attempt), { kind: 'failed', message: 'no' });
  assert.equal((await at.importHost?.({ isRetry: true }))?.kind, 'done');
});

test('an imported machine is known after a restart, by its id', async () => {
  const { arrivals, demo } = setUp();
  const id = arrivals.arrive(arrival);
  await demo.of(hostOf({ id })).importHost?.(attempt);
  const after = createDemoProvisioners({ arrivals }).of(hostOf({ id }));
  assert.equal((await after.look()).kind, 'done');
  assert.deepEqual(told(await after.readInventory()), arrival.details.hardware);
});
