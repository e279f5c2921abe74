import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseBmcAddress, type TlsTrust } from '../../src/bmc/index.ts';
import { createConditionView, createInventoryPort, runConditionOrc } from '../../src/conditionorc/index.ts';
import {
  type Bus,
  connectNatsBus,
  createEngine,
  createLocalBus,
  type Database,
  type Engine,
  machineIdOf,
  openPostgresDatabase,
  openSqliteDatabase,
} from '../../src/engine/index.ts';
import { flasherKinds, type ServerDirectory } from '../../src/flasher/index.ts';
import { systemClock } from '../../src/kube/index.ts';
import { createServerservice, loadCredentialKeys, type Serverservice } from '../../src/serverservice/index.ts';
import { type Logger, noMetrics } from '../../src/telemetry/index.ts';
import type { WorkerOrder } from './fleet.ts';

/** What one process of the install service has open: store, bus, engine, inventory. */
export interface BenchPlane {
  readonly database: Database;
  readonly bus: Bus;
  readonly engine: Engine;
  readonly service: Serverservice;
  close(): Promise<void>;
}

/** Opens the service on a file in a folder, or on PostgreSQL and NATS. */
export async function openPlane(order: WorkerOrder, logger: Logger): Promise<BenchPlane> {
  mkdirSync(order.folder, { recursive: true });
  const clock = systemClock;
  const database =
    order.databaseUrl === undefined
      ? await openSqliteDatabase({ path: join(order.folder, 'engine.db'), clock })
      : await openPostgresDatabase({ url: order.databaseUrl });
  const bus =
    order.natsUrl === undefined
      ? createLocalBus({ logger })
      : await connectNatsBus({ url: order.natsUrl, clock, logger, metrics: noMetrics });
  const engine = await createEngine({ database, kinds: flasherKinds(), clock, bus, logger });
  const service = await createServerservice({
    database,
    logger,
    machines: engine.machines,
    conditions: createConditionView(engine),
    credentialKeys: loadCredentialKeys(join(order.folder, 'credentials.key')),
  });
  const loop = order.hasLoop
    ? await runConditionOrc({ engine, database, bus, inventory: createInventoryPort(service), logger })
    : undefined;
  return {
    database,
    bus,
    engine,
    service,
    async close() {
      await loop?.stop();
      await engine.close();
      await bus.close();
      await database.close();
    },
  };
}

/** Where the BMCs are and how to log in there, asked of the inventory for each condition. */
export function directoryOf(service: Serverservice, trust: TlsTrust): ServerDirectory {
  return {
    async find(target) {
      const { id, bmcAddress } = await service.servers.get(machineIdOf(target) ?? '');
      const { origin } = parseBmcAddress(bmcAddress);
      const credentials = async () => {
        const { username, password } = await service.credentials.get(id, 'bmc');
        return { username, password };
      };
      return { endpoint: { origin, trust, credentials }, machine: { uuid: id } };
    },
  };
}
