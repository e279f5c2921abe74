import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type BMC, ironcoreApiVersion, type ServerFirmware } from '../../api/index.ts';
import type { KubeClient } from '../../kube/index.ts';
import { createFakeUpdateService, type FakeUpdateService } from '../testing/fake-update-service.ts';
import {
  type ApiRig,
  type ControllerRig,
  conditionIn,
  fw,
  putFirmware,
  putGroup,
  putServer,
  startApi,
  startControllers,
  until,
} from '../testing/rig.ts';

const isAsking =
  (kind: string) =>
  ({ status }: ServerFirmware): boolean =>
    status?.request?.kind === kind && status.request.jobID !== 'unsent';

interface Waiting {
  readonly api: ApiRig;
  readonly service: FakeUpdateService;
  readonly rig: ControllerRig;
  /** The update that waits its turn. */
  readonly jobId: string;
}

/** A server of the group g with an update that waits its turn. */
async function queueUpdate(t: TestContext, through = (client: KubeClient): KubeClient => client): Promise<Waiting> {
  const api = await startApi();
  t.after(() => api.close());
  const service = createFakeUpdateService();
  service.installed.set('foo', [fw('ssd', '1.0')]);
  const rig = await startControllers(api, { service, client: through(await api.connect()) });
  t.after(() => rig.stop());
  await putServer(api, 'foo');
  await putFirmware(api, 'foo', { labels: { group: 'g' } });
  await putGroup(api, 'g', { firmwares: [fw('ssd', '2.0')] });
  await until(api.firmwares, 'foo', (each) => isAsking('Scan')(each) && each.spec.firmwares?.length === 1);
  await service.finish(service.open()[0] ?? assert.fail('no scan is open'));
  const { status } = await until(api.firmwares, 'foo', isAsking('Update'));
  return { api, service, rig, jobId: status?.request?.jobID ?? '' };
}

/** Resolves when the update was taken back; fails that often before. */
function failWithdrawals(service: FakeUpdateService, times: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let left = times;
  service.withdraw = async ({ jobId }) => {
    if (left-- > 0) throw new Error('connection refused');
    resolve(jobId);
    return 'withdrawn';
  };
  return promise;
}

const changes: Record<string, (api: ApiRig) => Promise<unknown>> = {
  'group is paused': ({ groups }) => groups.patch({ name: 'g' }, { type: 'merge', body: { spec: { paused: true } } }),
  'group is deleted': ({ groups }) => groups.delete({ name: 'g' }),
};

for (const [what, change] of Object.entries(changes)) {
  test(`an update that cannot be taken back when its ${what} stays known, is told of, and is taken back later`, async (t) => {
    const { api, service, jobId } = await queueUpdate(t);
    const withdrawn = failWithdrawals(service, 3);
    const isTold = (each: ServerFirmware): boolean =>
      conditionIn(each, 'Progressing')?.reason === 'UpdateServiceUnavailable';
    const told = until(api.firmwares, 'foo', isTold);
    await change(api);
    assert.equal((await told).status?.request?.jobID, jobId);
    assert.match(conditionIn(await told, 'Progressing')?.message ?? '', /taken back: connection refused/);
    assert.equal(await withdrawn, jobId);
  });
}

test('an update that is under way stays known when the server cannot be told its BIOS', async (t) => {
  let isRefusing = false;
  const refuse = (client: KubeClient): KubeClient =>
    override(client, {
      resource: (ref) => {
        const real = client.resource(ref);
        const patch: typeof real.status.patch = async (...call) => {
          if (isRefusing && ref.resource === 'servers') throw new Error('the API server is out of order');
          return real.status.patch(...call);
        };
        return override(real, { status: override(real.status, { patch }) }) as never;
      },
    });
  const { api, rig, jobId } = await queueUpdate(t, refuse);
  isRefusing = true;
  const installed = [fw('ssd', '1.0'), fw('bios', '7', 'Lenovo')];
  const report = {
    server: 'foo',
    kind: 'Scan',
    conditionId: 'another',
    store: 'the-store',
    sequence: 99,
    at: Date.now(),
    installed,
  } as const;
  await rig.controllers.reports.server(report);
  const isTold = (each: ServerFirmware): boolean =>
    /out of order/.test(conditionIn(each, 'Progressing')?.message ?? '');
  const told = await until(api.firmwares, 'foo', isTold);
  assert.equal(told.status?.request?.jobID, jobId);
});

const merge = (body: object) => ({ type: 'merge', body }) as const;
const leavings: Record<string, (api: ApiRig) => Promise<unknown>> = {
  'the server is opted out': ({ servers }) =>
    servers.patch({ name: 'foo' }, merge({ metadata: { labels: { 'metal.ironcore.dev/exclude': 'true' } } })),
  'the server is parked': ({ servers }) =>
    servers.patch({ name: 'foo' }, merge({ metadata: { annotations: { 'metal.ironcore.dev/parked': 'true' } } })),
  'its BMC is opted out': async ({ bmcs, servers }) => {
    await servers.patch({ name: 'foo' }, merge({ spec: { bmcRef: { name: 'b' } } }));
    const spec = { access: { ip: '192.0.2.1' }, bmcSecretRef: { name: 'b' }, protocol: { name: 'Redfish', port: 443 } };
    await bmcs.create({ apiVersion: ironcoreApiVersion, kind: 'BMC', metadata: { name: 'b' }, spec } as BMC);
    await bmcs.patch({ name: 'b' }, merge({ metadata: { labels: { 'metal.ironcore.dev/exclude': 'true' } } }));
  },
  'the server is deleted': ({ servers }) => servers.delete({ name: 'foo' }),
  'its object is deleted': ({ firmwares }) => firmwares.delete({ name: 'foo' }),
};

for (const [what, leave] of Object.entries(leavings)) {
  test(`an update that waits its turn is taken back when ${what}`, async (t) => {
    const { api, service, jobId } = await queueUpdate(t);
    const withdrawn = failWithdrawals(service, 0);
    await leave(api);
    assert.equal(await withdrawn, jobId);
  });
}

test('an object that is deleted while nobody works stays until its update is taken back, and then goes', async (t) => {
  const { api, service, rig, jobId } = await queueUpdate(t);
  await rig.stop();
  await api.firmwares.delete({ name: 'foo' });
  const withdrawn = failWithdrawals(service, 1);
  const next = await startControllers(api, { service });
  t.after(() => next.stop());
  assert.equal(await withdrawn, jobId);
  await untilGone(api);
});

test('an object that is deleted while nothing is asked for goes at once', async (t) => {
  const { api, service, jobId } = await queueUpdate(t);
  await service.finish(service.open()[0] ?? assert.fail('no update is open'));
  await until(api.firmwares, 'foo', (each) => conditionIn(each, 'UpToDate')?.status === 'True');
  await api.firmwares.delete({ name: 'foo' });
  await untilGone(api);
  assert.equal(service.withdrawn.includes(jobId), false);
});

async function untilGone({ firmwares }: ApiRig): Promise<void> {
  const { items, resourceVersion } = await firmwares.list();
  if (items.length === 0) return;
  const from = { resourceVersion, signal: AbortSignal.timeout(120_000) };
  for await (const { type } of firmwares.watch(from)) {
    if (type === 'DELETED') return;
  }
  assert.fail('it did not go');
}

/** An object with other members in place of some of its own. */
function override<T extends object>(object: T, members: Partial<T>): T {
  return new Proxy(object, {
    get(target, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
