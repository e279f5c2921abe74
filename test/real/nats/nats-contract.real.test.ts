import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { busContract } from '../../../src/engine/bus/contract/bus-contract.ts';
import { type Bus, connectNatsBus } from '../../../src/engine/bus/index.ts';
import { systemClock } from '../../../src/kube/index.ts';
import { noMetrics, silentLogger } from '../../../src/telemetry/index.ts';
import { freePortRange } from '../free-ports.ts';
import { whyNoRealNats } from './binaries.ts';
import { patientTimes, type RealNats, startNats } from './real-nats.ts';

describe('over a real NATS', { skip: whyNoRealNats() ?? false }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'real-nats-'));
  let server: RealNats;
  before(async () => {
    server = await startNats({ dataDir, port: await freePortRange(1) });
  });
  after(async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  let fleets = 0;
  busContract('NATS', async () => {
    const prefix = `fleet-${fleets++}`;
    const opened: Bus[] = [];
    return {
      async open() {
        const settings = { ...patientTimes, prefix };
        const bus = await connectNatsBus({
          url: server.url,
          clock: systemClock,
          logger: silentLogger,
          metrics: noMetrics,
          settings,
        });
        opened.push(bus);
        return bus;
      },
      // The server's own clock goes by itself.
      passTime: () => {},
      async close() {
        for (const bus of opened) await bus.close();
      },
    };
  });
});
