import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { targetOf } from '../../src/engine/index.ts';
import { createDrive } from '../../src/provisioners/contract/drive.ts';
import type { Deployment, Outcome, Provisioner, ReachedHost, Registration } from '../../src/provisioners/index.ts';
import { type RedfishRig, startRedfishRig } from './redfish-rig.ts';

const registration: Registration = {
  isRetry: false,
  haveCredentialsChanged: false,
  bootMode: 'UEFI',
  cleaningMode: 'metadata',
  isExternallyProvisioned: false,
};
const liveIso: Deployment = { image: { url: 'http://127.0.0.1:9/live.iso', format: 'live-iso' }, bootMode: 'UEFI' };
const messageOf = (outcome: Outcome<unknown>): string => ('message' in outcome ? outcome.message : '');

describe('a host without an Ironic', () => {
  let rig: RedfishRig;
  let host: ReachedHost;
  const drive = createDrive(() => delay(20));
  const at = (): Provisioner => rig.provisioners.of(host);
  before(async () => {
    rig = await startRedfishRig('openbmc', { limit: 1 });
    ({ host } = rig);
    const { id } = await drive.done(() => at().register(registration));
    host = { ...host, id };
  });
  after(() => rig.close());

  const requestsSince = async (work: () => Promise<unknown>) => {
    const before = rig.bmc.machine.log.events.length;
    await work();
    return rig.bmc.machine.log.events.slice(before).filter(({ event }) => !event.startsWith('session.'));
  };

  it('is not touched by what it cannot do, and says what that needs', async () => {
    const order = { isRetry: false, isForced: false, config: {}, deployment: liveIso };
    const disk = { ...liveIso, image: { url: 'http://files/a.qcow2', checksum: 'x' } };
    const custom: Deployment = { customDeploy: { method: 'install_it' }, bootMode: 'UEFI' };
    const refusals: readonly (readonly [() => Promise<Outcome<unknown>>, RegExp])[] = [
      [() => at().provision({ ...order, deployment: disk }), /writing a disk image needs an Ironic.*live-iso/],
      [() => at().provision({ ...order, deployment: custom }), /install_it needs an Ironic/],
      [() => at().provision({ ...order, config: { userData: '#cloud-config' } }), /put it into the ISO/],
      [
        () => at().prepare({ isRetry: false, isWanted: true, raid: { hardwareRAIDVolumes: [{ level: '1' }] } }),
        /RAID needs an Ironic/,
      ],
    ];
    for (const [ask, why] of refusals) {
      const events = await requestsSince(async () => {
        const outcome = await ask();
        assert.equal(outcome.kind, 'failed');
        assert.match(messageOf(outcome), why);
      });
      assert.deepEqual(events, []);
    }
  });

  it('is never told to fetch what may not be fetched', async () => {
    const url = 'http://169.254.169.254/latest/meta-data';
    const image = { ...liveIso.image, url };
    const order = { isRetry: false, isForced: false, config: {}, deployment: { ...liveIso, image } };
    for (const ask of [() => at().attachDataImage({ isRetry: false, url }), () => at().provision(order)]) {
      const outcome = await ask();
      assert.equal(outcome.kind, 'failed');
      assert.match(messageOf(outcome), /its host is none that may be connected to/);
      assert.equal(rig.bmc.machine.media.hasMedium, false);
    }
  });

  it('is looked at for power and health, and what keeps its BMC from telling them is told', async () => {
    const look = () => drive.done(() => at().look());
    const { health, bmcProblem } = await look();
    assert.deepEqual([health, bmcProblem], ['OK', undefined]);
    rig.setFaults([{ kind: 'connection-reset', moment: 'before-reading' }]);
    const lost = await look();
    assert.deepEqual([lost.isPoweredOn, lost.bmcProblem?.kind], [undefined, 'passing']);
    assert.match(lost.bmcProblem?.message ?? '', /the BMC at .* cannot be reached/);
    await at().setMaintenance('an install');
    const worked = await look();
    assert.deepEqual([worked.maintenance, worked.bmcProblem?.kind], ['an install', 'expected']);
    await at().setMaintenance(undefined);
    rig.setFaults([]);
    assert.equal((await look()).bmcProblem, undefined);
  });

  it('is looked at no longer than it may take, and a BMC that wants a pause is called busy', async () => {
    const impatient = rig.again({ lookMs: 10 }).of(host);
    rig.setFaults([{ kind: 'slow-answer', durationMs: 3_600_000 }]);
    const silent = await drive.done(() => impatient.look());
    assert.match(silent.bmcProblem?.message ?? '', /did not answer GET the power of its host within 10 ms/);
    rig.setFaults([{ kind: 'busy' }]);
    const busy = await drive.done(() => at().look());
    assert.match(busy.bmcProblem?.message ?? '', /is busy/);
    // Somebody has to hear of a BMC that stays so, before its host is known too.
    const again = await at().register({ ...registration, isRetry: true });
    assert.equal(again.kind, 'failed', JSON.stringify(again));
    rig.setFaults([]);
  });

  it('has failed at what its BMC stays too busy for, and is done once it is not', async () => {
    const order = { target: 'off', mode: 'hard', isForced: false, isRetry: false } as const;
    rig.setFaults([{ kind: 'busy' }]);
    const lasting = await drive.until(() => at().setPower(order));
    assert.equal(lasting.kind, 'failed', JSON.stringify(lasting));
    assert.match(messageOf(lasting), /the BMC at .* is busy/);
    rig.setFaults([]);
    await drive.done(() => at().setPower({ ...order, isRetry: true }));
  });

  it('is refused where another host has its machine, or where it is not reached by Redfish', async () => {
    const twin = { ...rig.host, name: 'twin' };
    const outcome = await rig.provisioners.of(twin).register(registration);
    assert.match(messageOf(outcome), /is that of the host metal3\/native/);
    const ipmi = { ...rig.host, name: 'old', bmc: { ...rig.host.bmc, address: 'ipmi://10.0.0.7' } };
    assert.match(messageOf(await rig.provisioners.of(ipmi).register(registration)), /by Redfish here, not by ipmi/);
  });

  it('shares its lock and its history with every other door to the engine', async () => {
    await drive.done(() => at().adopt({ isRetry: false, deployment: liveIso }));
    const seen = await drive.done(() => at().readFirmwareSettings());
    const [name = '', other = ''] = Object.entries(seen.schema).flatMap(([each, { allowable_values, read_only }]) => {
      const value = allowable_values?.find((one) => one !== seen.settings[each]);
      return read_only !== true && value !== undefined ? [each, value] : [];
    });
    const target = targetOf(host.id ?? '');
    const parameters = { action: 'set_config', attributes: { AssetTag: 'of-another-door' } };
    const order = { target, client: 'another door', orders: [{ kind: 'biosControl', parameters }] };
    // Their work must not end before ours is asked for.
    await rig.engine.machines.setHold(host.id ?? '', { code: 'HostInUse', message: 'until both have met' });
    const theirs = await rig.engine.create(order);
    assert.equal(theirs.outcome, 'created');
    const service = { ticket: 'shared', isSpecified: true, settings: { [name]: other } };
    const waiting = await at().service(service);
    assert.equal(waiting.kind, 'continue', JSON.stringify(waiting));
    await rig.engine.machines.setHold(host.id ?? '', undefined);
    await drive.done(() => at().service(service));
    const { conditions } = await rig.engine.list({ target, kind: 'biosControl', isWithHistory: true });
    assert.deepEqual(
      conditions.map(({ client, state }) => [client, state]),
      [
        ['BareMetalHost metal3/native', 'succeeded'],
        ['another door', 'succeeded'],
      ],
    );
    const [ours, before] = conditions;
    assert.ok((before?.fencingToken ?? Infinity) < (ours?.fencingToken ?? 0), 'one after the other');
    assert.equal(rig.bmc.machine.bios.current[name], other);
  });

  it('makes one attempt once, also when the process that made it is gone', async () => {
    const service = { ticket: 'firmware', isSpecified: true, updates: [rig.update] };
    assert.equal((await at().service(service)).kind, 'continue');
    const next = rig.again().of(host);
    const { updates } = await drive.done(() => next.service(service));
    assert.deepEqual(updates, [{ component: rig.update.component, url: rig.update.url }]);
    await drive.done(() => next.service(service));
    const installs = await rig.engine.list({ kind: 'firmwareInstall', isWithHistory: true });
    assert.equal(installs.conditions.length, 1);
    const flashes = rig.bmc.machine.log.events.filter(({ event }) => event === 'update.flash-begin');
    assert.equal(flashes.length, 1);
  });

  it('is not serviced for an image that cannot be read', async () => {
    const updates = [{ component: 'bios', url: new URL('/gone.bin', rig.update.url).href }];
    assert.match((await drive.done(() => at().checkUpdates?.(updates) ?? assert.fail()))[0] ?? '', /bios: .*404/);
    const outcome = await at().service({ ticket: 'unknown', isSpecified: true, updates });
    assert.match(messageOf(outcome), /the image of bios: .*404; correct the link/);
  });

  it('counts against the limit while it is worked on', async () => {
    const other = { ...rig.host, name: 'other' };
    await rig.records.change(host, (now) => now && { ...now, service: { ticket: 'x', what: none, conditions: ['y'] } });
    assert.equal(await drive.done(() => rig.again().hasCapacity(other)), false);
    await rig.records.change(host, (now) => now && { ...now, service: undefined });
    assert.equal(await drive.done(() => rig.again().hasCapacity(other)), true);
  });

  it('is told of in words when its record of work is gone, and begins anew under another name', async () => {
    await rig.records.change(host, (now) => now && { ...now, service: { ticket: 'x', what: none, conditions: ['y'] } });
    const lost = await at().service({ ticket: 'x', isSpecified: true, settings: {} });
    assert.match(messageOf(lost), /record of the work is gone/);
    assert.equal((await at().service({ ticket: 'x2', isSpecified: true })).kind, 'done');
  });
});

const none = { settings: {}, updates: [] };
