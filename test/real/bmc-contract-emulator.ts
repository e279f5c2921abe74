import type {
  ContractTarget,
  RunningTarget,
  TargetCapabilities,
  TargetHardware,
} from '../../src/bmc/contract/index.ts';
import { type Bmc, connectBmc, createGates } from '../../src/bmc/index.ts';
import { systemClock } from '../../src/kube/index.ts';
import { freePortRange } from './free-ports.ts';
import { startFileServer } from './ironic/file-server.ts';
import { createScratch } from './ironic/scratch.ts';
import { type SushyTools, startSushyTools } from './ironic/sushy-tools.ts';

/** Which of sushy-tools' emulators to try, and by which way to talk to it. */
export interface EmulatorChoice {
  readonly driver: 'libvirt' | 'fakeplus';
  /** With TLS a password is asked for as well; the emulator knows no sessions, only HTTP Basic. */
  readonly isGuarded: boolean;
}

/** What the emulator does, whichever driver it has. */
const always: TargetCapabilities = {
  hasReset: true,
  hasGracefulShutdown: true,
  bootOverride: 'lasting',
  bios: 'at-once',
  hasFirmware: true,
  hasIndicator: true,
  hasSecureBoot: true,
  hasUpdate: true,
};

/** sushy-tools' emulator as a target of the contract of src/bmc, in real time. */
export function emulatorTarget(choice: EmulatorChoice): ContractTarget {
  const way = choice.isGuarded ? 'TLS with a password' : 'plain HTTP';
  // The libvirt driver uploads media into a storage pool, which libvirt's test hypervisor does not have.
  const capabilities = { ...always, ...(choice.driver === 'fakeplus' ? { hasVirtualMedia: true } : {}) };
  return {
    name: `sushy-tools ${choice.driver} over ${way}`,
    capabilities,
    start: () => start(choice, capabilities),
  };
}

async function start(choice: EmulatorChoice, capabilities: TargetCapabilities): Promise<RunningTarget> {
  const scratch = createScratch('bmc-contract');
  try {
    const emulator = scratch.keep(await startEmulator(choice, scratch.folder('emulator')));
    const files = scratch.keep(await startFileServer());
    const mediumUri = files.add('boot.iso', Buffer.alloc(64 * 1024, 'a medium that nobody boots'));
    const { systemPath } = emulator;
    return {
      capabilities,
      hardware: hardwareOf(emulator),
      mediumUri,
      // The emulator does not look at the image: it adds one to the second part of the version.
      biosUpdate: async () => ({
        order: { image: { uri: mediumUri }, targets: [systemPath], component: 'bios', version: '1.1.0' },
        component: 'bios',
        version: '1.1.0',
        from: '1.0.0',
      }),
      asProcess: (work) => inProcess(emulator, work),
      close: () => scratch.end(),
    };
  } catch (error) {
    await scratch.end();
    throw error;
  }
}

async function startEmulator({ driver, isGuarded }: EmulatorChoice, dataDir: string): Promise<SushyTools> {
  const guard = isGuarded ? { withTls: true, withBasicAuth: true } : {};
  return startSushyTools({ dataDir, port: await freePortRange(1), driver, ...guard });
}

function hardwareOf(emulator: SushyTools): TargetHardware {
  const uuid = emulator.systemPath.slice(emulator.systemPath.lastIndexOf('/') + 1);
  return {
    vendor: 'generic',
    uuid,
    processors: 4,
    drives: 1,
    macs: ['52:54:00:00:00:01'],
    biosVersion: '1.0.0',
    bmcVersion: '1.00',
    // Linked, and answered with 404.
    missing: [`${emulator.systemPath}/Memory`, '/redfish/v1/UpdateService/FirmwareInventory'],
  };
}

async function inProcess<T>(emulator: SushyTools, work: (bmc: Bmc) => Promise<T>): Promise<T> {
  const { url, username, password, caPem, systemPath } = emulator;
  const gates = createGates({ clock: systemClock, random: Math.random });
  const trust = caPem === undefined ? { kind: 'system' as const, allowsHttp: true } : { kind: 'ca' as const, caPem };
  const endpoint = { origin: url, credentials: async () => ({ username, password }), trust };
  try {
    return await work(connectBmc({ gates, endpoint, clock: systemClock, systemPath }));
  } finally {
    await gates.close();
  }
}
