import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { freePortRange } from '../free-ports.ts';
import { type Ironic, startIronic } from './ironic.ts';
import { lookByReading, runIronicSteps } from './ironic-steps.ts';
import { whyNoRealIronic } from './programs.ts';
import { createScratch } from './scratch.ts';
import { type SushyTools, startSushyTools } from './sushy-tools.ts';

const whyNot = whyNoRealIronic();

describe('a real Ironic with a real Redfish emulator', { skip: whyNot ?? false, concurrency: true }, () => {
  const scratch = createScratch('ironic');
  let ironic: Ironic;
  let stock: SushyTools;
  let guarded: SushyTools;

  before(async () => {
    const port = await freePortRange(3);
    ironic = scratch.keep(await startIronic({ dataDir: scratch.folder('ironic'), port }));
    stock = scratch.keep(
      await startSushyTools({ dataDir: scratch.folder('stock'), port: port + 1, driver: 'libvirt' }),
    );
    guarded = scratch.keep(
      await startSushyTools({
        dataDir: scratch.folder('guarded'),
        port: port + 2,
        driver: 'fakeplus',
        withTls: true,
        withBasicAuth: true,
      }),
    );
  });
  after(() => scratch.end());

  // Each emulator lends another system: Ironic takes a MAC address only once.
  const subjectOf = async (emulator: SushyTools, index: number) => ({
    ironic,
    target: {
      redfishAddress: emulator.url,
      username: emulator.username,
      password: emulator.password,
      systemId: emulator.systemPaths[index] ?? '',
      verifyCa: emulator.caPath ?? true,
    },
    look: lookByReading(emulator.reader, emulator.systemPaths[index] ?? ''),
    biosSetting: 'ProcTurboMode',
    expected: { memoryMib: 16384, macs: [`52:54:00:00:00:0${index + 1}`], cpus: 4, architecture: 'x86_64' },
  });

  runIronicSteps({
    name: 'sushy-tools with its stock libvirt driver',
    connect: async () => ({
      ...(await subjectOf(stock, 0)),
      // The emulator does not look at the image; it adds one to the second part of the version.
      biosImage: { url: 'http://127.0.0.1/image', version: '1.1.0' },
    }),
    withFirmware: true,
  });
  runIronicSteps({
    name: 'sushy-tools over TLS with a password',
    connect: async () => {
      const subject = await subjectOf(guarded, 1);
      return { ...subject, expected: { ...subject.expected, cpus: 16 } };
    },
  });

  it('says why a step failed, with the reason of Ironic', async () => {
    const { target } = await subjectOf(guarded, 2);
    const driver_info = {
      redfish_address: target.redfishAddress,
      redfish_username: target.username,
      redfish_password: 'not-the-password',
      redfish_system_id: target.systemId,
      redfish_verify_ca: target.verifyCa,
    };
    const { uuid } = (await ironic.api('POST', '/v1/nodes', { driver: 'redfish', driver_info })) as { uuid: string };
    await ironic.api('PUT', `/v1/nodes/${uuid}/states/provision`, { target: 'manage' });
    await assert.rejects(ironic.waitForState(uuid, 'manageable'), /the node is enroll instead of manageable/);
  });
});
