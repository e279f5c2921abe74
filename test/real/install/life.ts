import assert from 'node:assert/strict';
import { quarantineLabel } from '../../../src/api/index.ts';
import type { AnyKubeObject } from '../../../src/kube/index.ts';
import { until } from '../ironic/until.ts';
import type { ObjectName } from './cluster-objects.ts';
import { core, host, type Living, metal3, stateOf } from './living.ts';

/** A switch, networks and a limit. */
export async function describeNetwork({ objects }: Living): Promise<void> {
  await objects.apply(`
apiVersion: metal3.io/v1alpha1
kind: FixtureSwitch
metadata: { name: leaf1 }
spec: { ports: [Ethernet1, Ethernet2, Ethernet3] }
---
apiVersion: metal3.io/v1alpha1
kind: Switch
metadata: { name: leaf1 }
spec:
  provider: { kind: FixtureSwitch, name: leaf1 }
  parkingVLAN: 999
  ports: { leaf1-e1: { name: Ethernet1 }, leaf1-e2: { name: Ethernet2 }, leaf1-e3: { name: Ethernet3 } }
---
apiVersion: metal3.io/v1alpha1
kind: OVSSwitch
metadata: { name: away }
spec: { address: "tcp:127.0.0.1:1", openflowAddress: "tcp:127.0.0.1:1", bridge: br0 }
---
apiVersion: metal3.io/v1alpha1
kind: Switch
metadata: { name: away }
spec: { provider: { kind: OVSSwitch, name: away }, ports: { away-e1: { name: e1 } } }
---
apiVersion: v1
kind: Secret
metadata: { name: old-login }
stringData: { username: admin, password: admin }
---
apiVersion: metal3.io/v1alpha1
kind: AnsibleSwitch
metadata: { name: old }
spec: { os: fos, ip: 127.0.0.1, port: 1, credentialsSecret: { name: old-login } }
---
apiVersion: metal3.io/v1alpha1
kind: Switch
metadata: { name: old }
spec: { provider: { kind: AnsibleSwitch, name: old }, ports: { old-e1: { name: e1 } } }
---
apiVersion: metal3.io/v1alpha1
kind: SwitchPortConfiguration
metadata: { name: provisioning }
spec: { untaggedVLAN: 100 }
---
apiVersion: metal3.io/v1alpha1
kind: SwitchPortConfiguration
metadata: { name: shop }
spec: { untaggedVLAN: 20 }
---
apiVersion: metal3.io/v1alpha1
kind: SwitchPortConfiguration
metadata: { name: storage }
spec: { untaggedVLAN: 30 }
---
apiVersion: metal3.io/v1alpha1
kind: SwitchResourceLimit
metadata: { name: user-limit }
spec: { vlanRange: 1-4000 }
`);
  await objects.untilSo([metal3, 'SwitchPort', 'leaf1-e1'], (port) => port !== undefined);
  await objects.untilSo(
    [metal3, 'Switch', 'leaf1'],
    (object) => (object?.status as { state?: string })?.state === 'Running',
  );
}

/** Networks of a tenant whose switches are somewhere else, and what they may use there. */
export async function allowNetworks({ objects }: Living): Promise<void> {
  await objects.apply(`
apiVersion: metal3.io/v1alpha1
kind: SwitchResourceLimit
metadata: { name: user-limit }
spec: { vlanRange: 10-30 }
---
apiVersion: metal3.io/v1alpha1
kind: SwitchPortConfiguration
metadata: { name: shop }
spec: { untaggedVLAN: 20 }
`);
}

/** Admission answers: what is wrong is refused with its reason. */
export async function refuseWhatIsWrong({ objects }: Living): Promise<void> {
  const written = objects.apply(`
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: { name: 00000000-0000-4000-8000-000000000001 }
spec: { online: true }
`);
  await assert.rejects(written, /admission webhook .*hosts.rackwright.io.* denied.*UUID/);
}

/** Hosts, one of them plugged in, become available; companions that somebody wrote beforehand are taken over. */
export async function registerHosts({ objects, bmcs, switchesIn }: Living): Promise<void> {
  await objects.apply(`
apiVersion: metal3.io/v1alpha1
kind: HardwareData
metadata: { name: h2 }
spec: { hardware: { ramMebibytes: 1 } }
---
apiVersion: metal3.io/v1alpha1
kind: HostFirmwareSettings
metadata: { name: h2 }
spec: { settings: {} }
---
apiVersion: metal3.io/v1alpha1
kind: HostFirmwareComponents
metadata: { name: h2 }
spec: { updates: [] }
`);
  for (const [index, bmc] of bmcs.entries()) {
    const name = `h${index + 1}`;
    const ports =
      index > 0
        ? ''
        : `
  ports:
    - mac: ${bmc.macs[0]}
      port: { name: leaf1-e1, namespace: ${switchesIn ?? objects.namespace} }
      provisioningConfiguration: { name: provisioning, namespace: ${switchesIn ?? objects.namespace} }
      ${switchesIn === undefined ? 'configuration: { name: shop }' : ''}`;
    await objects.apply(`
apiVersion: v1
kind: Secret
metadata: { name: ${name}-bmc }
stringData: { username: ${bmc.username}, password: ${bmc.password} }
---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: { name: ${name}, labels: { pool: "${['machines', 'own', 'deployed'][index]}" } }
spec:
  online: true
  bootMACAddress: ${bmc.macs[0]}
  bmc: { address: "redfish+${bmc.redfishAddress}${bmc.systemPath}", credentialsName: ${name}-bmc }${ports}
`);
  }
  for (const index of bmcs.keys()) await objects.untilSo(host(`h${index + 1}`), (it) => stateOf(it) === 'available');
}

const port: ObjectName = [metal3, 'SwitchPort', 'leaf1-e1'];

function isActive(it: AnyKubeObject | undefined): boolean {
  return (it?.status as { state?: string } | undefined)?.state === 'Active';
}

/** The port of the first host is set as its machine asks for. */
export async function untilPlugged({ objects }: Pick<Living, 'objects'>, to: string): Promise<void> {
  await objects.untilSo(port, (it) => {
    const { configuration } = (it?.spec ?? {}) as { configuration?: { name: string; namespace?: string } };
    return `${configuration?.namespace}/${configuration?.name}` === to && isActive(it);
  });
}

/** The port of the first host moves to another network. */
export async function movePort({ objects }: Living): Promise<void> {
  await objects.untilSo(port, isActive);
  const found = await objects.untilSo(host('h1'), (it) => it !== undefined);
  const [entry] = ((found?.spec ?? {}) as { ports: object[] }).ports;
  await objects.patch(host('h1'), { spec: { ports: [{ ...entry, configuration: { name: 'storage' } }] } });
  await objects.untilSo(port, (it) => {
    const { configuration } = (it?.spec ?? {}) as { configuration?: { name: string } };
    return configuration?.name === 'storage' && isActive(it);
  });
}

/** The settings and the firmware that are wanted have reached whoever looks after the host. */
function isAboutToChange(it: AnyKubeObject | undefined): boolean {
  const { conditions = [] } = (it?.status ?? {}) as { conditions?: { reason: string; message: string }[] };
  return conditions.some(
    ({ reason, message }) =>
      reason === 'WaitsForReboot' && /BIOS settings ProcTurboMode; firmware of bios/.test(message),
  );
}

/** A host in use gets firmware and settings with a reboot, and its Node is drained before. */
export async function updateLive({ objects }: Living): Promise<void> {
  const claimed = await objects.untilSo(host('h1'), (it) => it !== undefined);
  const { consumerRef } = (claimed?.spec ?? {}) as { consumerRef: { name: string } };
  await objects.apply(`
apiVersion: v1
kind: Pod
metadata: { name: guest }
spec:
  nodeName: ${consumerRef.name}
  terminationGracePeriodSeconds: 0
  containers: [{ name: c, image: example/none }]
---
apiVersion: metal3.io/v1alpha1
kind: HostUpdatePolicy
metadata: { name: h1 }
spec: { firmwareSettings: onReboot, firmwareUpdates: onReboot }
---
apiVersion: metal3.io/v1alpha1
kind: HostFirmwareSettings
metadata: { name: h1 }
spec: { settings: { ProcTurboMode: Disabled } }
---
apiVersion: metal3.io/v1alpha1
kind: HostFirmwareComponents
metadata: { name: h1 }
spec: { updates: [{ component: bios, url: "http://images.example/bios-2.bin" }] }
`);
  // Each kind is watched by itself: a reboot that is heard of before what it is for would be only a reboot.
  await objects.untilSo(host('h1'), isAboutToChange);
  const metadata = { annotations: { 'hosts.rackwright.io/drain': '', 'reboot.metal3.io': '' } };
  await objects.patch(host('h1'), { metadata });
  await objects.untilSo(['v1', 'Pod', 'guest'], (pod) => pod === undefined);
  await objects.untilSo([metal3, 'HostFirmwareSettings', 'h1'], (it) => {
    const { settings } = (it?.status ?? {}) as { settings?: Record<string, string> };
    return settings?.ProcTurboMode === 'Disabled';
  });
  await objects.untilSo(host('h1'), (it) => {
    const annotations = it?.metadata?.annotations ?? {};
    return (
      (it?.status as { operationalStatus?: string } | undefined)?.operationalStatus === 'OK' &&
      !('reboot.metal3.io' in annotations)
    );
  });
  const isOpen = (it: AnyKubeObject | undefined) => (it?.spec as { unschedulable?: boolean })?.unschedulable !== true;
  await objects.untilSo(['v1', 'Node', consumerRef.name], isOpen);
}

/** The second host is provisioned by hand, and reads from a virtual CD. */
export async function provisionByHand({ objects }: Living): Promise<void> {
  await objects.apply(`
apiVersion: metal3.io/v1alpha1
kind: DataImage
metadata: { name: h2 }
spec: { url: "http://images.example/tools.iso" }
`);
  await objects.apply(`
apiVersion: v1
kind: Secret
metadata: { name: h2-user-data }
stringData: { value: "#cloud-config" }
`);
  await objects.patch(host('h2'), {
    spec: {
      image: {
        url: 'http://images.example/linux.qcow2',
        checksum: 'http://images.example/linux.qcow2.sha256',
        checksumType: 'sha256',
        format: 'qcow2',
      },
      userData: { name: 'h2-user-data', namespace: objects.namespace },
    },
  });
  await objects.untilSo(host('h2'), (it) => stateOf(it) === 'provisioned');
}

/** A machine introduces itself, becomes a host, is looked at, and is let in. */
export async function discoverHost({ objects, ironic, newcomer }: Living): Promise<void> {
  await objects.apply(`
apiVersion: metal3.io/v1alpha1
kind: BareMetalHostDiscovery
metadata: { name: all }
spec:
  resourceNameTemplate: { prefix: new-, hardwareDetails: boot-mac }
  pollIntervalSeconds: 5
  labels: { pool: new }
  quarantine: true
---
apiVersion: metal3.io/v1alpha1
kind: HardwareClassification
metadata: { name: worker }
spec: { hardwareCharacteristics: { ram: { minimumSizeGB: 1 } } }
`);
  ironic.api.discover(newcomer, { driver: 'redfish', atMs: Date.now() });
  const found = await until({
    what: 'a host of the machine that introduced itself',
    timeoutMs: 120_000,
    async look() {
      ironic.api.beat(newcomer, Date.now());
      const all = await objects.list('BareMetalHost', metal3, objects.namespace);
      return all.find(({ metadata }) => metadata?.name?.startsWith('new-'));
    },
  });
  const name = found.metadata?.name ?? assert.fail();
  assert.ok(found.metadata?.labels?.[quarantineLabel] !== undefined, 'it is kept apart');
  await objects.patch(host(name), { metadata: { labels: { [quarantineLabel]: null } } });
  await objects.untilSo(host(name), (it) => stateOf(it) !== undefined);
  await objects.remove([metal3, 'BareMetalHostDiscovery', 'all'], host(name));
}

/** Machines go, and the hosts that they had, and one besides. */
export async function endMachines({ objects }: Living): Promise<void> {
  const isFree = (it: AnyKubeObject | undefined) =>
    (it?.spec as { consumerRef?: object } | undefined)?.consumerRef === undefined;
  const endCluster = async () => {
    await objects.remove([core, 'Cluster', 'prod']);
    for (const name of ['h1', 'h3']) await objects.untilSo(host(name), isFree);
    await objects.remove(host('h1'), host('h3'));
  };
  await Promise.all([endCluster(), objects.remove(host('h2'))]);
}

/** Everything goes again. */
export async function endAll(living: Living): Promise<void> {
  const { objects } = living;
  await endMachines(living);
  await objects.remove([metal3, 'Switch', 'leaf1'], [metal3, 'HardwareClassification', 'worker']);
  await objects.remove([metal3, 'Switch', 'away'], [metal3, 'Switch', 'old']);
  await objects.remove([metal3, 'SwitchPortConfiguration', 'shop'], [metal3, 'SwitchPortConfiguration', 'storage']);
}
