import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '../../../kube/index.ts';
import type { HostIdentity, Registration } from '../../provisioner.ts';
import { createDemoProvisioners, type DemoOptions } from './index.ts';

const registration: Registration = {
  isRetry: false,
  haveCredentialsChanged: false,
  bootMode: 'UEFI',
  cleaningMode: 'metadata',
  isExternallyProvisioned: false,
};
const inspect = { isRetry: false, isRefresh: false, isForced: false, bootMode: 'UEFI' } as const;
const prepare = { isRetry: false, isWanted: true } as const;
const provision = { isRetry: false, isForced: false, deployment: { bootMode: 'UEFI' }, config: {} } as const;

function host(name: string): HostIdentity {
  return {
    namespace: 'demo',
    name,
    bmc: { address: 'redfish://10.0.0.1', isCertificateUnchecked: false },
    isPowerOffDisabled: false,
  };
}

/** How each step of a host ends, as far as it comes. */
async function walk(name: string, options: DemoOptions = {}) {
  const at = createDemoProvisioners(options).of(host(name));
  const seen: string[] = [];
  for (const step of [
    () => at.register(registration),
    () => at.inspect(inspect),
    () => at.prepare(prepare),
    () => at.provision(provision),
  ]) {
    const outcome = await step();
    seen.push(outcome.kind === 'failed' ? outcome.message : outcome.kind);
    if (outcome.kind !== 'done') break;
  }
  return seen;
}

const canned: readonly (readonly [string, readonly string[]])[] = [
  ['demo-registering', ['continue']],
  ['demo-registration-error', ['failed to register new host']],
  ['demo-inspecting', ['done', 'continue']],
  ['demo-preparing', ['done', 'done', 'continue']],
  ['demo-preparing-error', ['done', 'done', 'preparation failed']],
  ['demo-provisioning', ['done', 'done', 'done', 'continue']],
  ['demo-validation-error', ['done', 'done', 'done', 'validation failed']],
  ['demo-available', ['done', 'done', 'done', 'done']],
  ['demo-provisioned', ['done', 'done', 'done', 'done']],
  ['any-other', ['done', 'done', 'done', 'done']],
];
for (const [name, ends] of canned) {
  test(`${name} comes as far as its name says`, async () => {
    assert.deepEqual(await walk(name), ends);
    const slow: DemoOptions = { pace: { kind: 'never' }, script: () => ({ pace: { kind: 'instant' } }) };
    assert.deepEqual(await walk(name, slow), ends, 'whatever a script says');
  });
}

test('a step takes its time on the clock, and is begun once', async () => {
  const clock = createFakeClock();
  const at = createDemoProvisioners({ clock, pace: { kind: 'time', ms: 1000 } }).of(host('a'));
  assert.deepEqual(await at.register(registration), { kind: 'continue', afterMs: 1000, hasStarted: true });
  clock.advance(400);
  assert.deepEqual(await at.register(registration), { kind: 'continue', afterMs: 600 });
  clock.advance(600);
  assert.equal((await at.register(registration)).kind, 'done');
  assert.equal((await at.register(registration)).kind, 'done');
});

test('a script says which attempt fails; it stays so until it is tried anew', async () => {
  const demo = createDemoProvisioners({
    script: ({ name, step, attempt }) =>
      name === 'a' && step === 'provision' && attempt < 3 ? { failure: `no ${attempt}` } : undefined,
  });
  const at = demo.of(host('a'));
  await at.register(registration);
  assert.deepEqual(await at.provision(provision), { kind: 'failed', message: 'no 1' });
  assert.deepEqual(await at.provision(provision), { kind: 'failed', message: 'no 1' });
  assert.deepEqual(await at.provision({ ...provision, isRetry: true }), { kind: 'failed', message: 'no 2' });
  assert.equal((await at.provision({ ...provision, isRetry: true })).kind, 'done');
});

test('one thing is done at a time, and force ends what is under way', async () => {
  const at = createDemoProvisioners({
    script: ({ step }) => (step === 'inspect' ? { pace: { kind: 'never' } } : undefined),
  }).of(host('a'));
  await at.register(registration);
  await at.inspect(inspect);
  const off = { target: 'on', mode: 'hard', isRetry: false } as const;
  assert.equal((await at.setPower({ ...off, isForced: false })).kind, 'busy');
  assert.equal((await at.register(registration)).kind, 'done', 'it was registered before');
  assert.equal((await at.setPower({ ...off, isForced: true })).kind, 'done');
});

for (const step of ['provision', 'power', 'service'] as const) {
  test(`deprovisioning ends a ${step} that would go on for ever, and takes its own time`, async () => {
    const at = createDemoProvisioners({
      script: (asked) => {
        if (asked.step === step) return { pace: { kind: 'never' } };
        return asked.step === 'deprovision' ? { pace: { kind: 'calls', count: 2 } } : undefined;
      },
    }).of(host('a'));
    await at.register(registration);
    if (step !== 'provision') await at.provision(provision);
    const settings = { ProcTurboMode: 'Disabled' };
    const begun =
      step === 'provision'
        ? await at.provision(provision)
        : step === 'power'
          ? await at.setPower({ target: 'off', mode: 'hard', isForced: false, isRetry: false })
          : await at.service({ ticket: 'one', isSpecified: true, settings });
    assert.equal(begun.kind, 'continue');
    const order = { isRetry: false, cleaningMode: 'metadata' } as const;
    const first = await at.deprovision(order);
    assert.equal(first.kind === 'continue' && first.hasStarted, true, 'half a system is on it');
    assert.equal((await at.deprovision(order)).kind, 'continue');
    assert.equal((await at.deprovision(order)).kind, 'done');
    assert.equal((await at.deprovision(order)).kind, 'done');
  });
}

test('a limit counts the hosts that are inspected, provisioned or deprovisioned', async () => {
  const demo = createDemoProvisioners({
    provisioningLimit: 1,
    script: ({ step }) => (step === 'inspect' ? { pace: { kind: 'never' } } : undefined),
  });
  const one = demo.of(host('a'));
  await one.register(registration);
  assert.deepEqual(await demo.hasCapacity(host('b')), { kind: 'done', value: true });
  await one.inspect(inspect);
  assert.deepEqual(await demo.hasCapacity(host('b')), { kind: 'done', value: false });
  assert.deepEqual(await demo.hasCapacity(host('a')), { kind: 'done', value: true });
});

test('a host is the same after a restart, by its id: what is deployed stays, and what nobody knows is not made up', async () => {
  const first = createDemoProvisioners().of(host('a'));
  const registered = await first.register(registration);
  const id = registered.kind === 'done' ? registered.value.id : '';
  const details = await first.inspect(inspect);
  const after = createDemoProvisioners().of({ ...host('a'), id });
  assert.deepEqual(await after.register({ ...registration, current: { bootMode: 'UEFI' } }), registered);
  assert.deepEqual(await after.inspect(inspect), details);
  const seen = await after.look();
  assert.equal(seen.kind === 'done' ? seen.value.isPoweredOn : 'nothing', undefined);
  const strange = createDemoProvisioners().of({ ...host('a'), id: 'of something else' });
  assert.equal((await strange.look()).kind, 'unregistered');
});

test('two hosts differ, and their settings have one schema', async () => {
  const demo = createDemoProvisioners();
  const [one, other] = [demo.of(host('a')), demo.of(host('b'))];
  for (const each of [one, other]) await each.register(registration);
  assert.notDeepEqual(await one.inspect(inspect), await other.inspect(inspect));
  const [first, second] = [await one.readFirmwareSettings(), await other.readFirmwareSettings()];
  assert.ok(first.kind === 'done' && second.kind === 'done');
  assert.equal(first.value.schema, second.value.schema);
});
