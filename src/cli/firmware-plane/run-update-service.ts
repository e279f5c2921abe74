import { isLaunchError } from '../../update-service/index.ts';
import { CliError } from '../errors.ts';
import { claimStore } from '../install-service/claim-store.ts';
import { storedInventory, storedInventorySink } from '../install-service/inventory-access.ts';
import { webhookOf } from '../install-service/notify.ts';
import { busCheck, storeCheck } from '../install-service/readiness.ts';
import { requireAccess } from '../install-service/stand-alone/access.ts';
import { imagesOf, installSettingsOf } from '../install-service/stand-alone/run-flasher.ts';
import { runService, type ServiceContext } from '../install-service/stand-alone/run-service.ts';
import { serveService } from '../install-service/stand-alone/serve-service.ts';
import { openServicePlane } from '../install-service/stand-alone/service-plane.ts';
import type { updateServiceSettings } from '../install-service/stand-alone/setting-names.ts';
import { openTools, readTrust } from '../install-service/start-flasher.ts';
import { bothInfo, bothRoutes, runLoop } from '../install-service/work-plane.ts';
import type { Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { checkLauncher, chooseLauncher } from './choose-launcher.ts';
import { openImageStore } from './image-store.ts';
import { openUpdates } from './open-updates.ts';
import { readCatalogs } from './read-catalogs.ts';
import { readImplementations } from './read-implementations.ts';
import { readObjectFile } from './read-object-file.ts';
import { readStrategy } from './read-strategy.ts';

type UpdateServiceSettings = Settings<(typeof updateServiceSettings)[number]>;

const info = {
  title: 'update service',
  description: 'Takes requests to update, scan and discover firmware, and runs the jobs that do them.',
  version: '1',
};

/** Runs an update service until it is told to stop. */
export function runUpdateService(settings: UpdateServiceSettings, terminal: Terminal): Promise<void> {
  const stopWithinMs = settings.stopWithin + 15_000;
  return runService(
    { name: 'update-service', settings, stopWithinMs, start: (context) => start(settings, context) },
    terminal,
  );
}

async function start(settings: UpdateServiceSettings, context: ServiceContext) {
  const { logger, metrics, open } = context;
  const { facility: facilities } = settings;
  checkLauncher(settings);
  const { strategy, told } = await readStrategy({
    enabled: settings.strategy,
    settings: readObjectFile(settings.strategySettings, '--strategy-settings'),
  });
  const implementations = await readImplementations(settings.jobImplementation);
  const sources = readCatalogs(settings);
  const trust = readTrust(settings);
  const { authorizer, client } = await requireAccess(settings, open);
  const { sweepEvery } = settings;
  const engineSettings = { publishEveryMs: settings.publishEvery };
  const { plane, parts } = await openServicePlane(settings, context, { leasing: settings, sweepEvery, engineSettings });
  const { store, bus } = parts;
  if (client !== undefined) await claimStore(client, plane.engine.storeId, settings);
  const loop = await runLoop(plane, parts, { ...webhookOf(settings), everyMs: settings.sweepEvery });
  open.add(() => loop.stop());
  const images = await openImageStore(settings, { ...context, catalogs: sources });
  const shared = { plane, logger, open, sources, images };
  const updates = await openUpdates({
    ...{ ...shared, metrics, store, authorizer, client },
    audit: context.audit,
    tracer: context.tracer,
    strategy: told,
  });
  const isBoth = settings.inventory ?? !store.isShared;
  const url = await serveService(
    settings,
    {
      info: isBoth ? bothInfo : info,
      routes: isBoth ? await bothRoutes(plane, parts) : [],
      calls: updates.calls,
      authorizer,
      checks: [storeCheck(store.database), busCheck(bus)],
      port: 7447,
    },
    context,
  );
  const patience = installSettingsOf(settings);
  const launcher = await chooseLauncher(settings, {
    ...{ ...shared, strategy, implementations, trust, client, url, patience },
    openTools: () =>
      openTools({
        ...{ trust, logger, metrics },
        inventory: storedInventory(plane.service),
        inventorySink: storedInventorySink(plane.service),
        images: imagesOf(settings),
        settings: patience,
      }),
  });
  // What is wrong with where jobs shall run is said at the start, and not waited for.
  await launcher.scope().catch((cause: unknown) => {
    throw isLaunchError(cause) ? new CliError('failed', cause.message, { cause }) : cause;
  });
  const runner = updates.service.startRunner({
    ...{ launcher, facilities, bus },
    concurrency: settings.concurrency,
    ...(launcher.areJobsInside === true && !store.isShared ? { id: 'update-service/alone' } : {}),
  });
  await runner.online;
  return { url, store: plane.engine.storeId, strategy: strategy.name, launcher: launcher.name, facilities };
}
