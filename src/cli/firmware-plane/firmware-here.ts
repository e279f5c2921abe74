import type { TlsTrust } from '../../bmc/index.ts';
import { type CatalogSource, createCatalogReader } from '../../catalogs/index.ts';
import type { FirmwareAdmission } from '../../firmware/index.ts';
import { type KubeClient, systemClock } from '../../kube/index.ts';
import type { Authorizer, CallHandler } from '../../rest/index.ts';
import type { AuditExport, Tracer } from '../../telemetry/index.ts';
import { createEmbeddedLauncher, firmwareDiscover } from '../../update-service/index.ts';
import type { Closing } from '../install-service/closing.ts';
import { egressOf } from '../install-service/egress.ts';
import { type Rack, rackFacility } from '../install-service/enrol-rack.ts';
import type { Check } from '../install-service/readiness.ts';
import { readTrust } from '../install-service/start-flasher.ts';
import type { WorkPlane, WorkPlaneParts } from '../install-service/work-plane.ts';
import type { Settings } from '../settings.ts';
import { type ImageStoreSettings, openImageStore } from './image-store.ts';
import { openUpdates } from './open-updates.ts';
import { readCatalogs } from './read-catalogs.ts';
import { readDiscoveries } from './read-implementations.ts';
import { type FirmwareControllerSettings, startControllers } from './start-controllers.ts';

/** What desired firmware is told in `rackwright up`. */
export type FirmwareHereSettings = FirmwareControllerSettings &
  ImageStoreSettings &
  Settings<'catalog' | 'catalogFile' | 'jobImplementation' | 'facilities' | 'bmcCa' | 'bmcInsecure' | 'bmcHttp'>;

/** What it runs on. */
export interface FirmwareHereParts {
  readonly plane: WorkPlane;
  readonly parts: WorkPlaneParts;
  readonly client: KubeClient;
  readonly authorizer: Authorizer;
  readonly rack: Rack | undefined;
  readonly admission: FirmwareAdmission | undefined;
  /** True when other processes may run controllers on the same objects. */
  readonly isCluster: boolean;
  /** Is told who asked for what. */
  readonly audit?: AuditExport | undefined;
  readonly tracer?: Tracer | undefined;
  readonly open: Closing;
}

/** Discoveries at once. */
const discoveries = 4;

/**
 * Starts the update service and the firmware controllers beside the flashers of this process, which do the updates and
 * scans: here only catalogues are read.
 */
export async function startFirmwareHere(
  settings: FirmwareHereSettings,
  here: FirmwareHereParts,
): Promise<{ readonly calls: CallHandler; readonly check: Check }> {
  const { plane, client, rack, open, authorizer } = here;
  const { logger, metrics, store, bus } = here.parts;
  const implementations = await readDiscoveries(settings.jobImplementation);
  const catalogs = readCatalogs(settings);
  const sources = [...sourcesOf(rack), ...catalogs];
  const shared = { plane, client, logger, metrics, open };
  const images = await openImageStore(settings, { catalogs, logger, open });
  const updates = await openUpdates({
    ...{ ...shared, store, authorizer, sources, images, audit: here.audit, tracer: here.tracer },
    strategy: { name: 'redfish' },
  });
  const reader = createCatalogReader({ egress: egressOf(settings) });
  open.add(() => reader.close());
  const catalogue = plane.service.firmware;
  updates.service.startRunner({
    launcher: createEmbeddedLauncher({
      discovery: { reader, sources },
      catalogue,
      implementations,
      store: images?.store,
      logger,
      clock: systemClock,
    }),
    kinds: [firmwareDiscover.kind],
    facilities: [],
    concurrency: discoveries,
    bus,
    ...(store.isShared ? {} : { id: 'update-service/embedded' }),
  });
  const { controllers, check, ready } = startControllers(settings, {
    ...shared,
    updateService: updates.service.client,
    facilityOf: facilities(settings, rack),
    trustOf: trusts(settings, rack),
    isShared: here.isCluster,
    admission: here.admission,
  });
  updates.writeThrough(controllers.reports);
  await ready;
  return { calls: updates.calls, check };
}

function sourcesOf(rack: Rack | undefined): CatalogSource[] {
  return rack === undefined ? [] : [{ format: 'plain', location: `${rack.adminUrl}/v1/catalog` }];
}

/** Where a server is that the inventory does not know yet, by the origin of its BMC. */
function facilities({ facilities: own }: FirmwareHereSettings, rack: Rack | undefined): (origin: string) => string {
  const simulated = new Set(rack?.dataCentre.bmcs.map(({ url }) => new URL(url).origin) ?? []);
  return (origin) => (simulated.has(origin) ? rackFacility : own[0]);
}

/** How the certificate of a BMC is checked, by the name of its object. */
function trusts(settings: FirmwareHereSettings, rack: Rack | undefined): (bmc: string) => TlsTrust {
  const trust = readTrust(settings);
  const caPem = rack?.dataCentre.caPem;
  const simulated = new Set(rack?.dataCentre.bmcs.map(({ name }) => name) ?? []);
  return (bmc) => (caPem !== undefined && simulated.has(bmc) ? { kind: 'ca', caPem } : trust);
}
