import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BmcError, type BmcIdentity, connectBmc, type GateLane, type JsonObject } from '../bmc/index.ts';
import { createFakeClock } from '../kube/index.ts';
import { isFlasherError } from './errors.ts';
import { createMachineGuard } from './machine-guard.ts';

const [one, two] = ['0a1b2c3d-1111-4222-8333-444455556666', '99999999-1111-4222-8333-444455556666'];
const read = { method: 'GET' } as const;
const write = { method: 'POST' } as const;
const isOther = (error: unknown): boolean => isFlasherError(error, 'otherMachine');

/** A guard before a BMC that answers from resources by path, which a test may change. */
function guarded(systems: Readonly<Record<string, JsonObject>>, about: { uuid: string; systemPath?: string }) {
  const origin = 'https://bmc.test';
  const tree = new Map<string, JsonObject | 'timeout'>([['/redfish/v1/', {}]]);
  const link = (id: string) => ({ '@odata.id': `/redfish/v1/Systems/${id}` });
  for (const [id, body] of Object.entries(systems)) tree.set(`/redfish/v1/Systems/${id}`, { ...link(id), ...body });
  tree.set('/redfish/v1/Systems', { Members: Object.keys(systems).map(link) });
  const asked: string[] = [];
  const request: GateLane['request'] = async ({ path }) => {
    asked.push(path);
    const body = tree.get(path);
    if (body === undefined) throw new BmcError('notFound', { origin, path }, { status: 404 });
    if (body === 'timeout') throw new BmcError('timeout', { origin, method: 'GET', path, ms: 1 });
    return { status: 200, headers: {}, body, etag: undefined };
  };
  const lane = { origin, request } as unknown as GateLane;
  const clock = createFakeClock();
  const endpoint = {
    origin,
    trust: { kind: 'system' as const, allowsHttp: true },
    credentials: async () => assert.fail('nobody logs in'),
  };
  const gates = { open: () => lane, states: [], close: async () => {} };
  const { systemPath } = about;
  const bmc = connectBmc({ gates, endpoint, clock, ...(systemPath === undefined ? {} : { systemPath }) });
  const identified: BmcIdentity[] = [];
  let refusal: Error | undefined;
  const identify = async (identity: BmcIdentity): Promise<void> => {
    if (refusal !== undefined) throw refusal;
    identified.push(identity);
  };
  const refuse = (error: Error): void => {
    refusal = error;
  };
  const guard = createMachineGuard({ known: { uuid: about.uuid }, target: 'server/1', bmc, identify });
  return { guard, tree, asked, clock, identified, refuse };
}

test('of several systems behind a BMC the named one counts', async () => {
  const systems = { a: { UUID: one }, b: { UUID: two } };
  const right = guarded(systems, { uuid: two, systemPath: '/redfish/v1/Systems/b' });
  await right.guard.admit(write);
  const wrong = guarded(systems, { uuid: two, systemPath: '/redfish/v1/Systems/a' });
  await assert.rejects(wrong.guard.admit(write), isOther);
});

test('a BMC of several systems, none of which is named, does not say which machine is meant', async () => {
  const { guard } = guarded({ a: { UUID: one }, b: { UUID: one } }, { uuid: two });
  await guard.admit(read);
  await guard.admit(write);
});

test('a system that is not shown yet lets be read, and nothing be written', async () => {
  const systemPath = '/redfish/v1/Systems/a';
  const { guard, tree } = guarded({}, { uuid: one, systemPath });
  await guard.admit(read);
  await assert.rejects(guard.admit(write), { code: 'notFound' });
  tree.set(systemPath, { UUID: two });
  await assert.rejects(guard.admit(read), isOther);
});

test('a BMC that does not answer is no other machine, and is asked again', async () => {
  const systemPath = '/redfish/v1/Systems/a';
  const { guard, tree } = guarded({ a: {} }, { uuid: one, systemPath });
  tree.set(systemPath, 'timeout');
  await assert.rejects(guard.admit(read), { code: 'timeout' });
  tree.set(systemPath, { UUID: one });
  await guard.admit(read);
});

test('it is looked once for reads, anew for a write after a while, and never for the root', async () => {
  const systemPath = '/redfish/v1/Systems/a';
  const { guard, asked, clock, tree, identified } = guarded({ a: { UUID: one } }, { uuid: one, systemPath });
  await guard.admit({ method: 'GET', isPublic: true });
  assert.deepEqual(asked, []);
  await Promise.all([guard.admit(read), guard.admit(write), guard.admit(read)]);
  clock.advance(4000);
  await guard.admit(write);
  clock.advance(60_000);
  await guard.admit(read);
  // The root and the list of systems once, to know what else is behind the BMC.
  assert.deepEqual(asked, [systemPath, '/redfish/v1/', '/redfish/v1/Systems']);
  clock.advance(6000);
  await guard.admit(write);
  assert.deepEqual(asked.slice(3), [systemPath]);
  assert.deepEqual(identified, [{ system: { uuid: one }, systems: [{ uuid: one }] }]);
  clock.advance(6000);
  tree.set(systemPath, { UUID: two });
  await assert.rejects(guard.admit(write), isOther);
  // From then on nobody is asked any more.
  const before = asked.length;
  await assert.rejects(guard.admit(read), isOther);
  assert.equal(asked.length, before);
});

test('what a BMC says of itself is handed on before the first request: every system behind it', async () => {
  const systems = { a: { UUID: one, SerialNumber: 'S1' }, b: { UUID: two, SerialNumber: 'Not Specified' } };
  const named = guarded(systems, { uuid: two, systemPath: '/redfish/v1/Systems/b' });
  await named.guard.admit(read);
  assert.deepEqual(named.identified, [
    { system: { uuid: two }, systems: [{ uuid: two }, { uuid: one, serial: 'S1' }] },
  ]);
  const unnamed = guarded(systems, { uuid: two });
  await unnamed.guard.admit(read);
  assert.deepEqual(unnamed.identified, [{ systems: [{ uuid: one, serial: 'S1' }, { uuid: two }] }]);
});

test('a machine that takes the place of one of which nothing is known is told before anything is written to it', async () => {
  const systemPath = '/redfish/v1/Systems/a';
  const { guard, clock, tree, identified } = guarded({ a: { UUID: one } }, { uuid: '', systemPath });
  await guard.admit(write);
  tree.set(systemPath, { UUID: two });
  clock.advance(6000);
  await guard.admit(write);
  assert.deepEqual(
    identified.map(({ system }) => system?.uuid),
    [one, two],
  );
});

test('nothing is sent while work behind the same BMC has to end first', async () => {
  const { guard, refuse } = guarded({ a: { UUID: one } }, { uuid: one, systemPath: '/redfish/v1/Systems/a' });
  refuse(new Error('the lease is lost'));
  await assert.rejects(guard.admit(read), /lease is lost/);
  await assert.rejects(guard.admit(write), /lease is lost/);
});
