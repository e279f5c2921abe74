import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ServerFirmwareStatus } from '../../src/api/index.ts';
import type { Inventory } from '../../src/bmc/index.ts';
import { createInventoryPort, createRemoteWorkerPort, openOrcStore } from '../../src/conditionorc/index.ts';
import { conditionOrcRoutes } from '../../src/conditionorc/routes/orc-routes.ts';
import { mergeServerReport } from '../../src/firmware/reports/merge-report.ts';
import type { InventoryReport } from '../../src/flasher/index.ts';
import { createJobClient, Harvest } from '../../src/jobs/index.ts';
import { createFixedAuthorizer, createRest } from '../../src/rest/index.ts';
import { noMetrics, silentLogger } from '../../src/telemetry/index.ts';
import { createInventoryReader, serveRpc } from '../../src/update-service/index.ts';
import { type MirroredServerReport, mirrorResults } from '../../src/update-service/mirror/result-mirror.ts';
import { serverA, setUpUpdates } from '../../src/update-service/testing/update-rig.ts';

/** The ways in which a scan can run: in `rackwright up`, as a job of its own, by a flasher over HTTP. */
export const scanWays = ['up', 'job', 'flasher'] as const;
export type ScanWay = (typeof scanWays)[number];

/** One server with a store of its own, which can be scanned in every way. */
export interface ScannedServer {
  /** Scans the server, which has this inventory, and says what the ServerFirmware shows then. */
  scan(way: ScanWay, inventory: Inventory): Promise<ServerFirmwareStatus>;
}

const authorizer = createFixedAuthorizer({ worker: { name: 'worker', scopes: ['update:worker'] } });

/** Starts the services that scans go through. */
export async function startScannedServer(t: Pick<TestContext, 'after'>): Promise<ScannedServer> {
  const rig = await setUpUpdates(t);
  await openOrcStore(rig.database);
  const { engine, service, clock, desks } = rig;
  const port = createInventoryPort(service);
  const rest = createRest({ info: { title: 'orc', description: 'Of a test.', version: '1' }, authorizer });
  rest.add(...conditionOrcRoutes({ engine, inventory: port, clock }));
  const orc = await rest.listen({ host: '127.0.0.1', port: 0 });
  const shared = { logger: silentLogger, metrics: noMetrics, audit: undefined, certificate: undefined };
  const rpc = await serveRpc({ desks, authorizer, ...shared, host: '127.0.0.1', port: 0 });
  const remote = createRemoteWorkerPort({ url: orc.url, token: 'worker' });
  t.after(async () => {
    await remote.close();
    await rest.close();
    await rpc.close();
  });

  const send: Readonly<
    Record<ScanWay, (report: InventoryReport, proof: { jobId: string; token: string }) => Promise<void>>
  > = {
    async up(report) {
      await port.writeInventory(report);
      await engine.worker.report(report.lease, { state: 'succeeded' });
    },
    async flasher(report) {
      await remote.inventorySink.write(report);
      await remote.report(report.lease, { state: 'succeeded' });
    },
    async job(report, { jobId, token }) {
      const harvest = new Harvest();
      await harvest.write(report);
      const { firmwares, inventory, at } = harvest.installed ?? assert.fail('the job found nothing');
      const client = createJobClient({ file: { jobId, token, updateService: { url: rpc.url } } });
      const result = { server: 'alpha', firmwares, inventoryJson: inventory, observedAt: at };
      assert.equal(await client.updateServer(result), undefined);
    },
  };

  let status: ServerFirmwareStatus = {};
  const mirror = {
    async server(report: MirroredServerReport) {
      status = mergeServerReport({ status }, report) ?? status;
    },
    discovery: async () => undefined,
    newest: async () => 0,
    wait: async () => undefined,
  };
  const mirrorParts = {
    ...{ engine, database: rig.database, mirror, names: rig.names, logger: silentLogger },
    inventory: createInventoryReader(service),
  };
  return {
    async scan(way, inventory) {
      await desks.requests.scan({ server: 'alpha', client: 'test' });
      const [lease] = await rig.lease('worker');
      assert.ok(lease);
      const proof = await rig.launched(lease);
      const held = { conditionId: lease.condition.id, token: lease.token };
      const reading = { inventory, biosSettings: undefined, readAt: clock.now(), lease: held };
      await send[way]({ target: `server/${serverA}`, ...reading }, proof);
      await mirrorResults(mirrorParts);
      return status;
    },
  };
}
