import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import {
  createEngine,
  type Database,
  type Engine,
  type JsonObject,
  type Lease,
  openSqliteDatabase,
} from '../../engine/index.ts';
import { flasherKinds } from '../../flasher/index.ts';
import { createFakeClock, type FakeClock } from '../../kube/index.ts';
import { createServerservice, type Serverservice } from '../../serverservice/index.ts';
import { withLaunch } from '../jobs/launch-record.ts';
import { firmwareDiscover, type JobLimits, withJobLimits } from '../kinds.ts';
import { createInventoryNames, type DiscoveredFirmwareSpec, type FleetNames } from '../names/fleet-names.ts';
import { openUpdateDesks, type UpdateDesks } from '../update-desks.ts';

/** For tests: ids of servers. */
export const serverA = '0a000000-0000-4000-8000-00000000000a';
export const serverB = '0b000000-0000-4000-8000-00000000000b';
export const sha = `sha256:${'ab'.repeat(32)}`;

/** For tests: an update service without a network, on an engine and an inventory in memory. */
export interface UpdateRig {
  readonly engine: Engine;
  readonly service: Serverservice;
  readonly database: Database;
  readonly clock: FakeClock;
  readonly names: FleetNames;
  readonly desks: UpdateDesks;
  /** What DiscoveredFirmware objects say, by name. */
  readonly discovered: Map<string, DiscoveredFirmwareSpec>;
  /** The same store after a restart of everything. */
  again(): Promise<Pick<UpdateRig, 'engine' | 'desks'>>;
  addFirmware(version: string, more?: { component?: string; vendor?: string; models?: string[] }): Promise<string>;
  /** Leases everything there is for a worker, as a runner would. */
  lease(worker: string): Promise<readonly Lease[]>;
  /** A job that was launched under a lease: its proof. */
  launched(lease: Lease): Promise<{ jobId: string; token: string }>;
}

/** For tests: starts one. Server a is `alpha`, a Dell R640; server b is `beta`. */
export async function setUpUpdates(
  t: Pick<TestContext, 'after'>,
  limits: JobLimits = {},
  given: { readonly database?: Database; readonly kinds?: Parameters<typeof flasherKinds>[0] } = {},
): Promise<UpdateRig> {
  const clock = createFakeClock();
  const database = given.database ?? (await openSqliteDatabase({ path: ':memory:', clock }));
  const kinds = withJobLimits(
    [...flasherKinds(given.kinds ?? { leaseMs: 60_000, requestDeadlineMs: 1000 }), firmwareDiscover],
    limits,
  );
  const discovered = new Map<string, DiscoveredFirmwareSpec>();
  const engines: Engine[] = [];
  const open = async () => {
    const engine = await createEngine({ database, clock, kinds });
    engines.push(engine);
    const credentialKeys = [{ id: 'k1', secret: randomBytes(32) }] as const;
    const service = await createServerservice({ database, machines: engine.machines, credentialKeys });
    const names: FleetNames = {
      ...createInventoryNames(service),
      discoveredFirmware: async (name) => discovered.get(name),
    };
    const strategy = { name: 'redfish' };
    const desks = await openUpdateDesks({ engine, database, service, names, strategy, sources: [], clock });
    return { engine, service, names, desks };
  };
  const first = await open();
  for (const [id, name] of [
    [serverA, 'alpha'],
    [serverB, 'beta'],
  ] as const) {
    const server = { id, name, facility: 'fc1', vendor: 'Dell Inc.', model: 'PowerEdge R640', serial: name };
    await first.service.servers.create({ ...server, bmcAddress: `https://${name}.test` });
  }
  t.after(async () => {
    for (const engine of engines) await engine.close();
    if (given.database === undefined) await database.close();
  });
  return {
    ...first,
    database,
    clock,
    discovered,
    again: open,
    async addFirmware(version, { component = 'bios', vendor = 'dell', models = ['PowerEdge R640'] } = {}) {
      const filename = `${component}-${version}.bin`;
      const repositoryUrl = `https://images.test/${filename}`;
      const draft = { component, vendor, version, models, filename, repositoryUrl, checksums: [sha] };
      return (await first.service.firmware.create(draft)).id;
    },
    async lease(worker) {
      const all = ['firmwareInstall', 'inventoryOOB', 'firmwareDiscover'];
      await first.engine.worker.online({ id: worker, kinds: all, facilities: ['fc1'] });
      return await first.engine.worker.lease(worker, { max: 10, waitMs: 0 });
    },
    async launched({ condition, token }) {
      const launch = { launcher: 'test', scope: 'here', token, handle: {}, launchedAt: clock.now(), leftovers: [] };
      const held = { conditionId: condition.id, token };
      await first.engine.worker.report(held, { progress: withLaunch(condition.progress, launch) });
      return { jobId: condition.id, token: first.desks.tokens.issue(held) };
    },
  };
}

/** For tests: what was installed, from the parameters of a job. */
export function versionsIn(parameters: JsonObject): string[] {
  return (parameters.firmwares as JsonObject[]).map(({ component, version }) => `${component} ${version}`);
}

/** For tests: moves the clock on until something is so. Fails when it never is. */
export async function until(clock: FakeClock, isSo: () => boolean | Promise<boolean>, stepMs = 500): Promise<void> {
  // The store works on threads of its own: on a busy machine it takes many turns for one answer.
  for (let turn = 0; turn < 20_000; turn++) {
    if (await isSo()) return;
    clock.advance(stepMs);
    for (let breath = 0; breath < 20; breath++) await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it never came to be so');
}
