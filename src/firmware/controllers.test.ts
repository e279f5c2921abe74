import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Firmware, ServerFirmware, ServerFirmwareGroup } from '../api/index.ts';
import { createMetrics } from '../telemetry/index.ts';
import { compareVersions } from './compare-versions.ts';
import { discoveryTable } from './discovery/discovery-table.ts';
import { loadFleet } from './fleet/load-fleet.ts';
import { decideMember } from './group/decide-member.ts';
import { readMemberSeen } from './group/member-controller.ts';
import { decideServer } from './server/decide-server.ts';
import { readServerSeen } from './server/read-server.ts';
import { serverTable } from './server/server-table.ts';
import { defaultFirmwareSettings } from './settings.ts';
import { createFakeUpdateService, fakeStore } from './testing/fake-update-service.ts';
import {
  type ApiRig,
  conditionIn,
  fw,
  putFirmware,
  putGroup,
  putServer,
  startApi,
  startControllers,
  until,
} from './testing/rig.ts';

async function setUp(t: TestContext): Promise<ApiRig> {
  const api = await startApi();
  t.after(() => api.close());
  return api;
}

const isUpToDate = (each: ServerFirmware): boolean => conditionIn(each, 'UpToDate')?.status === 'True';

test('label servers into groups, change a version: every server converges, counts are right, overrides win, a deleted group takes its entries back', async (t) => {
  const api = await setUp(t);
  const service = createFakeUpdateService();
  service.isInstant = true;
  const rig = await startControllers(api, { service, isOnboarding: true });
  t.after(() => rig.stop());
  const names = Array.from({ length: 12 }, (_, index) => `s${index}`);
  for (const [index, name] of names.entries()) {
    const isDell = index % 3 === 0;
    const hardware = isDell ? { manufacturer: 'Dell Inc.', model: 'R750' } : { manufacturer: 'Lenovo', model: '7x21' };
    service.installed.set(name, [fw('ssd', '1.0'), fw('nic', '1.0')]);
    await putServer(api, name, { labels: { group: isDell ? 'dells' : 'lenovos' }, status: hardware });
  }
  for (const name of names) {
    await until(api.firmwares, name, (each) => conditionIn(each, 'UpToDate')?.reason === 'NoTarget');
  }
  const mine = [fw('ssd', '1.5')];
  await api.firmwares.apply({ metadata: { name: 's1' }, spec: { firmwares: mine } } as never, { fieldManager: 'user' });
  await putGroup(api, 'dells', { manufacturer: 'Dell', model: 'R750', firmwares: [fw('nic', '2.0')] });
  await putGroup(api, 'lenovos', { firmwares: [fw('ssd', '2.0'), fw('nic', '2.0')] });
  const counted = (name: string, servers: number) =>
    until(api.groups, name, ({ status }) => status?.updatesApplied === servers && status.serversInGroup === servers);
  await counted('dells', 4);
  await counted('lenovos', 8);
  await api.groups.patch({ name: 'lenovos' }, { type: 'merge', body: { spec: { firmwares: [fw('ssd', '3.0')] } } });
  const has = (list: readonly Firmware[] | undefined, name: string): string | undefined =>
    list?.find((each) => each.name === name)?.version;
  for (const name of names.filter((_, index) => index % 3 !== 0)) {
    const wanted = name === 's1' ? '1.5' : '3.0';
    await until(
      api.firmwares,
      name,
      (each) =>
        has(each.status?.firmwares, 'ssd') === wanted &&
        isUpToDate(each) &&
        has(each.spec.firmwares, 'nic') === undefined,
    );
  }
  const group = await counted('lenovos', 8);
  // Whoever lists once and decides sees what the controllers see: nothing to do.
  const { fleet } = await loadFleet(api.client);
  const reading = { compare: compareVersions, settings: defaultFirmwareSettings };
  for (const name of names) {
    const seen = readServerSeen(fleet, name, reading) ?? assert.fail(`${name} is not there`);
    assert.deepEqual(decideServer(seen, Date.now()).effects, []);
    assert.deepEqual(decideMember(readMemberSeen(fleet, name) ?? assert.fail()).effects, []);
  }
  assert.equal(conditionIn(group, 'Ready')?.status, 'True');
  await api.groups.delete({ name: 'lenovos' });
  await until(api.firmwares, 's2', ({ spec }) => (spec.firmwares ?? []).length === 0);
  const kept = await until(
    api.firmwares,
    's1',
    ({ metadata }) => metadata.annotations?.['metal.ironcore.dev/firmware-group'] === undefined,
  );
  const versions = kept.spec.firmwares?.map(({ name, manufacturer, version }) => fw(name, version, manufacturer));
  assert.deepEqual(versions, mine);
  // One model each was found, and discovery ran once for it.
  assert.equal(service.asked.filter(({ kind }) => kind === 'discover').length, 2);
});

test('D6: a server is scanned again when its threshold passes, with nothing else to wake it', async (t) => {
  const api = await setUp(t);
  const service = createFakeUpdateService();
  service.isInstant = true;
  await putServer(api, 's1');
  await putFirmware(api, 's1', { spec: { scanThreshold: '1s' } });
  const rig = await startControllers(api, { service });
  t.after(() => rig.stop());
  const { status } = await until(api.firmwares, 's1', (each) => each.status?.lastScanTime !== undefined);
  await until(api.firmwares, 's1', (each) => (each.status?.lastScanTime ?? '') > (status?.lastScanTime ?? ''));
  assert.deepEqual([...new Set(service.asked.map(({ kind }) => kind))], ['scan']);
});

test('a version that breaks servers halts its group, a retry lets it go on', async (t) => {
  const api = await setUp(t);
  const service = createFakeUpdateService();
  service.isInstant = true;
  const settings = { gatherMs: 5, retryFromMs: 1, retryToMs: 1, maxAttempts: 2 };
  const rig = await startControllers(api, { service, settings });
  t.after(() => rig.stop());
  const names = ['s0', 's1', 's2', 's3'];
  for (const name of names) {
    service.installed.set(name, [fw('ssd', '1.0')]);
    if (name !== 's3') service.broken.add(name);
    await putServer(api, name);
    await putFirmware(api, name, { labels: { group: 'g' } });
  }
  await putGroup(api, 'g', { firmwares: [fw('ssd', '2.0')] });
  const halted = await until(api.groups, 'g', (each) => conditionIn(each, 'Halted')?.status === 'True');
  assert.match(conditionIn(halted, 'Halted')?.message ?? '', /s0, s1, s2/);
  assert.equal(
    (halted.status?.updatesApplied ?? 0) + (halted.status?.updatesNotApplied ?? 0),
    halted.status?.serversInGroup,
  );
  const stalled = await until(api.firmwares, 's0', (each) => conditionIn(each, 'Stalled')?.status === 'True');
  assert.equal(stalled.status?.attempts?.failed, 2);
  // A server that joins now is left as it is.
  await putServer(api, 's4');
  service.installed.set('s4', [fw('ssd', '1.0')]);
  await putFirmware(api, 's4', { labels: { group: 'g' } });
  await until(api.firmwares, 's4', ({ status }) => status?.lastScanTime !== undefined);
  await until(api.groups, 'g', ({ status }) => status?.serversInGroup === 5);
  assert.equal((await api.firmwares.get({ name: 's4' })).spec.firmwares, undefined);
  service.broken.clear();
  const retry = { metadata: { annotations: { 'metal.ironcore.dev/operation': 'retry' } } };
  await api.groups.patch({ name: 'g' }, { type: 'merge', body: retry });
  const done = await until(api.groups, 'g', ({ status }) => status?.updatesApplied === 5);
  assert.equal(conditionIn(done, 'Halted')?.status, 'False');
  assert.equal(done.metadata.annotations?.['metal.ironcore.dev/operation'], undefined);
});

test('a halted group that is paused and goes on sends its version to nobody else, and another version to all', async (t) => {
  const api = await setUp(t);
  const service = createFakeUpdateService();
  service.isInstant = true;
  const settings = { gatherMs: 5, retryFromMs: 1, retryToMs: 1, maxAttempts: 1 };
  const rig = await startControllers(api, { service, settings });
  t.after(() => rig.stop());
  const [broken, others] = [
    ['s0', 's1', 's2'],
    ['s3', 's4', 's5', 's6'],
  ];
  const add = async (name: string): Promise<void> => {
    service.installed.set(name, [fw('ssd', '1.0')]);
    service.broken.add(name);
    await putServer(api, name);
    await putFirmware(api, name, { labels: { group: 'g' } });
  };
  for (const name of broken) await add(name);
  await putGroup(api, 'g', { firmwares: [fw('ssd', '2.0')] });
  const isHalted = (each: ServerFirmwareGroup): boolean => conditionIn(each, 'Halted')?.status === 'True';
  await until(api.groups, 'g', isHalted);
  for (const name of others) await add(name);
  await until(api.groups, 'g', ({ status }) => status?.serversInGroup === 7);
  for (const spec of [{ paused: true }, { paused: false }]) {
    const { metadata } = await api.groups.patch({ name: 'g' }, { type: 'merge', body: { spec } });
    const judged = await until(api.groups, 'g', ({ status }) => status?.observedGeneration === metadata.generation);
    assert.equal(isHalted(judged), true);
  }
  service.broken.clear();
  const spec = { firmwares: [fw('ssd', '2.1')] };
  await api.groups.patch({ name: 'g' }, { type: 'merge', body: { spec } });
  await until(api.groups, 'g', ({ status }) => status?.updatesApplied === 7);
  const sentTo = (version: string): string[] =>
    service.asked.flatMap((each) =>
      each.kind === 'update' && each.request.firmwares.some((one) => one.version === version)
        ? [each.request.server.name]
        : [],
    );
  assert.deepEqual(sentTo('2.0').toSorted(), broken);
  assert.deepEqual(sentTo('2.1').toSorted(), [...broken, ...others]);
});

test('a refused request is told with its reason and asked for again', async (t) => {
  const api = await setUp(t);
  const service = createFakeUpdateService();
  service.installed.set('s1', [fw('ssd', '1.0')]);
  service.isInstant = true;
  const outcomes = [
    { kind: 'resource-exhausted', message: 'the queue is full', retryAfterMs: 1 },
    { kind: 'refused', code: 'InvalidRequest', message: 'no' },
    { kind: 'unavailable', message: 'nobody answers' },
  ] as const;
  let refusals = 0;
  service.answer = ({ kind }) => (kind === 'update' ? outcomes[refusals++] : undefined);
  const rig = await startControllers(api, { service });
  t.after(() => rig.stop());
  await putServer(api, 's1');
  await putFirmware(api, 's1', { spec: { firmwares: [fw('ssd', '2.0')] } });
  await until(api.firmwares, 's1', isUpToDate);
  assert.equal(refusals, 4);
});

test('what is in no catalogue makes no job, says so, and is asked for again when discovery finds something', async (t) => {
  const api = await setUp(t);
  const service = createFakeUpdateService();
  service.installed.set('s1', [fw('ssd', '1.0')]);
  service.isInstant = true;
  service.answer = ({ kind }) =>
    kind === 'update' ? { kind: 'firmware-not-found', message: 'ssd 2.0 is in no catalogue' } : undefined;
  const rig = await startControllers(api, { service });
  t.after(() => rig.stop());
  await putServer(api, 's1');
  await putFirmware(api, 's1', { spec: { firmwares: [fw('ssd', '2.0')] } });
  const waiting = await until(
    api.firmwares,
    's1',
    (each) => conditionIn(each, 'Progressing')?.reason === 'FirmwareNotFound',
  );
  assert.equal(conditionIn(waiting, 'UpToDate')?.reason, 'FirmwareNotFound');
  assert.equal(
    conditionIn(waiting, 'Progressing')?.message,
    'Not done: ssd 2.0 is in no catalogue. Tried again every 600 s.',
  );
  service.answer = undefined;
  const spec = { manufacturer: 'Lenovo', model: '7x21', discoveryInterval: '24h', versionsToStore: 3 };
  await api.discovered.create({
    apiVersion: 'metal.ironcore.dev/v1alpha1',
    kind: 'DiscoveredFirmware',
    metadata: { name: 'd' },
    spec,
  });
  await until(api.firmwares, 's1', isUpToDate);
  const found = await api.discovered.get({ name: 'd' });
  assert.deepEqual(found.status?.firmwares, [
    { name: 'nic', manufacturer: 'Intel', version: ['2', '3', '4'], versions: ['2', '3', '4'] },
  ]);
});

test('controllers that start again send nothing twice and lose nothing', async (t) => {
  const api = await setUp(t);
  const service = createFakeUpdateService();
  await putServer(api, 's1');
  await putFirmware(api, 's1', { labels: { group: 'g' } });
  const first = await startControllers(api, { service });
  await until(api.firmwares, 's1', ({ status }) => status?.request !== undefined);
  await first.stop();
  await putGroup(api, 'g', { firmwares: [fw('ssd', '2.0')] });
  service.installed.set('s1', [fw('ssd', '1.0')]);
  const second = await startControllers(api, { service });
  t.after(() => second.stop());
  await until(api.firmwares, 's1', ({ spec }) => spec.firmwares?.length === 1);
  assert.deepEqual(
    service.asked.map(({ kind }) => kind),
    ['scan'],
  );
  await service.finish(service.asked[0] ?? assert.fail());
  await until(api.firmwares, 's1', ({ status }) => status?.request?.kind === 'Update');
  assert.deepEqual(
    service.asked.map(({ kind }) => kind),
    ['scan', 'update'],
  );
  await service.finish(service.asked[1] ?? assert.fail());
  await until(api.firmwares, 's1', isUpToDate);
  // Told again, and told late: both are dropped.
  const late = { kind: 'Scan', conditionId: 'old', store: fakeStore, at: 0, installed: [] } as const;
  const report = { ...late, server: 's1' };
  assert.equal(await second.controllers.reports.server({ ...report, sequence: 1 }), 'stale');
  assert.equal(await second.controllers.reports.server({ ...report, sequence: 2 }), 'stale');
  assert.equal(await second.controllers.reports.server({ ...report, server: 'nobody', sequence: 9 }), 'no-object');
});

test('objects are counted by the states of their tables, and by none once nobody decides about them', async (t) => {
  const api = await setUp(t);
  const service = createFakeUpdateService();
  const metrics = createMetrics();
  const rig = await startControllers(api, { service, metrics });
  t.after(() => rig.stop());
  await putServer(api, 's1');
  await putFirmware(api, 's1', { labels: { group: 'g' } });
  await putFirmware(api, 'nowhere');
  await putGroup(api, 'g', { paused: true });
  const isInert = (each: ServerFirmware): boolean => conditionIn(each, 'Progressing')?.reason === 'ServerNotFound';
  await until(api.firmwares, 'nowhere', isInert);
  await until(api.firmwares, 's1', ({ status }) => status?.request !== undefined);
  await until(api.groups, 'g', (each) => conditionIn(each, 'Paused')?.status === 'True');
  const count = async (machine: string, state: string): Promise<string | undefined> =>
    new RegExp(`^rackwright_state_objects\\{machine="${machine}",state="${state}"\\} (.*)$`, 'm').exec(
      await metrics.expose(),
    )?.[1];
  const counts = (machine: string, states: readonly string[]) =>
    Promise.all(states.map((state) => count(machine, state)));
  assert.deepEqual(await counts('ServerFirmware', serverTable.states), ['0', '0', '1', '0', '0', '0', '1']);
  assert.deepEqual(await counts('ServerFirmwareGroup', ['Active', 'Paused']), ['0', '1']);
  assert.deepEqual(await counts('DiscoveredFirmware', discoveryTable.states), ['0', '0', '0', '0']);
  await rig.controllers.stop();
  assert.deepEqual(await counts('ServerFirmware', ['Scanning', 'Inert']), ['0', '0']);
});
