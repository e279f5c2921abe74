import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { defaultInstallSettings, flasherKinds, type InstallSettings } from '../../../flasher/index.ts';
import { usageError } from '../../errors.ts';
import type { Settings } from '../../settings.ts';
import type { Terminal } from '../../terminal.ts';
import { type EgressSettings, egressOf } from '../egress.ts';
import { readTrust, startFlasher } from '../start-flasher.ts';
import { nobody, openAccess } from './access.ts';
import { openWork } from './flasher-work.ts';
import { runService, type ServiceContext } from './run-service.ts';
import { serveService } from './serve-service.ts';
import type { flasherSettings, patienceSettings } from './setting-names.ts';

type FlasherSettings = Settings<(typeof flasherSettings)[number]>;

/** Runs a flasher until it is told to stop. */
export function runFlasher(settings: FlasherSettings, terminal: Terminal): Promise<void> {
  const stopWithinMs = settings.stopWithin + 15_000;
  return runService(
    { name: 'flasher', settings, stopWithinMs, start: (context) => start(settings, context) },
    terminal,
  );
}

async function start(settings: FlasherSettings, context: ServiceContext) {
  const { facility: facilities } = settings;
  const { logger, metrics, open } = context;
  const trust = readTrust(settings);
  const without = readWithout(settings.without);
  const access = await openAccess(settings, open);
  const id = `flasher/${hostname()}/${randomUUID()}`;
  const work = await openWork(settings, context, id);
  const flasher = await startFlasher({
    id,
    trust,
    facilities,
    without,
    logger,
    metrics,
    tracer: context.tracer,
    port: work.port,
    inventory: work.inventory,
    inventorySink: work.inventorySink,
    bus: work.bus,
    images: imagesOf(settings),
    concurrency: settings.concurrency,
    settings: installSettingsOf(settings),
    graceMs: settings.stopWithin,
  });
  open.add(() => flasher.stop());
  let isOnline = false;
  const whetherOnline = () => (isOnline ? undefined : 'the engine does not know of this flasher yet');
  const url = await serveService(
    settings,
    {
      info: { title: 'flasher', description: 'Whether a flasher works, and what it counts.', version: '1' },
      routes: [],
      authorizer: access?.authorizer ?? nobody,
      checks: [{ of: 'the engine', look: whetherOnline }, ...work.checks],
      port: 7446,
    },
    context,
  );
  await flasher.online;
  isOnline = true;
  return { url, worker: id, facilities, store: work.store };
}

function readWithout(given: readonly string[] | undefined): readonly string[] | undefined {
  const known = flasherKinds().map(({ kind }) => kind);
  return given?.map((each) => {
    const found = known.find((kind) => kind.toLowerCase() === each.toLowerCase());
    if (found === undefined) throw usageError(`--without ${each}: a flasher does ${known.join(', ')}`);
    return found;
  });
}

/** Where images are kept. */
export function imagesOf(
  settings: Settings<'imageCache' | 'dataDir' | 'imageCacheSize' | 'imageFolder' | 'allowUnverifiedFirmware'> &
    EgressSettings,
) {
  const { imageCache, dataDir, imageCacheSize, imageFolder, allowUnverifiedFirmware: areUnverifiedAllowed } = settings;
  const folder = imageCache ?? join(dataDir, 'images');
  const fileFolders = imageFolder === undefined ? {} : { fileFolders: [imageFolder] };
  return { folder, maxBytes: imageCacheSize, areUnverifiedAllowed, egress: egressOf(settings), ...fileFolders };
}

/** How patient installs are. */
export function installSettingsOf(settings: Settings<(typeof patienceSettings)[number]>): Partial<InstallSettings> {
  const { pollFirst, pollMost, verifyFirst, verifyMost, retryFirst, retryMost } = settings;
  return {
    poll: { ...defaultInstallSettings.poll, first: pollFirst, most: Math.max(pollFirst, pollMost) },
    retry: { baseMs: retryFirst, maxMs: Math.max(retryFirst, retryMost) },
    followMs: settings.updateWithin,
    verify: {
      consecutiveReads: settings.verifyReads,
      deadlineMs: settings.verifyWithin,
      poll: { ...defaultInstallSettings.verify.poll, first: verifyFirst, most: Math.max(verifyFirst, verifyMost) },
    },
    tellEveryMs: Math.min(defaultInstallSettings.tellEveryMs, pollMost),
  };
}
