import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  buildImage,
  type DataCentre,
  type FirmwareImage,
  type FirmwareSlot,
  type Machine,
  type PersonalityName,
  personalityNames,
  type RunningBmc,
  startDataCentre,
} from '../../../simulator/index.ts';
import { freePortRange } from '../free-ports.ts';
import { type ImageServer, startImageServer } from './image-server.ts';
import { type Ironic, startIronic } from './ironic.ts';
import { type IronicSubject, runIronicSteps } from './ironic-steps.ts';
import { whyNoRealIronic } from './programs.ts';
import { readWithSushy } from './read-with-sushy.ts';
import { createScratch, type Scratch } from './scratch.ts';
import { checkThatSushySees, macsOf, switchesOf } from './sushy-sees-machine.ts';
import { until } from './until.ts';

const whyNot = whyNoRealIronic();

describe('Python sushy on the simulator', { skip: whyNot ?? false }, () => {
  const scratch = createScratch('simulator-sushy');
  let centre: DataCentre;
  let caPath: string;

  before(async () => {
    centre = await startOneOfEach({ personalities: personalityNames, speed: 1 });
    scratch.keep({ stop: () => centre.close() });
    caPath = writeAuthority(scratch, centre);
  });
  after(() => scratch.end());

  const read = async ({ url, username, password, machine }: RunningBmc) => {
    const { targets } = await readWithSushy({ targets: [{ url, username, password }], verify: caPath });
    const [result] = targets;
    assert.ok(result);
    checkThatSushySees(result, machine);
    assert.deepEqual(machine.sessions.all, [], 'the session was not closed');
  };

  for (const name of personalityNames) {
    it(`reads ${name} as what it is`, () => read(ofKind(centre, name)));
  }
});

/** Whose BIOS Ironic also updates. HPE's completes its task when the image is staged, and there Ironic stops. */
const updated: PersonalityName = 'dell-idrac9';

/** So many nodes at a time: most of it is waiting, for POST and for Ironic's intervals. */
const concurrency = 3;

describe('a real Ironic on the simulator', { skip: whyNot ?? false, concurrency }, () => {
  const scratch = createScratch('simulator-ironic');
  let around: Around;
  let centre: DataCentre;

  before(async () => {
    // Ironic only knows real time: a POST of minutes shall take seconds.
    centre = await startOneOfEach({ personalities: personalityNames, speed: 60 });
    scratch.keep({ stop: () => centre.close() });
    const images = scratch.keep(await startImageServer());
    const ironic = await startIronic({ dataDir: scratch.folder('ironic'), port: await freePortRange(1) });
    around = { ironic: scratch.keep(ironic), images, scratch };
  });
  after(() => scratch.end());

  for (const name of personalityNames) {
    runIronicSteps({ name, withFirmware: name === updated, connect: async () => subjectOf(centre, name, around) });
  }
});

function startOneOfEach(order: { personalities: readonly PersonalityName[]; speed: number }): Promise<DataCentre> {
  return startDataCentre({ seed: 7, servers: order.personalities.length, ...order });
}

function writeAuthority(scratch: Scratch, centre: DataCentre): string {
  const folder = scratch.folder(`trust-${centre.bmcs.length}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ca.crt'), centre.caPem ?? '');
  return join(folder, 'ca.crt');
}

function ofKind(centre: DataCentre, name: string): RunningBmc {
  const found = centre.bmcs.find((bmc) => bmc.machine.personality.name === name);
  assert.ok(found, `the data centre has no ${name}`);
  return found;
}

interface Around {
  readonly ironic: Ironic;
  readonly images: ImageServer;
  readonly scratch: Scratch;
}

function subjectOf(centre: DataCentre, name: PersonalityName, around: Around): IronicSubject {
  const bmc = ofKind(centre, name);
  const { machine } = bmc;
  const { hardware } = machine;
  return {
    ironic: around.ironic,
    target: {
      redfishAddress: bmc.url,
      username: bmc.username,
      password: bmc.password,
      systemId: bmc.systemPath,
      verifyCa: writeAuthority(around.scratch, centre),
    },
    look: {
      power: async () => machine.power.state,
      bios: async (name) => machine.bios.current[name],
      biosVersion: async () => biosOf(machine).version,
    },
    biosImage: around.images.add(nextBiosOf(machine), () => nextReset(machine)),
    expected: {
      memoryMib: hardware.dimms.reduce((sum, dimm) => sum + dimm.capacityMib, 0),
      macs: macsOf(hardware),
      cpus: hardware.processors.reduce((sum, each) => sum + each.threads, 0),
      architecture: /Xeon|EPYC/.test(hardware.processors[0]?.model ?? '') ? 'x86_64' : 'aarch64',
      switches: switchesOf(machine),
    },
  };
}

/**
 * Ironic restarts the host once, when it first sees the update run. A download that lasts until then keeps that restart
 * out of the flash, which it would break, however slow Ironic is.
 */
function nextReset({ log }: Machine): Promise<boolean> {
  const isReset = ({ event }: { readonly event: string }) => event === 'power.reset';
  const before = log.events.filter(isReset).length;
  return until({
    what: 'the restart of the host by Ironic',
    timeoutMs: 50_000,
    look: async () => (log.events.filter(isReset).length > before ? true : undefined),
  });
}

function biosOf(machine: Machine): FirmwareSlot {
  const found = machine.firmware.find((slot) => slot.component === 'bios');
  assert.ok(found, `${machine.name} has no BIOS`);
  return found;
}

function nextBiosOf(machine: Machine): FirmwareImage {
  const { softwareId, version } = biosOf(machine);
  return buildImage({
    vendor: machine.personality.manufacturer,
    models: [machine.hardware.model],
    softwareId,
    component: 'bios',
    // Versions are opaque to Ironic; the last digit becomes another one.
    version: version.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)),
    payloadBytes: 65_536,
  });
}
