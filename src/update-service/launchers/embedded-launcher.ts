import { requireLease, type Transaction, type Work, type WorkOutcome } from '../../engine/index.ts';
import type { FirmwareStore } from '../../firmware-store/index.ts';
import {
  type DiscoveredImage,
  type DiscoveryTools,
  discoverFirmware,
  type ImageKeeping,
  keepImages,
  type Strategy,
  type StrategyTools,
} from '../../jobs/index.ts';
import { type Clock, sleep } from '../../kube/index.ts';
import { isInventoryError, type Serverservice } from '../../serverservice/index.ts';
import { type Logger, silentLogger } from '../../telemetry/index.ts';
import { readDiscoverParameters } from '../kinds.ts';
import { toCatalogue } from '../reports/catalogue-images.ts';
import type { JobSight, Launcher, LaunchOrder } from './launcher.ts';

/** What jobs of this process work with. */
export interface EmbeddedLauncherOptions {
  /** How servers are worked on; without it only discoveries are done here. */
  readonly servers?: { readonly strategy: Strategy; readonly tools: StrategyTools } | undefined;
  readonly discovery: DiscoveryTools;
  /** Where images that discoveries find are kept; without it they stay where their vendors have them. */
  readonly store?: FirmwareStore | undefined;
  readonly logger?: Logger | undefined;
  /** Where images that discoveries find are written down. */
  readonly catalogue: Pick<Serverservice['firmware'], 'putAll'>;
  readonly clock: Clock;
}

const gone: JobSight = { state: 'gone', why: 'it is not among the jobs of this process' };

/** Runs many jobs in this process: the default. They end with it, and the engine gives their work to the next life. */
export function createEmbeddedLauncher(options: EmbeddedLauncherOptions): Launcher {
  const { servers, clock } = options;
  const running = new Map<string, Promise<WorkOutcome>>();
  const run = (order: LaunchOrder): Promise<WorkOutcome> => {
    if (order.type === 'discovery') return discover(options, order.work);
    if (servers === undefined) throw new TypeError('jobs on servers are not done by this launcher');
    const { strategy, tools } = servers;
    return order.type === 'update' ? strategy.update(order.work, tools) : strategy.scan(order.work, tools);
  };
  const look = async (handle: { readonly job?: unknown }): Promise<JobSight> =>
    running.has(String(handle.job)) ? { state: 'running' } : gone;
  return {
    name: 'embedded',
    areJobsInside: true,
    async launch(order) {
      const key = `${order.jobId} ${order.work.lease.token}`;
      const there = running.get(key);
      const ended = there ?? run(order).finally(() => running.delete(key));
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

async function discover(options: EmbeddedLauncherOptions, work: Work): Promise<WorkOutcome> {
  const { discovery, catalogue } = options;
  const parameters = readDiscoverParameters(work.condition.parameters);
  const { id } = work.condition;
  if (discovery.sources.length === 0) {
    const message = `no catalogue is set for ${parameters.manufacturer}; name one in the settings of the update service`;
    return { outcome: 'failed', reason: { code: 'NoCatalogue', message } };
  }
  await work.report({ status: { message: 'catalogues are read' } });
  const signal = AbortSignal.any([work.signal, work.ending]);
  const found = await discoverFirmware(discovery, parameters, signal);
  const images = await keep(options, work, found.images);
  const { drafts, withoutChecksum } = toCatalogue(images);
  const guard = (tx: Transaction) => requireLease(tx, { conditionId: id, token: work.lease.token });
  const changed = await catalogue.putAll(drafts, guard, { areChecksumsFixed: true }).catch(changeIn);
  if (changed !== undefined) return { outcome: 'failed', reason: { code: 'ChecksumChanged', message: changed } };
  const available = found.firmwares.map((one) => ({ ...one, versions: [...one.versions] }));
  const message = `${available.length} firmwares were found, ${drafts.length} images are in the catalogue`;
  const counts = { images: drafts.length, images_without_checksum: withoutChecksum };
  return { outcome: 'succeeded', status: { name: parameters.name, message, available, ...counts } };
}

/** What is in the catalogue with another checksum: somebody has to look at it, so trying again helps nobody. */
function changeIn(error: unknown): string {
  if (!isInventoryError(error, 'checksumChanged')) throw error;
  return error.message;
}

/** Fetches what was found into the store, where there is one. */
async function keep(
  { store, clock, logger = silentLogger }: EmbeddedLauncherOptions,
  work: Work,
  images: readonly DiscoveredImage[],
): Promise<readonly DiscoveredImage[]> {
  if (store === undefined) return images;
  const tell: ImageKeeping['tell'] = ({ fileName }, done) =>
    work.report({ status: { message: `${fileName} is fetched`, percent: 10 + Math.floor(85 * done) } });
  return await keepImages(work, images, { store, clock, logger, tell });
}
