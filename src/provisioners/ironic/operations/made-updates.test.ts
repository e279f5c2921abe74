import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FirmwareUpdate } from '../../provisioner.ts';
import { createTestBench, targetsOf } from '../testing/index.ts';

const bios = { component: 'bios', url: 'http://files/bios-1.1.0' };
const bmc = { component: 'bmc', url: 'http://files/bmc-9.9.9' };
const nic = { component: 'nic:1', url: 'http://files/nic-2.0.0' };
const name = 'metal3~host-1';
/** As Ironic says it of an update that its BMC did not make. */
const failureOf = ({ url }: FirmwareUpdate) => `Firmware update failed for node 1234, firmware ${url}. Error: no`;

type Bench = Awaited<ReturnType<typeof createTestBench>>;

/** The components that each request had written, in order. */
function writtenBy(bench: Bench): string[][] {
  return bench.changes().flatMap(({ body }) => {
    const { service_steps, clean_steps } = (body ?? {}) as Record<string, unknown>;
    const steps = (service_steps ?? clean_steps) as { args: { settings: { component: string }[] } }[] | undefined;
    return steps === undefined ? [] : [steps.flatMap(({ args }) => args.settings.map(({ component }) => component))];
  });
}

/** One attempt at servicing that fails for that reason. */
async function fail(bench: Bench, ticket: string, { updates, reason }: { updates: FirmwareUpdate[]; reason: string }) {
  bench.ironic.api.fail(name, { target: 'service', reason });
  const outcome = await bench.drive.until(() => bench.at().service({ ticket, isSpecified: true, updates }));
  assert.deepEqual([outcome.kind, 'message' in outcome && outcome.message], ['failed', reason]);
  return outcome.kind === 'failed' ? outcome.serviced : undefined;
}

test('a live update that fails again and again writes what went well once only', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active');
  const updates = [bios, bmc, nic];
  for (const ticket of ['one', 'two', 'three']) await fail(bench, ticket, { updates, reason: failureOf(bmc) });
  await fail(bench, 'four', { updates, reason: failureOf(nic) });
  const last = { ticket: 'five', isSpecified: true, updates };
  const { updates: told } = await bench.drive.done(() => bench.at().service(last));
  assert.deepEqual(told, updates, 'all of it is told, whichever attempt made it');
  assert.deepEqual(writtenBy(bench), [
    ['bios', 'bmc', 'nic:1'],
    ['bmc', 'nic:1'],
    ['bmc', 'nic:1'],
    ['bmc', 'nic:1'],
    ['nic:1'],
  ]);
});

test('a live update that failed tells what was written and what was not', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active');
  const updates = [bios, bmc, nic];
  const made = await fail(bench, 'one', { updates, reason: failureOf(bmc) });
  assert.deepEqual(made, { settings: {}, updates: [bios], left: { settings: {}, updates: [bmc, nic] } });
});

test('a live update that was broken off tells what was written and what was not', async (t) => {
  const bench = await createTestBench(t);
  const [updates, settings] = [[bios, bmc], { ProcTurboMode: 'Disabled' }];
  const versions = { bios: '1.0.0', bmc: bench.bmc.firmware.get('bmc') };
  const note = { ticket: 'one', since: 'active since ever', settings, updates, made: [], versions };
  await bench.node('service wait', { extra: { rackwright_service: note }, target_provision_state: 'active' });
  bench.bmc.firmware.set('bios', '1.1.0');
  const told = await bench.drive.done(() => bench.at().service({ ticket: 'one', isSpecified: false }));
  assert.deepEqual(told, { settings: {}, updates: [bios], left: { settings, updates: [bmc] } });
});

test('each component has a step of its own, in order, after the settings', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active');
  const order = { ticket: 'one', isSpecified: true, settings: { ProcTurboMode: 'Disabled' }, updates: [bios, bmc] };
  await bench.at().service(order);
  const { body } = bench.changes().find(({ line }) => line.endsWith('/states/provision')) ?? {};
  assert.deepEqual((body as { service_steps: unknown }).service_steps, [
    {
      interface: 'bios',
      step: 'apply_configuration',
      args: { settings: [{ name: 'ProcTurboMode', value: 'Disabled' }] },
    },
    { interface: 'firmware', step: 'update', args: { settings: [bios] } },
    { interface: 'firmware', step: 'update', args: { settings: [bmc] } },
  ]);
});

test('where the reason names no image, a version that is another since tells what was written', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active');
  const updates = [bios, bmc];
  await fail(bench, 'one', { updates, reason: 'By request, the service operation was aborted' });
  await fail(bench, 'two', { updates, reason: 'By request, the service operation was aborted' });
  bench.bmc.firmware.set('bios', '1.1.0');
  await bench.drive.done(() => bench.at().service({ ticket: 'three', isSpecified: true, updates }));
  assert.deepEqual(writtenBy(bench), [['bios', 'bmc'], ['bios', 'bmc'], ['bmc']]);
});

test('another image for a component that was written is written', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active');
  await fail(bench, 'one', { updates: [bios, bmc], reason: failureOf(bmc) });
  const other = { ...bios, url: 'http://files/bios-1.2.0' };
  await fail(bench, 'two', { updates: [other, bmc], reason: failureOf(other) });
  await bench.drive.done(() => bench.at().service({ ticket: 'three', isSpecified: true, updates: [bios, bmc] }));
  assert.deepEqual(writtenBy(bench), [
    ['bios', 'bmc'],
    ['bios', 'bmc'],
    ['bios', 'bmc'],
  ]);
});

test('once what failed is not wanted any more nothing is written, and what was is told', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active');
  await fail(bench, 'one', { updates: [bios, bmc], reason: failureOf(bmc) });
  bench.changes();
  const order = { ticket: 'two', isSpecified: true, updates: [bios] };
  assert.deepEqual(await bench.drive.done(() => bench.at().service(order)), { settings: {}, updates: [bios] });
  assert.deepEqual(targetsOf(bench.changes()), ['abort']);
  assert.equal(bench.ironic.node(name).provision_state, 'active');
});

test('a preparation that fails again and again writes what went well once only', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('manageable');
  const updates = [bios, bmc];
  for (const isRetry of [false, true, true]) {
    bench.ironic.api.fail(name, { target: 'clean', reason: failureOf(bmc) });
    const outcome = await bench.drive.until(({ hasStarted }) =>
      bench.at().prepare({ isRetry: isRetry && !hasStarted, isWanted: !hasStarted, updates }),
    );
    assert.equal(outcome.kind, 'failed');
  }
  assert.deepEqual(writtenBy(bench), [['bios', 'bmc'], ['bmc'], ['bmc']]);
  await bench.drive.done(({ hasStarted }) =>
    bench.at().prepare({ isRetry: !hasStarted, isWanted: !hasStarted, ...(hasStarted ? {} : { updates: [bios] }) }),
  );
  assert.deepEqual(targetsOf(bench.changes()), ['manage', 'provide']);
});
