import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type BareMetalHost, type BareMetalHostSpec, metal3ApiVersion } from '../../api/index.ts';
import { KubeError, systemClock } from '../../kube/index.ts';
import { fleet, type HostApi, hostObject, startHostApi } from '../testing/rig.ts';
import { someHardware } from '../testing/scripted-provisioners.ts';
import { createHostAdmission } from './host-rules.ts';

const libvirt = { address: 'libvirt://192.168.122.1:6233', credentialsName: 'x' };
const ipmi = { address: 'ipmi://10.9.9.9', credentialsName: 'x' };
const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };

interface Case {
  readonly rule: string;
  readonly what: string;
  readonly name?: string;
  readonly spec?: Partial<BareMetalHostSpec>;
  readonly annotations?: Record<string, string>;
  readonly message: RegExp;
}

const refused: readonly Case[] = [
  {
    rule: '1',
    what: 'an address of no known driver',
    spec: { bmc: { address: 'foo://10.0.0.1', credentialsName: 'x' } },
    message: /Unknown BMC type 'foo'/,
  },
  {
    rule: '2',
    what: 'firmware settings of old',
    spec: { firmware: { sriovEnabled: true } },
    message: /HostFirmwareSettings/,
  },
  ...(['userData', 'networkData', 'metaData'] as const).map(
    (name): Case => ({
      rule: '3',
      what: `${name} of another namespace`,
      spec: { [name]: { name: 's', namespace: 'elsewhere' } },
      message: new RegExp(`${name}: cross-namespace Secret references are not allowed`),
    }),
  ),
  {
    rule: '4',
    what: 'hardware and software RAID',
    spec: { raid: { hardwareRAIDVolumes: [{ level: '1' }], softwareRAIDVolumes: [{ level: '1' }] } },
    message: /cannot both be set/,
  },
  {
    rule: '4',
    what: 'disks of a RAID without their controller',
    spec: { raid: { hardwareRAIDVolumes: [{ level: '1', physicalDisks: ['a', 'b'] }] } },
    message: /needs controller/,
  },
  {
    rule: '4',
    what: 'another number of disks than are named',
    spec: {
      raid: {
        hardwareRAIDVolumes: [{ level: '1', controller: 'c', physicalDisks: ['a', 'b'], numberOfPhysicalDisks: 3 }],
      },
    },
    message: /must be the number of physicalDisks/,
  },
  {
    rule: '4',
    what: 'two root volumes',
    spec: {
      raid: {
        softwareRAIDVolumes: [
          { level: '1', rootVolume: true },
          { level: '1', rootVolume: true },
        ],
      },
    },
    message: /only one volume/,
  },
  {
    rule: '4',
    what: 'a root volume and root device hints',
    spec: { rootDeviceHints: { wwn: 'x' }, raid: { softwareRAIDVolumes: [{ level: '1', rootVolume: true }] } },
    message: /rootDeviceHints cannot be set/,
  },
  {
    rule: '4',
    what: 'a root volume of level 0',
    spec: { raid: { softwareRAIDVolumes: [{ level: '0', rootVolume: true }] } },
    message: /must have level 1/,
  },
  {
    rule: '5',
    what: 'a hardware RAID where the driver makes none',
    spec: { bmc: ipmi, raid: { hardwareRAIDVolumes: [{ level: '1' }] } },
    message: /ipmi does not support configuring RAID/,
  },
  {
    rule: '6',
    what: 'no boot MAC where the driver needs one',
    spec: { bmc: libvirt },
    message: /libvirt requires a BootMACAddress/,
  },
  {
    rule: '6',
    what: 'no boot MAC where nothing is inspected',
    spec: { inspectionMode: 'disabled' },
    message: /BootMACAddress is required while inspection is disabled/,
  },
  {
    rule: '6',
    what: 'a boot MAC that is none',
    spec: { bootMACAddress: 'x52:54:00:aa:00:07y' },
    message: /is no MAC address/,
  },
  {
    rule: '7',
    what: 'secure boot where the driver cannot',
    spec: { bmc: ipmi, bootMode: 'UEFISecureBoot' },
    message: /does not support secure boot/,
  },
  { rule: '8', what: 'a UUID as its name', name: '3f2a91c0-0000-4000-8000-000000000000', message: /cannot be a UUID/ },
  {
    rule: '9',
    what: 'a BMC whose name is none',
    spec: { bmc: { address: 'redfish://-bad-.example', credentialsName: 'x' } },
    message: /failed to parse BMC address/,
  },
  {
    rule: '10',
    what: 'a root device elsewhere than in /dev',
    spec: { rootDeviceHints: { deviceName: '/tmp/sda' } },
    message: /device name of root device hint/,
  },
  {
    rule: '10',
    what: 'a root device by its id',
    spec: { rootDeviceHints: { deviceName: '/dev/disk/by-id/x' } },
    message: /device name of root device hint/,
  },
  {
    rule: '11',
    what: 'an image from a file',
    spec: { image: { url: 'file:///a', checksum: 'x' } },
    message: /unsupported scheme file/,
  },
  {
    rule: '11',
    what: 'an image from nowhere',
    spec: { image: { url: 'nowhere', checksum: 'x' } },
    message: /is no URL/,
  },
  {
    rule: '11',
    what: 'an image without a checksum',
    spec: { image: { url: 'http://a/b' } },
    message: /checksum is required/,
  },
  {
    rule: '11',
    what: 'an oci image with a checksum',
    spec: { image: { url: 'oci://a/b', checksum: 'x' } },
    message: /checksum cannot be set/,
  },
  {
    rule: '11',
    what: 'a checksum of no known type',
    spec: { image: { ...image, checksumType: 'sha1' as 'md5' } },
    message: /checksumType/,
  },
  {
    rule: '12',
    what: 'a status annotation with fields of its own',
    annotations: { 'baremetalhost.metal3.io/status': '{"x":1}' },
    message: /unknown field/,
  },
  {
    rule: '12',
    what: 'a status annotation with a status that is none',
    annotations: { 'baremetalhost.metal3.io/status': '{"operationalStatus":"fine"}' },
    message: /operationalStatus/,
  },
  {
    rule: '12',
    what: 'a status annotation with an error that is none',
    annotations: { 'baremetalhost.metal3.io/status': '{"errorType":"bad luck"}' },
    message: /errorType/,
  },
  {
    rule: '12',
    what: 'a status annotation that is no JSON',
    annotations: { 'baremetalhost.metal3.io/status': '{' },
    message: /no JSON/,
  },
  {
    rule: '12',
    what: 'a reboot annotation that is no JSON',
    annotations: { 'reboot.metal3.io': 'now' },
    message: /reboot\.metal3\.io/,
  },
  {
    rule: '12',
    what: 'a suffixed reboot annotation with a mode that is none',
    annotations: { 'reboot.metal3.io/x': '{"mode":"sideways"}' },
    message: /"mode": "hard" or "soft"/,
  },
  {
    rule: '12',
    what: 'an inspect annotation that says something else',
    annotations: { 'inspect.metal3.io': 'please' },
    message: /"disabled" or empty/,
  },
  {
    rule: '12',
    what: 'hardware details with fields of their own',
    spec: { inspectionMode: 'disabled', bootMACAddress: '52:54:00:aa:ff:01' },
    annotations: { 'inspect.metal3.io/hardwaredetails': '{"wheels":4}' },
    message: /unknown field/,
  },
  {
    rule: '12',
    what: 'hardware details while it is inspected',
    annotations: { 'inspect.metal3.io/hardwaredetails': JSON.stringify(someHardware) },
    message: /only be used while inspection is disabled/,
  },
  {
    rule: '13',
    what: 'an inspection mode and the annotation against it',
    spec: { inspectionMode: 'agent' },
    annotations: { 'inspect.metal3.io': 'disabled' },
    message: /contradict each other/,
  },
  {
    rule: '13',
    what: 'no inspection and an annotation that asks for one',
    spec: { inspectionMode: 'disabled', bootMACAddress: '52:54:00:aa:ff:02' },
    annotations: { 'inspect.metal3.io': '' },
    message: /contradict each other/,
  },
  {
    rule: '13',
    what: 'a fast inspection where the driver has none',
    spec: { bmc: ipmi, inspectionMode: 'fast' },
    message: /does not support fast inspection/,
  },
  {
    rule: '14',
    what: 'a host that must not be off and is to be offline',
    spec: { disablePowerOff: true, online: false },
    message: /cannot be set offline/,
  },
  {
    rule: '15',
    what: 'an interface with name and MAC',
    spec: { networkInterfaces: [{ name: 'a', macAddress: '52:54:00:aa:00:07' }] },
    message: /exactly one of name and macAddress/,
  },
  {
    rule: '15',
    what: 'an interface without name and MAC',
    spec: { networkInterfaces: [{ hostNetworkAttachment: { name: 'a' } }] as never },
    message: /exactly one of name and macAddress/,
  },
  {
    rule: '15',
    what: 'a MAC of two interfaces, however it is written',
    spec: { networkInterfaces: [{ macAddress: '52:54:00:aa:00:07' }, { macAddress: '52:54:00:AA:00:07' }] },
    message: /networkInterfaces: Duplicate value/,
  },
  {
    rule: '15',
    what: 'an interface named twice',
    spec: { networkInterfaces: [{ name: 'a' }, { name: 'A' }] },
    message: /networkInterfaces: Duplicate value/,
  },
];

const taken: readonly Omit<Case, 'message' | 'rule'>[] = [
  { what: 'a plain host' },
  { what: 'a host without a BMC', spec: { bmc: undefined as never } },
  { what: 'a libvirt host with a boot MAC', spec: { bmc: libvirt, bootMACAddress: '52:54:00:aa:00:01' } },
  {
    what: 'a root device by its path',
    spec: { rootDeviceHints: { deviceName: '/dev/disk/by-path/pci-0000:01:00.0-scsi-0:2:0:0' } },
  },
  { what: 'an oci image', spec: { image: { url: 'oci://registry/a' } } },
  { what: 'a live image without a checksum', spec: { image: { url: 'http://a/b.iso', format: 'live-iso' } } },
  {
    what: 'the status of a host that is being serviced',
    annotations: {
      'baremetalhost.metal3.io/status': '{"operationalStatus":"servicing","errorType":"servicing error"}',
    },
  },
  {
    what: 'the status of a host that could not be detached',
    annotations: { 'baremetalhost.metal3.io/status': '{"errorType":"detach error"}' },
  },
  {
    what: 'reboots of all forms',
    annotations: {
      'reboot.metal3.io': '',
      'reboot.metal3.io/a': '{"mode":"hard","force":true}',
      'reboot.metal3.io/b': '{"mode":""}',
    },
  },
  { what: 'any value of the detached annotation', annotations: { 'baremetalhost.metal3.io/detached': 'anything' } },
  {
    what: 'hardware details of a host that is not inspected',
    spec: { inspectionMode: 'disabled', bootMACAddress: '52:54:00:aa:00:02' },
    annotations: { 'inspect.metal3.io/hardwaredetails': JSON.stringify(someHardware) },
  },
];

describe('admission of hosts', () => {
  let api: HostApi;
  const admission = createHostAdmission();
  const known: BareMetalHost[] = [];
  let number = 100;

  before(async () => {
    api = await startHostApi(admission.rules);
  });
  after(() => api.close());

  const create = ({ name, spec, annotations }: Omit<Case, 'message' | 'rule' | 'what'>): Promise<BareMetalHost> => {
    number += 1;
    const more = { ...(spec === undefined ? {} : { spec }), ...(annotations === undefined ? {} : { annotations }) };
    const host = hostObject(name ?? `a${number}`, more);
    return api.hosts.create(host);
  };
  const change = (name: string, body: object): Promise<BareMetalHost> =>
    api.hosts.patch({ namespace: fleet, name }, { type: 'merge', body });
  const isRefused = (promise: Promise<unknown>, message: RegExp): Promise<void> =>
    assert.rejects(promise, (error) => error instanceof KubeError && message.test(error.message));

  it('refuses new hosts with a BMC while it cannot tell whether another has it', async () => {
    await isRefused(create({}), /cannot be told from each other yet/);
    const bare = await create({ spec: { bmc: undefined as never } });
    const name = bare.metadata.name ?? '';
    await change(name, { spec: { description: 'what nobody else could have may change' } });
    admission.attach({
      hosts: { byIndex: () => known, get: () => undefined },
      read: (key) => api.hosts.get(key),
      mayDo: async () => true,
      clock: systemClock,
    });
  });

  for (const { rule, what, message, ...given } of refused) {
    it(`refuses ${what} (rule ${rule})`, async () => {
      await isRefused(create(given), message);
    });
  }

  for (const { what, ...given } of taken) {
    it(`lets ${what} in`, async () => {
      await create(given);
    });
  }

  it('refuses another BMC address, unless the host is registering or detached (rule 16)', async () => {
    const { metadata } = await create({});
    const name = metadata.name ?? '';
    const address = (last: number) => ({ spec: { bmc: { address: `redfish://10.77.0.${last}` } } });
    const told = (state: string, operationalStatus: string) =>
      api.hosts.status.patch(
        { namespace: fleet, name },
        {
          type: 'merge',
          body: {
            status: {
              operationalStatus,
              errorMessage: '',
              errorCount: 0,
              poweredOn: false,
              provisioning: { state, ID: '' },
            },
          },
        },
      );
    await told('available', 'OK');
    await isRefused(change(name, address(1)), /cannot be changed/);
    await told('available', 'detached');
    await change(name, address(2));
    await told('registering', 'OK');
    await change(name, address(3));
  });

  it('refuses another boot MAC; another way of writing it is none (rule 17)', async () => {
    const { metadata } = await create({ spec: { bootMACAddress: '52:54:00:aa:00:0c' } });
    const name = metadata.name ?? '';
    await change(name, { spec: { bootMACAddress: '52:54:00:AA:00:0C' } });
    await isRefused(change(name, { spec: { bootMACAddress: '52:54:00:aa:00:0d' } }), /cannot be changed/);
  });

  it('lets a host become externally provisioned only while it is available (rule 18)', async () => {
    const { metadata } = await create({});
    const name = metadata.name ?? '';
    const told = (state: string) =>
      api.hosts.status.patch(
        { namespace: fleet, name },
        {
          type: 'merge',
          body: {
            status: {
              operationalStatus: 'OK',
              errorMessage: '',
              errorCount: 0,
              poweredOn: false,
              provisioning: { state, ID: '' },
            },
          },
        },
      );
    await told('provisioned');
    await isRefused(
      change(name, { spec: { externallyProvisioned: true } }),
      /only be turned on while the host is available/,
    );
    await told('available');
    await change(name, { spec: { externallyProvisioned: true } });
  });

  it('refuses a second host with the BMC of another, however its address is written', async () => {
    const first = await create({
      spec: { bmc: { address: 'redfish://10.88.0.1/redfish/v1/Systems/1', credentialsName: 'x' } },
    });
    const other = { address: 'idrac-virtualmedia+https://10.88.0.1:443/redfish/v1/Systems/1/', credentialsName: 'x' };
    // Just let in, and in no cache yet.
    await isRefused(create({ spec: { bmc: other } }), new RegExp(`fleet/${first.metadata.name} has this BMC already`));
    known.push(first);
    await isRefused(create({ spec: { bmc: other } }), new RegExp(`fleet/${first.metadata.name} has this BMC already`));
    await change(first.metadata.name ?? '', { spec: { description: 'itself is no rival' } });
    known.splice(0);
  });

  it('refuses a second host with the boot MAC of another', async () => {
    await create({ spec: { bootMACAddress: '52:54:00:aa:01:01' } });
    await isRefused(create({ spec: { bootMACAddress: '52:54:00:AA:01:01' } }), /has this boot MAC address already/);
  });

  it('lets a host in whose rival was refused by somebody else', async () => {
    const spec = { bootMACAddress: '52:54:00:aa:01:02' };
    await isRefused(create({ spec: { ...spec, disablePowerOff: true, online: false } }), /offline/);
    await create({ spec });
  });

  it('asks nothing of a host that only changes elsewhere, or leaves', async () => {
    const { metadata } = await create({ spec: { bootMACAddress: '52:54:00:aa:01:03' } });
    const name = metadata.name ?? '';
    known.push({ apiVersion: metal3ApiVersion, kind: 'BareMetalHost', metadata: { namespace: fleet, name: 'rival' } });
    await change(name, { metadata: { labels: { a: 'b' }, finalizers: ['x/y'] } });
    await api.hosts.delete({ namespace: fleet, name });
    await change(name, { metadata: { finalizers: null } });
    known.splice(0);
  });

  it('refuses passwords among firmware settings', async () => {
    const object = {
      apiVersion: metal3ApiVersion,
      kind: 'HostFirmwareSettings',
      metadata: { namespace: fleet, name: 's1' },
      spec: { settings: { AdminPassword: 'x' } },
    } as const;
    await isRefused(api.firmwareSettings.create({ ...object }), /AdminPassword cannot be set/);
    await api.firmwareSettings.create({ ...object, spec: { settings: { Boot: 'x' } } });
  });

  it('refuses data images from nowhere', async () => {
    const metadata = { namespace: fleet, name: 'd1' };
    const image = (url: string) =>
      ({ apiVersion: metal3ApiVersion, kind: 'DataImage', metadata, spec: { url } }) as const;
    await isRefused(api.dataImages.create(image('nowhere')), /no URL of http/);
    await isRefused(api.dataImages.create(image('file:///etc/passwd')), /no URL of http/);
    await api.dataImages.create(image('https://images.example/data.iso'));
  });

  it('refuses firmware from nowhere, and for what is no component', async () => {
    const metadata = { namespace: fleet, name: 'c1' };
    const object = { apiVersion: metal3ApiVersion, kind: 'HostFirmwareComponents', metadata } as const;
    const updates = (component: string, url: string) => ({ ...object, spec: { updates: [{ component, url }] } });
    await isRefused(api.firmwareComponents.create(updates('bios', 'nowhere')), /no URL/);
    await isRefused(api.firmwareComponents.create(updates('fan', 'http://a/b')), /bios, bmc or nic:NAME/);
    await api.firmwareComponents.create(updates('nic:eth0', 'http://a/b'));
  });
});
