import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type DataCentre, personalityNames, type RunningBmc, startDataCentre } from '../../../simulator/index.ts';
import { freePortRange } from '../free-ports.ts';
import { type Ironic, startIronic } from './ironic.ts';
import { type IronicSubject, runIronicSteps } from './ironic-steps.ts';
import { whyNoRealIronic } from './programs.ts';
import { readWithSushy } from './read-with-sushy.ts';
import { createScratch, type Scratch } from './scratch.ts';
import { checkThatSushySees, macsOf } from './sushy-sees-machine.ts';

const whyNot = whyNoRealIronic();

describe('Python sushy on the simulator', { skip: whyNot ?? false }, () => {
  const scratch = createScratch('simulator-sushy');
  let centre: DataCentre;
  let caPath: string;

  before(async () => {
    centre = await startOneOfEach({ speed: 1 });
    scratch.keep({ stop: () => centre.close() });
    caPath = writeAuthority(scratch, centre);
  });
  after(() => scratch.end());

  for (const name of personalityNames) {
    it(`reads ${name} as what it is`, async () => {
      const { url, username, password, machine } = ofKind(centre, name);
      const { targets } = await readWithSushy({ targets: [{ url, username, password }], verify: caPath });
      const [result] = targets;
      assert.ok(result);
      checkThatSushySees(result, machine);
      assert.deepEqual(machine.sessions.all, [], 'the session was not closed');
    });
  }
});

describe('a real Ironic on the simulator', { skip: whyNot ?? false }, () => {
  const scratch = createScratch('simulator-ironic');
  let centre: DataCentre;
  let ironic: Ironic;
  let caPath: string;

  before(async () => {
    // A POST of minutes takes seconds; Ironic itself only knows real time.
    centre = await startOneOfEach({ speed: 60 });
    scratch.keep({ stop: () => centre.close() });
    caPath = writeAuthority(scratch, centre);
    ironic = await startIronic({ dataDir: scratch.folder('ironic'), port: await freePortRange(1) });
    scratch.keep(ironic);
  });
  after(() => scratch.end());

  for (const name of personalityNames) {
    runIronicSteps(name, async () => subjectOf(ofKind(centre, name), { ironic, caPath }));
  }
});

function startOneOfEach({ speed }: { speed: number }): Promise<DataCentre> {
  return startDataCentre({ seed: 7, servers: personalityNames.length, personalities: personalityNames, speed });
}

function writeAuthority(scratch: Scratch, centre: DataCentre): string {
  mkdirSync(scratch.folder('trust'), { recursive: true });
  const path = join(scratch.folder('trust'), 'ca.crt');
  writeFileSync(path, centre.caPem ?? '');
  return path;
}

function ofKind(centre: DataCentre, name: string): RunningBmc {
  const found = centre.bmcs.find((bmc) => bmc.machine.personality.name === name);
  assert.ok(found, `the data centre has no ${name}`);
  return found;
}

function subjectOf(bmc: RunningBmc, around: { ironic: Ironic; caPath: string }): IronicSubject {
  const { machine } = bmc;
  const { hardware } = machine;
  return {
    ironic: around.ironic,
    target: {
      redfishAddress: bmc.url,
      username: bmc.username,
      password: bmc.password,
      systemId: bmc.systemPath,
      verifyCa: around.caPath,
    },
    look: { power: async () => machine.power.state, bios: async (name) => machine.bios.current[name] },
    expected: {
      memoryMib: hardware.dimms.reduce((sum, dimm) => sum + dimm.capacityMib, 0),
      macs: macsOf(hardware),
      cpus: hardware.processors.reduce((sum, each) => sum + each.threads, 0),
    },
  };
}
