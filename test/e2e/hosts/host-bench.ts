import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type DataCentre, startDataCentre } from '../../../simulator/index.ts';
import { freePortRange } from '../../real/free-ports.ts';
import { openAgentDoor } from '../../real/ironic/agent-door.ts';
import { type FileServer, startFileServer } from '../../real/ironic/file-server.ts';
import { type Ironic, startIronic } from '../../real/ironic/ironic.ts';
import { lookByReading } from '../../real/ironic/ironic-steps.ts';
import { ironicLogin, ironicWords } from '../../real/ironic/ironic-words.ts';
import type { Scratch } from '../../real/ironic/scratch.ts';
import { type SushyTools, startSushyTools } from '../../real/ironic/sushy-tools.ts';

/** What one can log in to a BMC with. */
export interface Login {
  readonly username: string;
  readonly password: string;
}

/** A machine that becomes a host: how it is reached, what can be written to it, and what its BMC says of it. */
export interface BenchMachine {
  /** Of the host, and of its objects. */
  readonly name: string;
  /** What only this machine has of a BareMetalHost. */
  readonly spec: { readonly bmc: object; readonly [field: string]: unknown };
  readonly image: { readonly url: string };
  readonly expectedRamMebibytes: number;
  /** The setting that is changed; without it the first one that can be. */
  readonly biosSetting?: string;
  login(): Login;
  /** Gives the BMC another password. */
  changePassword(): void;
  isPoweredOn(): Promise<boolean>;
  bios(name: string): Promise<unknown>;
  /** How often its power was switched or reset so far; undefined where the BMC does not tell. */
  powerChanges(): number | undefined;
}

/** A real Ironic, and for every suite a machine on sushy-tools and one of the simulator. */
export interface HostBench {
  readonly ironic: Ironic;
  /** What one tells controllers to use it. */
  readonly words: readonly string[];
  /** What must never be told. */
  readonly secrets: readonly string[];
  /** The machines of one suite. */
  machinesOf(suite: number): readonly BenchMachine[];
}

/** Real minutes would pass in POST and while the ramdisk boots. */
const speed = 30;

/** Starts Ironic and the machines of so many suites. */
export async function startHostBench(scratch: Scratch, suites: number): Promise<HostBench> {
  const port = await freePortRange(1 + suites);
  const files = scratch.keep(await startFileServer());
  const ironic = scratch.keep(await startIronic({ dataDir: scratch.folder('ironic'), port, credentials: ironicLogin }));
  const door = scratch.keep(await openAgentDoor(ironic));
  const centre = await startDataCentre({
    ...{ seed: 8, servers: suites, speed, personalities: ['dell-idrac9'] },
    agent: { kind: 'ironic', url: door.url },
  });
  scratch.keep({ stop: () => centre.close() });
  const emulators: SushyTools[] = [];
  for (let suite = 0; suite < suites; suite++) {
    const where = { dataDir: scratch.folder(`emulator-${suite}`), port: port + 1 + suite };
    const options = { ...where, driver: 'fakeplus', withTls: true, withBasicAuth: true } as const;
    emulators.push(scratch.keep(await startSushyTools(options)));
  }
  const words = ironicWords(ironic, scratch);
  return {
    ironic,
    words,
    secrets: [
      ironicLogin.password,
      ...centre.bmcs.map(({ password }) => password),
      ...emulators.map(({ password }) => password),
      changedPassword,
    ],
    machinesOf(suite) {
      const emulator = emulators[suite];
      assert.ok(emulator !== undefined);
      return [emulated(emulator, { files, suite }), simulated(centre, { files, suite })];
    },
  };
}

const changedPassword = 'An0ther-of-this-run';

/** What no BMC takes. */
export const wrongPassword = 'wr0ng-of-this-run';

interface Suite {
  readonly files: FileServer;
  readonly suite: number;
}

function emulated(emulator: SushyTools, { files, suite }: Suite): BenchMachine {
  // Addresses of NICs are the same in every emulator, and Ironic has each only once.
  const index = suite + 2;
  const path = emulator.systemPaths[index] ?? '';
  const look = lookByReading(emulator.reader, path);
  return {
    name: 'on-sushy-tools',
    spec: {
      bmc: { address: `redfish-virtualmedia+${emulator.url}${path}`, disableCertificateVerification: true },
      bootMACAddress: `52:54:00:00:00:${String(index + 1).padStart(2, '0')}`,
      inspectionMode: 'fast',
    },
    image: { ...{ format: 'live-iso' }, url: files.add('live.iso', Buffer.alloc(1_048_576, 'i')) },
    expectedRamMebibytes: 16_384,
    biosSetting: 'ProcTurboMode',
    login: () => ({ username: emulator.username, password: emulator.password }),
    changePassword: () => emulator.changePassword(changedPassword),
    isPoweredOn: async () => (await look.power()) === 'On',
    bios: look.bios,
    powerChanges: () => undefined,
  };
}

function simulated(centre: DataCentre, { files, suite }: Suite): BenchMachine {
  const bmc = centre.bmcs[suite];
  assert.ok(bmc !== undefined);
  const { machine } = bmc;
  const bytes = Buffer.from(`an operating system ${'.'.repeat(200_000)}`);
  const checksum = createHash('sha256').update(bytes).digest('hex');
  let { password } = bmc;
  return {
    name: 'on-simulator',
    spec: {
      bmc: { address: `redfish+${bmc.url}${bmc.systemPath}`, disableCertificateVerification: true },
      bootMACAddress: machine.hardware.nics[0]?.ports[0]?.mac.toLowerCase(),
    },
    image: { ...{ checksum, checksumType: 'sha256', format: 'raw' }, url: files.add('image.raw', bytes) },
    expectedRamMebibytes: machine.hardware.dimms.reduce((sum, dimm) => sum + dimm.capacityMib, 0),
    login: () => ({ username: bmc.username, password }),
    changePassword() {
      assert.ok(machine.accounts.change(bmc.username, { password: changedPassword }));
      password = changedPassword;
    },
    isPoweredOn: async () => machine.power.state === 'On',
    bios: async (name) => machine.bios.current[name],
    powerChanges: () => machine.log.events.filter(({ event }) => /^power\./.test(event)).length,
  };
}
