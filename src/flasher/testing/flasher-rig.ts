import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  availableFirmware,
  buildImage,
  createSteppedClock,
  type FaultRule,
  type Machine,
  type PersonalityName,
  startDataCentre,
} from '../../../simulator/index.ts';
import { createGates, type Gates, type KnownMachine } from '../../bmc/index.ts';
import { createEgress } from '../../egress/index.ts';
import type { WorkOutcome } from '../../engine/index.ts';
import { createArtifactCache, startFileServer } from '../../firmware-store/index.ts';
import type { FirmwareComponent } from '../../parts/index.ts';
import { noMetrics, silentLogger } from '../../telemetry/index.ts';
import { createFlasherMetrics } from '../flasher-metrics.ts';
import type { InstallParameters } from '../install/parameters.ts';
import type { InstallContext } from '../install/ports.ts';
import { runInstall } from '../install/run-install.ts';
import { defaultInstallSettings, type InstallSettings } from '../install/settings.ts';
import type { Firmware } from '../plan/firmware.ts';
import { leaseWork, type StoredWork, storeWork } from './fake-work.ts';
import { createMortal, Killed, type Mortal } from './mortal.ts';

/** For tests: how one process ended. */
export type ProcessEnd = WorkOutcome | { readonly outcome: 'killed' };

/** For tests: one simulated server, images for it, and processes that work on it one after the other. */
export interface FlasherRig {
  readonly machine: Machine;
  /** What the inventory knows the server by; what its board says in the beginning. */
  known: KnownMachine;
  /** From now on another machine answers at the address of the server. */
  putOtherMachine(): void;
  setFaults(rules: readonly FaultRule[]): void;
  /** The newest image for the first updateable slot of a component, served over HTTP. */
  release(component: FirmwareComponent, more?: Partial<Firmware>): Promise<Firmware>;
  /** A new order for an install. */
  order(parameters: Partial<InstallParameters>): StoredWork & { readonly install: InstallParameters };
  /** Lets one process work on an order. */
  process(order: ReturnType<FlasherRig['order']>, how?: ProcessOptions): Promise<ProcessEnd>;
  /** How often something began to be written, by slot. */
  flashes(): readonly string[];
  versionOf(component: FirmwareComponent): string | undefined;
  /** Runs anything with a context as a process has. */
  within<T>(work: (context: InstallContext) => Promise<T>, mortal?: Mortal): Promise<T>;
}

/** For tests: how a process lives and dies. */
export interface ProcessOptions {
  readonly mortal?: Mortal;
  readonly onLease?: (work: ReturnType<typeof leaseWork>) => void;
  readonly settings?: Partial<InstallSettings>;
  /** How it reads the inventory after an install; not at all unless given. */
  readonly readInventory?: InstallContext['readInventory'];
  /** It is killed then, whatever it does. */
  readonly diesAfterMs?: number;
}

/** For tests: starts a rig that ends with its test. */
export async function startFlasherRig(
  context: TestContext,
  personality: PersonalityName,
  more: { readonly arePoweredOn?: boolean; readonly seed?: number } = {},
): Promise<FlasherRig> {
  const clock = createSteppedClock();
  const dataCentre = await startDataCentre({
    seed: more.seed ?? 7,
    servers: 1,
    personalities: [personality],
    isPlain: true,
    addressing: 'port',
    arePoweredOn: more.arePoweredOn ?? true,
    clock,
  });
  const folder = await mkdtemp(join(tmpdir(), 'flasher-'));
  const files = await startFileServer(context);
  // The operator named the host of the images; of an internal one that is not named, errors say nothing.
  const egress = createEgress({ hosts: ['127.0.0.1'] });
  const cache = await createArtifactCache({ folder, maxBytes: 100_000_000, egress });
  const opened: Gates[] = [];
  const [running] = dataCentre.bmcs;
  assert.ok(running);
  const { machine } = running;
  context.after(async () => {
    try {
      await clock.run(machine.name, async () => {
        for (const gates of opened) await gates.close();
      });
    } finally {
      // Time that stands still must not keep the test process too.
      await cache.close();
      await dataCentre.close();
      clock.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
  // One object: another one would look like other credentials.
  const { username, password } = running;
  const credentials = async () => ({ username, password });
  const endpoint = { origin: running.url, credentials, trust: { kind: 'system' as const, allowsHttp: true } };

  const rig: FlasherRig = {
    machine,
    known: { uuid: machine.hardware.uuid, serial: machine.hardware.serial },
    putOtherMachine: () => void Object.assign(machine.hardware, otherMachine),
    setFaults: (rules) => dataCentre.setFaults(rules),
    release: async (component, change) => makeRelease(machine, { component, change, put: files.put }),
    order(parameters) {
      const install = { ...plainParameters, ...parameters };
      return { ...storeWork({ kind: 'firmwareInstall', parameters: {} }), install };
    },
    within: (work, mortal = createMortal()) =>
      clock.run(machine.name, async (party) => {
        const random = () => 0.5;
        // Stepped time knows one strand a BMC: nothing may be sent while the work sleeps.
        const gates = createGates({ clock: party, random, settings: { idleLogOutMs: 240 * 3_600_000 } });
        opened.push(gates);
        const context: InstallContext = {
          gates: mortal.gates(gates),
          servers: { find: async () => ({ endpoint, systemPath: running.systemPath, machine: rig.known }) },
          catalogue: { readSet: async () => undefined },
          // Files are fetched in real time, for which stepped time stands still.
          artifacts: { ...boundCache(cache), open: (order) => clock.standStill(cache.open(order)) },
          imageAddress: ({ url }) => ({ uri: url }),
          clock: party,
          random,
          logger: silentLogger,
          metrics: createFlasherMetrics(noMetrics),
          settings: rigSettings,
        };
        try {
          return await work(context);
        } finally {
          // Who leaves a BMC waits for no log-out, but beside the next work it would be a second strand.
          await mortal.loggedOut();
        }
      }),
    async process(order, { mortal = createMortal(), onLease, settings, readInventory, diesAfterMs } = {}) {
      return rig.within(async (plain) => {
        const base = readInventory === undefined ? plain : { ...plain, readInventory };
        const work = leaseWork(order, { mortal, clock: base.clock });
        const death = diesAfterMs === undefined ? undefined : base.clock.after(diesAfterMs, () => mortal.die());
        onLease?.(work);
        try {
          return await runInstall(work, order.install, { ...base, settings: { ...base.settings, ...settings } });
        } catch (error) {
          if (error instanceof Killed || mortal.isDead) return { outcome: 'killed' };
          throw error;
        } finally {
          death?.cancel();
        }
      }, mortal);
    },
    flashes: () =>
      machine.log.events
        .filter(({ event }) => event === 'update.flash-begin')
        .map(({ detail }) => /slot=(?:"([^"]*)"|(\S+))/.exec(detail)?.slice(1).join('') ?? ''),
    versionOf: (component) =>
      machine.firmware.find((slot) => slot.component === component && slot.isUpdateable)?.version,
  };
  return rig;
}

/** For tests: what a machine tells that took the place of another. */
export const otherMachine = { uuid: '7e0d1c2b-5a69-4788-96a5-b4c3d2e1f001', serial: 'OTHER-1', sku: 'OTHER-1' };

function boundCache(cache: Awaited<ReturnType<typeof createArtifactCache>>) {
  return { bytesUsed: () => cache.bytesUsed(), close: () => cache.close() };
}

/**
 * Stepped time knows one strand, and a stream of events would be another. Time costs nothing here and each look does, so
 * that looks are farther apart than they are by default.
 */
const rigSettings: InstallSettings = {
  ...defaultInstallSettings,
  areEventsHeard: false,
  poll: { first: 5000, most: 120_000 },
  verify: { ...defaultInstallSettings.verify, poll: { first: 5000, most: 60_000 } },
};

/** For tests: nothing special. */
export const plainParameters: InstallParameters = {
  firmwareSetId: undefined,
  firmwares: [],
  isForced: false,
  isDryRun: false,
  doesResetBmcFirst: false,
  mustHostBeOff: false,
  mayGoBack: true,
  boot: 'auto',
};

/** For tests: the newest image for a machine, put on a file server. */
export async function makeRelease(
  machine: Machine,
  about: {
    readonly component: FirmwareComponent;
    readonly change?: Partial<Firmware> | undefined;
    readonly put: (path: string, body: Buffer) => string;
  },
): Promise<Firmware> {
  const { component, change = {}, put } = about;
  const slot = machine.firmware.find((each) => each.component === component && each.isUpdateable);
  assert.ok(slot, `no ${component}`);
  const found = availableFirmware(machine.personality, machine.hardware.model).find(
    (each) => each.softwareId === slot.softwareId && each.isNewest,
  );
  assert.ok(found, `no image for ${slot.softwareId}`);
  const version = change.version ?? found.version;
  const { vendor, models, softwareId } = found;
  const image = buildImage({ vendor, models, softwareId, component: found.component, version, payloadBytes: 20_000 });
  const path = `/${softwareId.replaceAll(/[^\w.-]/g, '_')}-${version.replaceAll(/\W/g, '_')}.bin`;
  const url = put(path, image.bytes());
  return {
    id: `fw-${component}`,
    vendor,
    component,
    version,
    filename: path.slice(1),
    url,
    checksum: `sha256:${image.sha256}`,
    models: component === 'nic' ? [slot.name.split(' - ')[0] ?? slot.name] : [machine.hardware.model],
    isInband: false,
    softwareIds: [softwareId],
    ...change,
  };
}
