import { createRemoteWorkerPort, tokenFromFile } from '../../../conditionorc/index.ts';
import type { Bus, WorkerPort } from '../../../engine/index.ts';
import type { InventorySink } from '../../../flasher/index.ts';
import { CliError, usageError } from '../../errors.ts';
import { readOptionFile } from '../../read-option-file.ts';
import type { Settings } from '../../settings.ts';
import { type InventoryAccess, storedInventory, storedInventorySink } from '../inventory-access.ts';
import { openBus } from '../open-bus.ts';
import { busCheck, type Check, checkOf, storeCheck } from '../readiness.ts';
import { secretUrl } from '../secret-url.ts';
import { remoteInventory } from './remote-inventory.ts';
import type { ServiceContext } from './run-service.ts';
import { type LeasingSettings, openServicePlane, type PlaneSettings } from './service-plane.ts';

type WorkSettings = PlaneSettings &
  LeasingSettings &
  Settings<'orchestratorUrl' | 'inventoryUrl' | 'tokenFile' | 'caFile'>;

/** What a flasher works with: where its work comes from, and what is known of servers. */
export interface FlasherWork {
  readonly port: WorkerPort;
  readonly inventory: InventoryAccess;
  readonly inventorySink: InventorySink;
  readonly bus: Bus | undefined;
  readonly checks: readonly Check[];
  readonly store: string;
}

/** Opens the store, or the way to a conditionorc that has it open. */
export function openWork(settings: WorkSettings, context: ServiceContext, id: string): Promise<FlasherWork> {
  const databaseUrl = secretUrl(settings, 'databaseUrl');
  const { orchestratorUrl } = settings;
  if (orchestratorUrl === undefined) {
    if (databaseUrl !== undefined) return openStored(settings, context);
    throw usageError(
      'where is the work? Name the conditionorc to work for with --orchestrator-url and --token-file, or the database with --database-url',
    );
  }
  if (databaseUrl !== undefined) {
    throw usageError('--orchestrator-url and --database-url: a flasher works for one of them, not for both');
  }
  return openRemote({ ...settings, orchestratorUrl }, context, id);
}

async function openStored(settings: WorkSettings, context: ServiceContext): Promise<FlasherWork> {
  const { plane, parts } = await openServicePlane(settings, context, { leasing: settings });
  return {
    port: plane.engine.worker,
    inventory: storedInventory(plane.service),
    inventorySink: storedInventorySink(plane.service),
    bus: parts.bus,
    checks: [storeCheck(parts.store.database), busCheck(parts.bus)],
    store: plane.engine.storeId,
  };
}

async function openRemote(
  settings: WorkSettings & { readonly orchestratorUrl: string },
  { logger, metrics, open }: ServiceContext,
  id: string,
): Promise<FlasherWork> {
  const { orchestratorUrl: url, inventoryUrl, tokenFile, caFile } = settings;
  if (tokenFile === undefined) throw usageError('--orchestrator-url goes with --token-file, which holds a token');
  const token = tokenFromFile(tokenFile);
  await token().catch((cause: unknown) => {
    throw new CliError('usage', `--token-file: ${tokenFile} cannot be read`, { cause });
  });
  const caPem = caFile === undefined ? undefined : readOptionFile(caFile, '--ca-file');
  const port = createRemoteWorkerPort({ url, token, ...(caPem === undefined ? {} : { ca: caPem }) });
  open.add(() => port.close());
  const inventory = remoteInventory({ url: inventoryUrl ?? url, token, caPem });
  open.add(() => inventory.close());
  const isBusNamed = secretUrl(settings, 'natsUrl') !== undefined;
  const bus = isBusNamed ? await openBus(settings, { logger, metrics }) : undefined;
  if (bus !== undefined) open.add(() => bus.close());
  // A sign of life needs everything: the way, the token, its scopes, and the store over there.
  const orchestrator = checkOf('conditionorc', () => port.heartbeat(id));
  const checks = [orchestrator, ...(bus === undefined ? [] : [busCheck(bus)])];
  return { port, inventory, inventorySink: port.inventorySink, bus, checks, store: url };
}
