import { serverserviceInfo, serverserviceRoutes } from '../../../serverservice/index.ts';
import type { Settings } from '../../settings.ts';
import type { Terminal } from '../../terminal.ts';
import { claimStore } from '../claim-store.ts';
import { busCheck, storeCheck } from '../readiness.ts';
import { requireAccess } from './access.ts';
import { runService, type ServiceContext } from './run-service.ts';
import { serveService } from './serve-service.ts';
import { openServicePlane } from './service-plane.ts';
import type { serverserviceSettings } from './setting-names.ts';

type ServerserviceSettings = Settings<(typeof serverserviceSettings)[number]>;

/** Runs Serverservice until it is told to stop. */
export function runServerservice(settings: ServerserviceSettings, terminal: Terminal): Promise<void> {
  return runService({ name: 'serverservice', settings, start: (context) => start(settings, context) }, terminal);
}

async function start(settings: ServerserviceSettings, context: ServiceContext) {
  const { authorizer, client } = await requireAccess(settings, context.open);
  const { plane, parts } = await openServicePlane(settings, context);
  if (client !== undefined) await claimStore(client, plane.engine.storeId);
  const url = await serveService(
    settings,
    {
      info: serverserviceInfo,
      routes: serverserviceRoutes(plane.service),
      authorizer,
      checks: [storeCheck(parts.store.database), busCheck(parts.bus)],
      port: 7445,
    },
    context,
  );
  return { url, store: plane.engine.storeId };
}
