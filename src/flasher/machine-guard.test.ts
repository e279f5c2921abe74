import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BmcError, connectBmc, type GateLane, type JsonObject } from '../bmc/index.ts';
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
    trust: { kind: 'system' as const },
    credentials: async () => assert.fail('nobody logs in'),
  };
  const gates = { open: () => lane, states: [], close: async () => {} };
  const { systemPath } = about;
  const bmc = connectBmc({ gates, endpoint, clock, ...(systemPath === undefined ? {} : { systemPath }) });
  return { guard: createMachineGuard({ known: { uuid: about.uuid }, target: 'server/1', bmc }), tree, asked, clock };
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
  const { guard, asked, clock, tree } = guarded({ a: { UUID: one } }, { uuid: one, systemPath });
  await guard.admit({ method: 'GET', isPublic: true });
  assert.deepEqual(asked, []);
  await Promise.all([guard.admit(read), guard.admit(write), guard.admit(read)]);
  clock.advance(4000);
  await guard.admit(write);
  clock.advance(60_000);
  await guard.admit(read);
  assert.deepEqual(asked, [systemPath]);
  tree.set(systemPath, { UUID: two });
  await assert.rejects(guard.admit(write), isOther);
  // From then on nobody is asked any more.
  const before = asked.length;
  await assert.rejects(guard.admit(read), isOther);
  assert.equal(asked.length, before);
});
