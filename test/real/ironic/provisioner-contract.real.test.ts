import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type DataCentre, startDataCentre } from '../../../simulator/index.ts';
import { type ContractSubject, describeProvisionerContract } from '../../../src/provisioners/contract/index.ts';
import { createIronicProvisioners, type Provisioners } from '../../../src/provisioners/index.ts';
import { freePortRange } from '../free-ports.ts';
import { openAgentDoor } from './agent-door.ts';
import { serverOf } from './agent-nodes.ts';
import { type FileServer, startFileServer } from './file-server.ts';
import { type Ironic, startIronic } from './ironic.ts';
import { lookByReading } from './ironic-steps.ts';
import { whyNoRealIronic } from './programs.ts';
import { createScratch } from './scratch.ts';
import { type SushyTools, startSushyTools } from './sushy-tools.ts';

/** Real minutes would pass in POST and while the ramdisk boots. */
const speed = 30;
/** Each look costs Ironic some of the CPU that it has. */
const lookEveryMs = 700;
const credentials = { username: 'rackwright', password: 'of-this-run-only' };

describe('a real Ironic as provisioner', { skip: whyNoRealIronic() ?? false, concurrency: true }, () => {
  const scratch = createScratch('provisioner');
  let ironic: Ironic;
  let emulator: SushyTools;
  let centre: DataCentre;
  let files: FileServer;
  let provisioners: Provisioners;

  before(async () => {
    const port = await freePortRange(2);
    files = scratch.keep(await startFileServer());
    ironic = scratch.keep(await startIronic({ dataDir: scratch.folder('ironic'), port, credentials }));
    emulator = scratch.keep(
      await startSushyTools({
        dataDir: scratch.folder('emulator'),
        port: port + 1,
        driver: 'fakeplus',
        withTls: true,
        withBasicAuth: true,
      }),
    );
    const door = scratch.keep(await openAgentDoor(ironic));
    centre = await startDataCentre({
      seed: 5,
      servers: 1,
      speed,
      personalities: ['dell-idrac9'],
      agent: { kind: 'ironic', url: door.url },
    });
    scratch.keep({ stop: () => centre.close() });
    // Nothing loads them: the simulated ramdisk is the agent.
    const ramdisk = join(ironic.filesDir, 'ramdisk');
    writeFileSync(ramdisk, 'r'.repeat(4096));
    provisioners = createIronicProvisioners({
      url: ironic.url,
      credentials,
      deployImages: { kernelUrl: `file://${ramdisk}`, ramdiskUrl: `file://${ramdisk}` },
    });
    scratch.keep({ stop: () => provisioners.close() });
  });
  after(() => scratch.end());

  const standing = { pause: () => delay(lookEveryMs) };
  /** A restart would break what Ironic is at with the other host. */
  const emulated = Promise.withResolvers<void>();

  describeProvisionerContract({
    name: 'sushy-tools over TLS with a password',
    canRefuseCredentials: true,
    canChangePassword: false,
    canRestart: false,
    canUpdateFirmware: false,
    connect: async (): Promise<ContractSubject> => {
      const path = emulator.systemPaths[3] ?? '';
      const look = lookByReading(emulator.reader, path);
      const iso = files.add('live.iso', Buffer.alloc(1_048_576, 'i'));
      return {
        ...standing,
        provisioners,
        host: {
          namespace: 'metal3',
          name: 'emulated',
          bmc: {
            address: `redfish-virtualmedia+${emulator.url}${path}`,
            isCertificateUnchecked: true,
            credentials: { username: emulator.username, password: emulator.password },
          },
          bootMacAddress: '52:54:00:00:00:04',
          isPowerOffDisabled: false,
        },
        look: { isPoweredOn: async () => (await look.power()) === 'On', bios: look.bios },
        inspectionMode: 'fast',
        expected: { ramMebibytes: 16_384, macs: ['52:54:00:00:00:04'], cpus: 16 },
        deployment: { image: { url: iso, format: 'live-iso' }, bootMode: 'UEFI' },
        biosSetting: 'ProcTurboMode',
        wrongCredentials: { username: emulator.username, password: 'not-the-password' },
        close: async () => emulated.resolve(),
      };
    },
  });

  describeProvisionerContract({
    name: 'the simulator, with an agent that writes the image',
    canRefuseCredentials: true,
    canChangePassword: true,
    canRestart: true,
    canUpdateFirmware: false,
    connect: async (): Promise<ContractSubject> => {
      const { bmc, host, macs, bootMac } = serverOf(centre, 'dell-idrac9');
      const { machine } = host;
      const image = Buffer.from(`an operating system ${'.'.repeat(200_000)}`);
      const checksum = createHash('sha256').update(image).digest('hex');
      return {
        ...standing,
        provisioners,
        host: {
          namespace: 'metal3',
          name: 'simulated',
          bmc: {
            address: `redfish+${bmc.url}${bmc.systemPath}`,
            isCertificateUnchecked: true,
            credentials: { username: bmc.username, password: bmc.password },
          },
          bootMacAddress: bootMac,
          isPowerOffDisabled: false,
        },
        look: {
          isPoweredOn: async () => machine.power.state === 'On',
          bios: async (name) => machine.bios.current[name],
        },
        expected: {
          ramMebibytes: machine.hardware.dimms.reduce((sum, dimm) => sum + dimm.capacityMib, 0),
          macs,
          cpus: machine.hardware.processors.reduce((sum, each) => sum + each.threads, 0),
        },
        deployment: {
          image: { url: files.add('image.raw', image), checksum, checksumType: 'sha256', format: 'raw' },
          bootMode: 'UEFI',
        },
        wrongCredentials: { username: bmc.username, password: 'not-the-password' },
        restart: async () => {
          await emulated.promise;
          await ironic.restart();
        },
        close: async () => {},
        changePassword: async () => {
          assert.ok(machine.accounts.change(bmc.username, { password: 'Another-Passw0rd' }));
          return 'Another-Passw0rd';
        },
      };
    },
  });
});
