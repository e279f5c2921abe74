import type { Work, WorkOutcome } from '../../engine/index.ts';
import { createStepStatus } from '../../flasher/index.ts';
import { discoverFirmware } from '../discovery/discover-firmware.ts';
import type { ImageKeeping } from '../discovery/keep-images.ts';
import { JobError } from '../errors.ts';
import type { DiscoveryJobTools } from '../implementations.ts';

/** Looks in the catalogues for what can be had for a model, and fetches the images where that is asked for. */
export async function runDiscovery(
  work: Work,
  { job, catalogs, harvest, keepImages, clock }: DiscoveryJobTools,
): Promise<WorkOutcome> {
  const order = job.discovery;
  if (order === undefined) throw new JobError('badWork', { job: work.condition.id, detail: 'it has no discovery' });
  const { manufacturer, model } = order;
  if (order.sources.length === 0) throw new JobError('noCatalog', { manufacturer });
  const status = createStepStatus(work.condition.status, clock);
  status.say(`${order.sources.length} catalogues are read`);
  await work.report({ status: status.with({ percent: 5 }) });
  const reading = AbortSignal.any([work.signal, work.ending]);
  const found = await discoverFirmware({ reader: catalogs, sources: order.sources }, order, reading).catch(
    async (error: unknown) => {
      // Throws when that is why reading ended.
      await work.report();
      throw error;
    },
  );
  const observedAt = clock.now();
  const { firmwares, images } = found;
  const tell: ImageKeeping['tell'] = async ({ fileName }, done) => {
    status.say(`${fileName} is fetched`);
    await work.report({ status: status.with({ percent: 10 + Math.floor(85 * done) }) });
  };
  // Of versions that are not listed the images stay at their vendors.
  const kept = await keepImages(
    work,
    images.filter(({ isListed }) => isListed !== false),
    tell,
  );
  const all = [...kept.images, ...images.filter(({ isListed }) => isListed === false)];
  harvest.keepDiscovered({ firmwares, images: all, imagesNotKept: kept.imagesNotKept, observedAt });
  status.say(
    `${firmwares.length} kinds of firmware and ${images.length} images can be had for ${manufacturer} ${model}`,
  );
  return {
    outcome: 'succeeded',
    status: status.with({ percent: 100, images: images.length, images_not_kept: kept.imagesNotKept }),
  };
}
