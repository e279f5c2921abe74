import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PortName } from '../../simulator/index.ts';
import { type BareMetalHost, clusterApiVersion, infrastructureApiVersion } from '../../src/api/index.ts';
import type { AnyKubeObject, KubeObject } from '../../src/kube/index.ts';
import { createSwitchPortNetwork } from '../../src/machines/index.ts';
import {
  image,
  type MachineApi,
  type MachineRig,
  startMachineApi,
  startMachineRig,
} from '../../src/machines/testing/rig.ts';
import { machinePortsAnnotation } from '../../src/network/index.ts';
import { putConfiguration, putLimit, until, untilGone, untilState } from '../../src/network/testing/rig.ts';
import { infra, openPortsPlane, type PortsPlane, tenant } from './ports-plane.ts';

const host = `${tenant}/h1`;
const group = 'infrastructure.cluster.x-k8s.io';

describe('switch ports of a host that a machine has', { timeout: 300_000 }, () => {
  let api: MachineApi;
  let plane: PortsPlane;
  let rig: MachineRig;
  let [own, boot, friend, other]: PortName[] = [];
  const put = (port: PortName | undefined, untaggedVlan: number | undefined): void => {
    assert.ok(port !== undefined);
    const settings = { isDisabled: false, untaggedVlan, taggedVlans: [], acl: [], isLldpOn: true };
    assert.equal(plane.dataCentre.fabric.configure(port, settings), 'ok');
  };
  const talks = (to: PortName | undefined): boolean => {
    assert.ok(own !== undefined && to !== undefined);
    return plane.dataCentre.fabric.canTalk(own, to);
  };
  const portOf = (port: PortName | undefined): string => {
    assert.ok(port !== undefined);
    return `${infra}/${plane.entryOf(plane.dataCentre.fabric.port(port)?.nic?.mac ?? '').port.name}`;
  };
  const isIn = (state: string) => (each: BareMetalHost & KubeObject) =>
    each.status?.provisioning.state === state &&
    each.status.conditions?.find(({ type }) => type === 'NetworkConfigured')?.status === 'True';
  const configurations = ({ spec }: BareMetalHost) => spec?.ports?.map(({ configuration }) => configuration?.name);
  const recordOf = ({ metadata }: BareMetalHost) => metadata.annotations?.[machinePortsAnnotation];
  const empty = (name: string) =>
    api.metal3Machines.patch(
      { namespace: tenant, name },
      { type: 'merge', body: { spec: { networkConfiguration: [] } } },
    );

  before(async () => {
    api = await startMachineApi();
    plane = await openPortsPlane(api.connection);
    rig = await startMachineRig(api, { network: createSwitchPortNetwork(plane.tables) });
    const [first = '', second = ''] = plane.macsOf(0);
    [own, boot, friend] = [0, 1, 2].map((server) => plane.plugOf(plane.macsOf(server)[0] ?? ''));
    other = plane.plugOf(second);
    put(boot, 100);
    put(friend, 10);
    await putConfiguration(plane.api, `${infra}/pxe`, { untaggedVLAN: 100 });
    await putConfiguration(plane.api, `${tenant}/blue`, { untaggedVLAN: 10 });
    await putConfiguration(plane.api, `${tenant}/owners`, { untaggedVLAN: 11 });
    await putLimit(plane.api, tenant, '10-19');
    const pxe = { provisioningConfiguration: { name: 'pxe', namespace: infra } };
    await plane.putHost('h1', {
      server: 0,
      ports: [plane.entryOf(first, pxe), plane.entryOf(second, { configuration: { name: 'owners' } })],
    });
    await putCluster();
    await until(plane.api.hosts, host, isIn('available'));
  });
  after(async () => {
    await rig?.stop();
    await plane?.close();
    await api?.close();
  });

  test('get what the machine asks for, and lose it as soon as it asks for no more', async () => {
    await deploy('m1');
    await empty('m1');
    const left = await until(plane.api.hosts, host, (each) => configurations(each)?.[0] === undefined);
    assert.deepEqual(configurations(left), [undefined, 'owners']);
    await untilState(plane.api, portOf(own), 'Idle');
    assert.equal(talks(friend), false);
    assert.equal(left.spec?.consumerRef?.name, 'm1', 'the machine runs on');
    await remove('m1');
    await assertGivenBack();
  });

  test('lose what the machine wrote when it is emptied first and deleted at once', async () => {
    await deploy('m2');
    await Promise.all([empty('m2'), remove('m2')]);
    await assertGivenBack();
  });

  test('lose what the machine wrote when it was emptied and deleted while no controller ran', async () => {
    await deploy('m3');
    await rig.stop();
    await empty('m3');
    await api.metal3Machines.delete({ namespace: tenant, name: 'm3' });
    await api.machines.delete({ namespace: tenant, name: 'm3' });
    assert.equal(talks(friend), true);
    rig = await startMachineRig(api, { network: createSwitchPortNetwork(plane.tables) });
    await untilGone(api.metal3Machines, `${tenant}/m3`);
    await assertGivenBack();
  });

  /** A machine on the host, whose port is in the network that the machine asks for. */
  async function deploy(name: string): Promise<void> {
    const metadata = { namespace: tenant, name };
    await api.machines.create({
      ...{ apiVersion: clusterApiVersion, kind: 'Machine', metadata },
      spec: {
        clusterName: 'prod',
        bootstrap: { dataSecretName: 'boot' },
        infrastructureRef: { apiGroup: group, kind: 'Metal3Machine', name },
      },
    });
    const networkConfiguration = [{ ConfigurationRef: { name: 'blue' }, nicHint: { name: 'eno1' } }];
    await api.metal3Machines.create({
      ...{ apiVersion: infrastructureApiVersion, kind: 'Metal3Machine', metadata },
      spec: { image, networkConfiguration },
    });
    const deployed = await until(plane.api.hosts, host, isIn('provisioned'));
    assert.deepEqual(configurations(deployed), ['blue', 'owners']);
    assert.notEqual(recordOf(deployed), undefined);
    await untilState(plane.api, portOf(own), 'Active', 'blue');
    assert.deepEqual([talks(friend), talks(boot)], [true, false]);
  }

  async function remove(name: string): Promise<void> {
    await api.machines.delete({ namespace: tenant, name });
    await untilGone(api.metal3Machines, `${tenant}/${name}`);
  }

  /** The host is as its owner made it, and its port in the provisioning network again. */
  async function assertGivenBack(): Promise<void> {
    const free = await until(plane.api.hosts, host, isIn('available'));
    assert.deepEqual(configurations(free), [undefined, 'owners']);
    assert.deepEqual([recordOf(free), free.spec?.consumerRef], [undefined, undefined]);
    await untilState(plane.api, portOf(own), 'Active', 'pxe');
    assert.deepEqual([talks(friend), talks(boot)], [false, true]);
    const port = await plane.api.ports.get({ namespace: infra, name: portOf(other).split('/')[1] ?? '' });
    assert.notEqual(port.spec?.configuration?.name, 'blue');
  }

  async function putCluster(): Promise<void> {
    const metadata = { namespace: tenant, name: 'boot' };
    const stringData = { value: '#cloud-config' };
    await api.secrets.create({ apiVersion: 'v1', kind: 'Secret', metadata, stringData } as AnyKubeObject);
    await api.metal3Clusters.create({
      ...{ apiVersion: infrastructureApiVersion, kind: 'Metal3Cluster', metadata: { namespace: tenant, name: 'prod' } },
      spec: { controlPlaneEndpoint: { host: '192.0.2.10', port: 6443 } },
    });
    await api.clusters.create({
      ...{ apiVersion: clusterApiVersion, kind: 'Cluster', metadata: { namespace: tenant, name: 'prod' } },
      spec: { infrastructureRef: { apiGroup: group, kind: 'Metal3Cluster', name: 'prod' } },
    });
  }
});
