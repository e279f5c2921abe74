import { randomUUID } from 'node:crypto';
import { requireLease, type Transaction, type Work, type WorkOutcome } from '../../engine/index.ts';
import type { FirmwareStore } from '../../firmware-store/index.ts';
import {
  builtInImplementations,
  chooseImplementation,
  type DiscoveryJobTools,
  type DiscoveryTools,
  Harvest,
  type JobImplementation,
  openDiscoveryTools,
  type Strategy,
  type StrategyTools,
} from '../../jobs/index.ts';
import { type Clock, sleep } from '../../kube/index.ts';
import { isInventoryError, type Serverservice } from '../../serverservice/index.ts';
import { type Logger, silentLogger } from '../../telemetry/index.ts';
import { discoveryOf, readDiscoverParameters } from '../kinds.ts';
import { toCatalogue } from '../reports/catalogue-images.ts';
import { checkAvailable, showAvailable } from '../reports/result-desk.ts';
import type { JobSight, Launcher, LaunchOrder } from './launcher.ts';

/** What jobs of this process work with. */
export interface EmbeddedLauncherOptions {
  /** How servers are worked on; without it only discoveries are done here. */
  readonly servers?: { readonly strategy: Strategy; readonly tools: StrategyTools } | undefined;
  readonly discovery: DiscoveryTools;
  /** What does jobs besides what is built in; the last of those that fit equally well is taken. */
  readonly implementations?: readonly JobImplementation[] | undefined;
  /** Where images that discoveries find are kept; without it they stay where their vendors have them. */
  readonly store?: FirmwareStore | undefined;
  readonly logger?: Logger | undefined;
  /** Where images that discoveries find are written down. */
  readonly catalogue: Pick<Serverservice['firmware'], 'putAll' | 'isChecksumOptional'>;
  readonly clock: Clock;
}

/** As jobs outside have them, but an update that read nothing is followed by a scan that is a job of its own. */
const inside: readonly JobImplementation[] = [
  ...builtInImplementations,
  { type: 'update', run: async (work, { strategy, tools }) => (await strategy()).update(work, tools) },
];

const nothingRead = { code: 'NothingRead', message: 'nothing was read of the server' };
const nothingFound = { code: 'NothingFound', message: 'the discovery does not say what it found' };
const gone: JobSight = { state: 'gone', why: 'it is not among the jobs of this process' };

/** Runs many jobs in this process: the default. They end with it, and the engine gives their work to the next life. */
export function createEmbeddedLauncher(options: EmbeddedLauncherOptions): Launcher {
  const { clock } = options;
  const running = new Map<string, Promise<WorkOutcome>>();
  const scope = randomUUID();
  const look = async (handle: { readonly job?: unknown }): Promise<JobSight> =>
    running.has(String(handle.job)) ? { state: 'running' } : gone;
  return {
    name: 'embedded',
    areJobsInside: true,
    scope: async () => scope,
    async launch(order) {
      const key = `${order.jobId} ${order.work.lease.token}`;
      const there = running.get(key);
      const ended = there ?? run(options, order).finally(() => running.delete(key));
      if (there === undefined) running.set(key, ended);
      // Whoever awaits it hears of a failure; nobody has to.
      ended.catch(() => {});
      return { handle: { job: key }, ended };
    },
    look,
    async interrupt(handle, { timeoutMs }) {
      // Whoever cancels tells the engine, from which the job hears it: here is only waited for it.
      const ended = running.get(String(handle.job));
      if (ended === undefined) return gone;
      const over = new AbortController();
      const done = ended.then(
        () => over.abort(),
        () => over.abort(),
      );
      await Promise.race([done, sleep(clock, timeoutMs, over.signal)]);
      return await look(handle);
    },
    async close() {
      await Promise.allSettled(running.values());
    },
  };
}

async function run(options: EmbeddedLauncherOptions, order: LaunchOrder): Promise<WorkOutcome> {
  const { work } = order;
  const { servers, implementations: added = [] } = options;
  const found = chooseImplementation([...inside, ...added], order);
  const harvest = new Harvest();
  const shared = openShared(options, order, harvest);
  if (found.type === 'discovery') {
    const outcome = await found.run(work, shared);
    return outcome.outcome === 'succeeded' ? await record(options, work, harvest) : outcome;
  }
  if (servers === undefined) throw new TypeError('jobs on servers are not done by this launcher');
  const outcome = await found.run(work, {
    ...shared,
    strategy: async () => servers.strategy,
    tools: withHarvest(servers.tools, harvest),
  });
  // Of strategies their own tests make sure of it.
  const hasNothing = found.type === 'scan' && added.includes(found) && harvest.installed === undefined;
  return outcome.outcome === 'succeeded' && hasNothing ? { outcome: 'failed', reason: nothingRead } : outcome;
}

function openShared(
  { discovery, store, clock, logger = silentLogger }: EmbeddedLauncherOptions,
  { type, manufacturer, model, work }: LaunchOrder,
  harvest: Harvest,
): DiscoveryJobTools {
  const { target, parameters } = work.condition;
  const order = type === 'discovery' ? discoveryOf(parameters, discovery.sources) : undefined;
  return openDiscoveryTools({
    job: { type, manufacturer, model, target, discovery: order },
    ...{ harvest, store, clock, logger, catalogs: discovery.reader },
  });
}

/** Inventories go where they are kept at once; the harvest only knows of them. */
function withHarvest(tools: StrategyTools, harvest: Harvest): StrategyTools {
  return {
    ...tools,
    inventorySink: {
      async write(reading) {
        await tools.inventorySink.write(reading);
        await harvest.write(reading);
      },
    },
  };
}

/** Writes down what a discovery found. */
async function record(
  { catalogue }: EmbeddedLauncherOptions,
  work: Work,
  { discovered }: Harvest,
): Promise<WorkOutcome> {
  if (discovered === undefined) return { outcome: 'failed', reason: nothingFound };
  const { id, parameters } = work.condition;
  const { name } = readDiscoverParameters(parameters);
  const available = checkAvailable(discovered.firmwares).map(showAvailable);
  const { drafts, withoutChecksum } = toCatalogue(discovered.images, catalogue);
  const guard = (tx: Transaction) => requireLease(tx, { conditionId: id, token: work.lease.token });
  const changed = await catalogue.putAll(drafts, guard, { areChecksumsFixed: true }).catch(changeIn);
  if (changed !== undefined) return { outcome: 'failed', reason: { code: 'ChecksumChanged', message: changed } };
  const message = `${available.length} firmwares were found, ${drafts.length} images are in the catalogue`;
  const { imagesNotKept: notKept = 0 } = discovered;
  const counts = { images: drafts.length, images_without_checksum: withoutChecksum, images_not_kept: notKept };
  return { outcome: 'succeeded', status: { name, message, available, ...counts } };
}

/** What is in the catalogue with another checksum: somebody has to look at it, so trying again helps nobody. */
function changeIn(error: unknown): string {
  if (!isInventoryError(error, 'checksumChanged')) throw error;
  return error.message;
}
