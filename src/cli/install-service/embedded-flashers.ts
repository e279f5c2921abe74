import { join } from 'node:path';
import type { Gates } from '../../bmc/index.ts';
import type { Bus } from '../../engine/index.ts';
import { defaultInstallSettings, type InstallSettings, type PollTimes } from '../../flasher/index.ts';
import type { Logger, Metrics, Tracer } from '../../telemetry/index.ts';
import type { Settings } from '../settings.ts';
import { type EgressSettings, egressOf } from './egress.ts';
import { type Rack, rackFacility } from './enrol-rack.ts';
import { storedInventory, storedInventorySink } from './inventory-access.ts';
import { createRackImages } from './rack-images.ts';
import { type FlasherParts, type RunningFlasher, readTrust, startFlasher } from './start-flasher.ts';
import type { WorkPlane } from './work-plane.ts';

/** What the flashers of `rackwright up` are told. */
export type EmbeddedFlasherSettings = ImageSettings &
  Settings<'speed' | 'bmcSpeed' | 'facilities' | 'concurrency' | 'bmcCa' | 'bmcInsecure' | 'bmcHttp'>;

type ImageSettings = Settings<'dataDir' | 'imageFolder' | 'allowUnverifiedFirmware'> & EgressSettings;

/** The most that images take on disk. */
const imagesBytes = 20 * 1024 ** 3;

/** Short: whoever pressed Ctrl-C waits for it, and what is cut off goes on at the next start. */
const graceMs = 3000;

/** What the flashers of `rackwright up` work with. */
export interface EmbeddedFlasherParts {
  readonly plane: WorkPlane;
  readonly bus: Bus;
  readonly rack: Rack | undefined;
  /** True when other processes may use the store too. */
  readonly isShared: boolean;
  /** Where others of this process talk to BMCs too. */
  readonly gates?: Gates | undefined;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer?: Tracer | undefined;
}

/** Starts one for real facilities, and one for the simulated rack, whose time is faster. */
export async function startEmbeddedFlashers(
  settings: EmbeddedFlasherSettings,
  parts: EmbeddedFlasherParts,
): Promise<RunningFlasher[]> {
  const { plane, bus, rack, logger, metrics } = parts;
  const shared = {
    bus,
    logger,
    metrics,
    tracer: parts.tracer,
    graceMs,
    port: plane.engine.worker,
    inventory: storedInventory(plane.service),
    inventorySink: storedInventorySink(plane.service),
    images: embeddedImages(settings),
    concurrency: settings.concurrency,
    gates: parts.gates,
  };
  // The lock on the store shows that an earlier life of this process is over: its work is taken up at once.
  const idOf = (name: string): { id?: string } => (parts.isShared ? {} : { id: `flasher/embedded/${name}` });
  const wanted: FlasherParts[] = [
    {
      ...shared,
      ...idOf('facilities'),
      trust: readTrust(settings),
      facilities: settings.facilities,
      settings: inFastTime(settings.bmcSpeed),
      isRehearsal: settings.bmcSpeed > 1,
    },
  ];
  if (rack !== undefined) {
    const { caPem } = rack.dataCentre;
    wanted.push({
      ...shared,
      ...idOf('simulated'),
      facilities: [rackFacility],
      // Without an authority it speaks plain HTTP, on this machine.
      trust: caPem === undefined ? { kind: 'system', allowsHttp: true } : { kind: 'ca', caPem },
      rackImages: createRackImages(rack.adminUrl),
      settings: inFastTime(settings.speed),
    });
  }
  const flashers = await Promise.all(wanted.map(startFlasher));
  await Promise.all(flashers.map(({ online }) => online));
  return flashers;
}

/** Where they keep images, and where they may take them from. */
export function embeddedImages(settings: ImageSettings): FlasherParts['images'] {
  const { dataDir, imageFolder, allowUnverifiedFirmware } = settings;
  return {
    egress: egressOf(settings),
    folder: join(dataDir, 'images'),
    maxBytes: imagesBytes,
    areUnverifiedAllowed: allowUnverifiedFirmware,
    ...(imageFolder === undefined ? {} : { fileFolders: [imageFolder] }),
  };
}

/** Where minutes pass in a second, looking every few seconds would be looking every few minutes. */
export function inFastTime(speed: number): Partial<InstallSettings> {
  if (speed <= 1) return {};
  const scaled = (ms: number, least: number): number => Math.max(least, Math.round(ms / speed));
  const { poll, verify, retry, startPatienceMs, settleMs, followMs, signMs, post, findMs, checkImageMs } =
    defaultInstallSettings;
  // A simulated machine is as busy as the one it runs on.
  const patience = (ms: number): number => scaled(ms, 30_000);
  const pollOf = ({ first, most, ...more }: PollTimes) => ({
    ...more,
    first: scaled(first, 100),
    most: scaled(most, 500),
  });
  return {
    poll: pollOf(poll),
    verify: { ...verify, deadlineMs: patience(verify.deadlineMs), poll: pollOf(verify.poll) },
    retry: { baseMs: scaled(retry.baseMs, 200), maxMs: scaled(retry.maxMs, 1000) },
    tellEveryMs: 500,
    // Longer than a busy machine needs to begin, and far less than an update may take.
    startPatienceMs: scaled(startPatienceMs, 2000),
    settleMs: patience(settleMs),
    followMs: patience(followMs),
    // The times of a simulated host, which its BMC may show nothing of.
    signMs: scaled(signMs, 2000),
    post: {
      deadlineMs: patience(post.deadlineMs),
      settleMs: scaled(post.settleMs, 2000),
      assumedMs: scaled(post.assumedMs, 2000),
      lastStepMs: scaled(post.lastStepMs, 2000),
    },
    findMs: patience(findMs),
    checkImageMs: patience(checkImageMs),
  };
}
