import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePortRange } from '../real/free-ports.ts';
import { type RealNats, startNats } from '../real/nats/real-nats.ts';
import { startPostgres } from '../real/postgres/real-postgres.ts';

/** A real PostgreSQL and a real NATS for one run. */
export interface SharedStore {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  /** Stops NATS for so long, and starts it again on the same port with what it had. */
  breakNats(forMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts both. */
export async function startSharedStore(): Promise<SharedStore> {
  const postgres = await startPostgres({ settings: { fsync: 'off', max_connections: 300 } });
  const dataDir = mkdtempSync(join(tmpdir(), 'recovery-nats-'));
  const port = await freePortRange(1);
  let nats: RealNats = await startNats({ dataDir, port });
  return {
    databaseUrl: postgres.url,
    natsUrl: nats.url,
    async breakNats(forMs) {
      await nats.stop();
      await delay(forMs);
      nats = await startNats({ dataDir, port });
    },
    async stop() {
      await nats.stop();
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
