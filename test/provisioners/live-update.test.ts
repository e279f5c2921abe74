import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { metal3ApiVersion } from '../../src/api/index.ts';
import { openEngineExternalWork } from '../../src/cli/hosts/engine-external-work.ts';
import { type Condition, type ConditionOrder, targetOf } from '../../src/engine/index.ts';
import {
  fleet,
  type HostApi,
  type HostRig,
  putSecret,
  startHostApi,
  startHostRig,
  until,
  untilGone,
} from '../../src/hosts/testing/rig.ts';
import { systemClock } from '../../src/kube/index.ts';
import { silentLogger } from '../../src/telemetry/index.ts';
import { type RedfishRig, startRedfishRig } from './redfish-rig.ts';

const name = 'native';
const key = { namespace: fleet, name };
const reboot = { type: 'merge', body: { metadata: { annotations: { 'reboot.metal3.io': '' } } } } as const;

/** What a BMC is asked for where the system does not shut down in time. */
const hung: readonly string[] = ['GracefulShutdown', 'ForceOff', 'On'];

describe('a BareMetalHost without an Ironic', () => {
  let api: HostApi;
  let machine: RedfishRig;
  let rig: HostRig;
  before(async () => {
    machine = await startRedfishRig('dell-idrac9', { pollMs: 100 });
    api = await startHostApi();
    // The same lock as in the whole program: a host in use is disturbed by nobody but its live update.
    const openExternalWork = () =>
      openEngineExternalWork({ engine: machine.engine, clock: systemClock, logger: silentLogger });
    rig = await startHostRig(api, { provisioners: machine.provisioners, openExternalWork });
  });
  after(async () => {
    await rig.stop();
    await api.close();
    await machine.close();
  });

  const waits = () =>
    until(api.hosts, name, ({ status }) =>
      (status?.conditions ?? []).some(({ reason }) => reason === 'WaitsForReboot'),
    );
  const serviced = (after: string) =>
    until(api.hosts, name, ({ status }) => {
      const { start, end } = status?.operationHistory?.service ?? {};
      return (end ?? null) !== null && (start ?? '') >= after && status?.operationalStatus === 'OK';
    });

  /** What a host said of itself since then, up to the end of a live update. */
  const statusesSince = async (resourceVersion: string): Promise<string[]> => {
    const seen: string[] = [];
    for await (const event of api.hosts.watch({ namespace: fleet, resourceVersion })) {
      if (event.type === 'BOOKMARK') continue;
      const said = event.object.status?.operationalStatus ?? '';
      if (said !== seen.at(-1)) seen.push(said);
      if (said === 'OK' && seen.includes('servicing')) break;
    }
    return seen;
  };

  /** Work that somebody asks for past the host, and how it waits. */
  const askElsewhere = async (order: ConditionOrder = { kind: 'powerCycleHard', parameters: {} }) => {
    const { status } = await api.hosts.get(key);
    const orders = [order];
    const target = targetOf(status?.provisioning.ID ?? '');
    const created = await machine.engine.create({ target, orders, client: 'another door' });
    assert.ok(created.outcome === 'created');
    const [condition] = created.conditions;
    assert.ok(condition);
    return condition;
  };

  let others: Condition[] = [];
  const othersWait = async (): Promise<void> => {
    for (const { id } of others) {
      const seen = await machine.engine.get(id);
      assert.deepEqual([seen?.kind, seen?.state, seen?.reason?.code], [seen?.kind, 'pending', 'HostInUse']);
    }
  };
  /** What its BMC was asked to do with its power since then. */
  const resetsSince = (at: number): string[] =>
    machine.bmc.machine.log.events
      .slice(at)
      .flatMap(({ event, detail }) => (event === 'power.reset' ? [/type=(\w+)/.exec(detail ?? '')?.[1] ?? ''] : []));
  const flashes = (): number =>
    machine.bmc.machine.log.events.filter(({ event }) => event === 'update.flash-begin').length;

  it('is registered, inspected by its BMC and runs a live ISO', async () => {
    const { bmc, bootMacAddress } = machine.host;
    await putSecret(api, 'native-bmc', { ...bmc.credentials });
    await api.hosts.create({
      apiVersion: metal3ApiVersion,
      kind: 'BareMetalHost',
      metadata: key,
      spec: {
        online: true,
        bmc: { address: bmc.address, credentialsName: 'native-bmc' },
        ...(bootMacAddress === undefined ? {} : { bootMACAddress: bootMacAddress }),
        image: { url: 'http://127.0.0.1:9/live.iso', format: 'live-iso' },
      },
    });
    const host = await until(api.hosts, name, ({ status }) => status?.provisioning.state === 'provisioned');
    assert.equal(host.status?.hardware?.systemVendor?.serialNumber, machine.bmc.machine.hardware.serial);
    assert.equal(machine.bmc.machine.power.state, 'On');
  });

  it('is not disturbed through another door while nobody allows it', async () => {
    const { status } = await api.hosts.get(key);
    const target = targetOf(status?.provisioning.ID ?? '');
    const orders = [{ kind: 'powerOff', parameters: { force: true } }];
    const created = await machine.engine.create({ target, orders, client: 'another door' });
    assert.ok(created.outcome === 'created');
    const [condition] = created.conditions;
    let seen = condition;
    for (let look = 0; look < 6000 && seen?.reason?.code !== 'HostInUse'; look++) {
      await delay(20);
      seen = await machine.engine.get(condition?.id ?? '');
    }
    assert.deepEqual([seen?.state, seen?.reason?.code], ['pending', 'HostInUse']);
    await machine.engine.cancel(condition?.id ?? '', { client: 'another door', isForced: false, doesInsist: false });
    assert.equal(machine.bmc.machine.power.state, 'On');
  });

  it('gets another BIOS setting at its reboot: servicing, then OK', async () => {
    await api.updatePolicies.create({
      apiVersion: metal3ApiVersion,
      kind: 'HostUpdatePolicy',
      metadata: key,
      spec: { firmwareSettings: 'onReboot', firmwareUpdates: 'onPreparing' },
    });
    const { status } = await until(api.firmwareSettings, name, (each) => each.status?.schema !== undefined);
    const schema = await api.firmwareSchemas.get({ namespace: fleet, name: status?.schema?.name ?? '' });
    const found = Object.entries(schema.spec?.schema ?? {}).find(
      ([, { allowable_values = [], read_only }]) => read_only !== true && allowable_values.length > 1,
    );
    assert.ok(found);
    const [setting, { allowable_values = [] }] = found;
    const value = allowable_values.find((each) => each !== status?.settings[setting]) ?? '';
    await api.firmwareSettings.patch(key, { type: 'merge', body: { spec: { settings: { [setting]: value } } } });
    const { metadata } = await waits();
    const attributes = { AssetTag: 'of-another-door' };
    const tag = machine.bmc.machine.bios.current.AssetTag;
    const image = machine.update.firmware;
    others = [
      await askElsewhere({ kind: 'powerCycleHard', parameters: {}, priority: 9 }),
      await askElsewhere({ kind: 'biosControl', parameters: { action: 'set_config', attributes }, priority: 9 }),
      await askElsewhere({ kind: 'firmwareInstall', parameters: { firmwares: [image] }, priority: 9 }),
    ];
    await othersWait();
    const before = machine.bmc.machine.log.events.length;
    await api.hosts.patch(key, reboot);
    const host = await serviced('');
    // The policy allows settings, and the owner of the host asked for one: nothing else got in with it.
    await othersWait();
    assert.deepEqual(resetsSince(before), ['GracefulShutdown', 'On']);
    assert.equal(flashes(), 0);
    assert.equal(machine.bmc.machine.bios.current.AssetTag, tag);
    const seen = await statusesSince(metadata.resourceVersion ?? '');
    assert.deepEqual(seen, ['OK', 'servicing', 'OK']);
    assert.equal(machine.bmc.machine.bios.current[setting], value);
    assert.equal(host.metadata.annotations?.['reboot.metal3.io'], undefined);
    assert.equal(host.status?.poweredOn, true);
  });

  for (const [what, mode, gracefulShutdownMs, expected, disablePowerOff] of [
    ['cut off once, after the limit, when its system does not shut down', 'soft', 1_200_000, hung, false],
    ['restarted by force where its reboot annotation says so', 'hard', undefined, ['ForceRestart'], false],
    ['restarted and never switched off where that is disabled', 'soft', undefined, ['ForceRestart'], true],
  ] as const) {
    it(`is ${what}`, async () => {
      const { timings } = machine.bmc.machine.personality;
      const usual = timings.gracefulShutdownMs;
      Object.assign(timings, { gracefulShutdownMs: gracefulShutdownMs ?? usual });
      await api.hosts.patch(key, { type: 'merge', body: { spec: { disablePowerOff } } });
      const { status, spec } = await api.firmwareSettings.get(key);
      const [name = ''] = Object.keys(spec?.settings ?? {});
      const schema = await api.firmwareSchemas.get({ namespace: fleet, name: status?.schema?.name ?? '' });
      const values = schema.spec?.schema?.[name]?.allowable_values ?? [];
      const value = values.find((each) => each !== spec?.settings[name]) ?? '';
      const ended = (await api.hosts.get(key)).status?.operationHistory?.service?.end ?? '';
      await api.firmwareSettings.patch(key, { type: 'merge', body: { spec: { settings: { [name]: value } } } });
      await waits();
      // A host whose system still starts has none to shut down, and goes off at once.
      while (machine.bmc.machine.power.bootProgress !== 'OSRunning') await delay(20);
      const { log } = machine.bmc.machine;
      const [before, since] = [log.events.length, log.events.at(-1)?.atMs ?? 0];
      const annotations = { 'reboot.metal3.io': JSON.stringify({ mode }) };
      await api.hosts.patch(key, { type: 'merge', body: { metadata: { annotations } } });
      await serviced(ended);
      Object.assign(timings, { gracefulShutdownMs: usual });
      assert.deepEqual(resetsSince(before), expected);
      const forced = log.events.slice(before).find(({ detail }) => /type=ForceOff/.test(detail ?? ''));
      if (forced !== undefined) assert.ok(forced.atMs - since >= 180_000, `${forced.atMs - since} ms`);
      assert.equal(machine.bmc.machine.bios.current[name], value);
      await api.hosts.patch(key, { type: 'merge', body: { spec: { disablePowerOff: false } } });
    });
  }

  it('gets another BIOS at its reboot, once', async () => {
    const before = (await api.hosts.get(key)).status?.operationHistory?.service?.end ?? '';
    await api.updatePolicies.patch(key, { type: 'merge', body: { spec: { firmwareUpdates: 'onReboot' } } });
    const updates = [{ component: machine.update.component, url: machine.update.url }];
    await until(api.firmwareComponents, name, ({ status }) => status?.lastUpdated !== undefined);
    await api.firmwareComponents.patch(key, { type: 'merge', body: { spec: { updates } } });
    await waits();
    const logged = machine.bmc.machine.log.events.length;
    await api.hosts.patch(key, reboot);
    await serviced(before);
    const { status } = await until(api.firmwareComponents, name, (each) => each.status?.updates?.length === 1);
    const bios = status?.components?.find(({ component }) => component === 'bios');
    assert.equal(bios?.currentVersion, machine.update.version);
    assert.equal(flashes(), 1);
    // Once for its firmware: its system was shut down, nothing was forced.
    assert.deepEqual(resetsSince(logged), ['GracefulShutdown', 'On']);
    await othersWait();
    for (const { id } of others) {
      await machine.engine.cancel(id, { client: 'another door', isForced: false, doesInsist: false });
    }
  });

  it('is told before any reboot that an image cannot be had, and why', async () => {
    const gone = new URL('/gone.bin', machine.update.url).href;
    const updates = [{ component: machine.update.component, url: gone }];
    await api.firmwareComponents.patch(key, { type: 'merge', body: { spec: { updates } } });
    const { status } = await until(api.firmwareComponents, name, (each) =>
      (each.status?.conditions ?? []).some(({ reason }) => reason === 'ImageRefused'),
    );
    const valid = status?.conditions?.find(({ type }) => type === 'Valid');
    assert.match(valid?.message ?? '', /the image of bios: .*gone\.bin.*404; correct the link/);
    const host = await until(api.hosts, name, ({ status: said }) =>
      (said?.conditions ?? []).some(({ type, reason }) => type === 'LiveUpdates' && reason === 'Invalid'),
    );
    assert.equal(host.status?.operationalStatus, 'OK');
  });

  it('gets the image behind a link that no catalogue knows, whatever version it brings', async () => {
    const before = (await api.hosts.get(key)).status?.operationHistory?.service?.end ?? '';
    const flashed = flashes();
    const updates = [{ component: machine.update.component, url: machine.update.link }];
    await api.firmwareComponents.patch(key, { type: 'merge', body: { spec: { updates } } });
    await waits();
    await api.hosts.patch(key, reboot);
    await serviced(before);
    const { status } = await until(api.firmwareComponents, name, (each) =>
      (each.status?.updates ?? []).some(({ url }) => url === machine.update.link),
    );
    const bios = status?.components?.find(({ component }) => component === 'bios');
    assert.equal(bios?.currentVersion, machine.update.version);
    assert.equal(flashes(), flashed + 1);
  });

  it('is in use again between a live update that failed and the next try', async () => {
    machine.setFaults([{ kind: 'task-completed-critical' }]);
    const values = [{ component: machine.update.component, url: `${machine.update.link}?other` }];
    await api.firmwareComponents.patch(key, { type: 'merge', body: { spec: { updates: values } } });
    await waits();
    await api.hosts.patch(key, reboot);
    await until(api.hosts, name, ({ status }) => status?.errorType === 'servicing error');
    const other = await askElsewhere();
    assert.deepEqual([other.state, other.reason?.code], ['pending', 'HostInUse']);
    machine.setFaults([]);
    await api.firmwareComponents.patch(key, { type: 'merge', body: { spec: { updates: [] } } });
    await until(api.hosts, name, ({ status }) => status?.operationalStatus === 'OK');
    assert.equal((await machine.engine.get(other.id))?.state, 'pending', 'also while it was given up');
    await machine.engine.cancel(other.id, { client: 'another door', isForced: false, doesInsist: false });
  });

  it('is deleted, and its machine is off and empty', async () => {
    await api.hosts.delete(key);
    await untilGone(api.hosts, name);
    assert.equal(await machine.records.read(key), undefined);
    assert.equal(machine.bmc.machine.power.state, 'Off');
  });
});
