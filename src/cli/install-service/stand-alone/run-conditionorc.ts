import { conditionOrcInfo } from '../../../conditionorc/index.ts';
import type { Settings } from '../../settings.ts';
import type { Terminal } from '../../terminal.ts';
import { claimStore } from '../claim-store.ts';
import { webhookOf } from '../notify.ts';
import { openProbe } from '../open-probe.ts';
import { busCheck, storeCheck } from '../readiness.ts';
import { bothInfo, bothRoutes, orcRoutes, runLoop } from '../work-plane.ts';
import { requireAccess } from './access.ts';
import { runService, type ServiceContext } from './run-service.ts';
import { serveService } from './serve-service.ts';
import { openServicePlane } from './service-plane.ts';
import type { conditionorcSettings } from './setting-names.ts';

type ConditionorcSettings = Settings<(typeof conditionorcSettings)[number]>;

/** Runs conditionOrc until it is told to stop. */
export function runConditionorc(settings: ConditionorcSettings, terminal: Terminal): Promise<void> {
  return runService({ name: 'conditionorc', settings, start: (context) => start(settings, context) }, terminal);
}

async function start(settings: ConditionorcSettings, context: ServiceContext) {
  const loopChoices = { ...webhookOf(settings), everyMs: settings.sweepEvery };
  const { authorizer, client } = await requireAccess(settings, context.open);
  const { sweepEvery } = settings;
  const engineSettings = { publishEveryMs: settings.publishEvery };
  const { plane, parts } = await openServicePlane(settings, context, { leasing: settings, sweepEvery, engineSettings });
  if (client !== undefined) await claimStore(client, plane.engine.storeId);
  const loop = await runLoop(plane, parts, loopChoices);
  context.open.add(() => loop.stop());
  const enrolment = { probe: openProbe(settings, context) };
  const isBoth = settings.inventory ?? !parts.store.isShared;
  const url = await serveService(
    settings,
    {
      info: isBoth ? bothInfo : conditionOrcInfo,
      routes: isBoth
        ? await bothRoutes(plane, { ...parts, enrolment })
        : await orcRoutes(plane, { ...parts, enrolment }),
      authorizer,
      checks: [storeCheck(parts.store.database), busCheck(parts.bus)],
      port: 7444,
    },
    context,
  );
  return { url, store: plane.engine.storeId, serves: isBoth ? ['conditionorc', 'serverservice'] : ['conditionorc'] };
}
