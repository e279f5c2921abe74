import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type BareMetalHostStatus, type HardwareCharacteristics, metal3ApiVersion } from '../../api/index.ts';
import {
  aHost,
  type DiscoveryApi,
  type DiscoveryRig,
  fleet,
  startDiscoveryApi,
  startDiscoveryRig,
  until,
} from '../testing/rig.ts';

const label = 'hardwareclassification.metal3.io/large';

function statusWith(count: number): BareMetalHostStatus {
  return {
    operationalStatus: 'OK',
    errorMessage: '',
    errorCount: 0,
    poweredOn: false,
    provisioning: { state: 'available', ID: '' },
    hardware: { cpu: { count, flags: ['aes'] } },
  } as BareMetalHostStatus;
}

describe('hardware classification', () => {
  let api: DiscoveryApi;
  let rig: DiscoveryRig;
  before(async () => {
    api = await startDiscoveryApi();
    rig = await startDiscoveryRig(api);
  });
  after(async () => {
    await rig.stop();
    await api.close();
  });
  const profile = { namespace: fleet, name: 'large' };
  const ask = (hardwareCharacteristics: HardwareCharacteristics) => ({ spec: { hardwareCharacteristics } });

  it('labels inspected hosts that match, and counts them', async () => {
    for (const [name, count] of [
      ['big', 64],
      ['small', 4],
    ] as const) {
      const host = await api.hosts.create(aHost(name, undefined));
      await api.hosts.status.replace({ ...host, status: statusWith(count) });
    }
    await api.hosts.create(aHost('blank', undefined));
    const { spec } = ask({ cpu: { minimumCount: 32 } });
    await api.classifications.create({
      apiVersion: metal3ApiVersion,
      kind: 'HardwareClassification',
      metadata: profile,
      spec,
    });
    await until(api.hosts, 'big', ({ metadata }) => metadata.labels?.[label] === 'matches');
    const told = await until(api.classifications, 'large', ({ status }) => status?.matchedCount === 1);
    assert.equal(told.status?.unmatchedCount, 2);
    assert.equal(told.status?.profileMatchStatus, 'matched');
    assert.equal((await api.hosts.get({ namespace: fleet, name: 'small' })).metadata.labels, undefined);
  });

  it('follows its rules, the value that it is told, and the hardware', async () => {
    const body = { ...ask({ cpu: { minimumCount: 1, maximumCount: 32 } }), metadata: { labels: { large: 'yes' } } };
    await api.classifications.patch(profile, { type: 'merge', body });
    await until(api.hosts, 'small', ({ metadata }) => metadata.labels?.[label] === 'yes');
    await until(api.hosts, 'big', ({ metadata }) => metadata.labels?.[label] === undefined);
    const patch = { type: 'merge', body: { status: { hardware: { cpu: { count: 33 } } } } } as const;
    await api.hosts.status.patch({ namespace: fleet, name: 'small' }, patch);
    await until(api.hosts, 'small', ({ metadata }) => metadata.labels?.[label] === undefined);
    await until(api.classifications, 'large', ({ status }) => status?.profileMatchStatus === 'unmatched');
  });

  it('matches nothing and says so where it asks for nothing', async () => {
    const body = { spec: { hardwareCharacteristics: { cpu: null } } };
    await api.classifications.patch(profile, { type: 'merge', body });
    const told = await until(api.classifications, 'large', ({ status }) => status?.errorType !== undefined);
    assert.equal(told.status?.errorType, 'Empty Profile Error');
    assert.equal(told.status?.matchedCount, 0);
  });

  it('takes its labels with it, also where it goes while nobody looks, and touches no others', async () => {
    await api.classifications.patch(profile, { type: 'merge', body: ask({ cpu: { minimumCount: 1 } }) });
    await until(api.hosts, 'big', ({ metadata }) => metadata.labels?.[label] === 'yes');
    await api.hosts.patch(
      { namespace: fleet, name: 'big' },
      { type: 'merge', body: { metadata: { labels: { mine: 'x' } } } },
    );
    await rig.stop();
    await api.classifications.delete(profile);
    rig = await startDiscoveryRig(api);
    const host = await until(api.hosts, 'big', ({ metadata }) => metadata.labels?.[label] === undefined);
    assert.deepEqual(host.metadata.labels, { mine: 'x' });
  });
});
