// Jobs for one manufacturer, as a package. Only types are imported, so that the package needs nothing of Rackwright to be
// loaded.
import type { DiscoveredImage, JobImplementation } from 'rackwright/jobs';

type Work = Parameters<JobImplementation['run']>[0];

/** A release in the list of Acme, which has the newest first. */
interface Release {
  readonly part: string;
  readonly version: string;
  readonly models: readonly string[];
  readonly file: string;
  readonly sha256: string;
}

/** Where Acme has its list; images are beside it. */
const releasesUrl = 'https://firmware.acme.example/releases.json';

/** What a package exports for the update service to load. */
export const jobImplementations: readonly JobImplementation[] = [acmeDiscovery(releasesUrl)];

/** Discovers firmware for all servers of Acme. */
export function acmeDiscovery(url: string): JobImplementation {
  return {
    type: 'discovery',
    manufacturer: 'Acme',
    async run(work, { job, harvest, keepImages, clock }) {
      // Durable when it returns, and renews the lease.
      await work.report({ status: { message: 'the releases of Acme are read', percent: 5 } });
      const releases = await releasesOf(url, work);
      const most = job.discovery?.versionsToStore ?? 1;
      const fitting = releases.filter(({ models }) => models.includes(job.model));
      const groups = [...Map.groupBy(fitting, ({ part }) => part).values()].map((group) => group.slice(0, most));
      const images = groups.flat().map((release) => toImage(release, url));
      harvest.keepDiscovered({
        // Versions are told oldest first.
        firmwares: groups.map((group) => ({
          name: group[0]?.part ?? '',
          manufacturer: 'Acme',
          versions: group.map(({ version }) => version).reverse(),
        })),
        // Fetched into the store of the update service, if it has one.
        ...(await keepImages(work, images)),
        observedAt: clock.now(),
      });
      return { outcome: 'succeeded', status: { message: `${images.length} images`, percent: 100 } };
    },
  };
}

function toImage({ part, version, models, file, sha256 }: Release, listUrl: string): DiscoveredImage {
  return {
    ...{ component: part, manufacturer: 'Acme', version, models, fileName: file },
    url: new URL(file, listUrl).href,
    checksum: `sha256:${sha256}`,
    sizeBytes: undefined,
    softwareIds: [],
  };
}

/** A list that cannot be read now is no reason to give up for good: errors with `retry: 'transient'` are tried again. */
async function releasesOf(url: string, work: Work): Promise<readonly Release[]> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.any([work.signal, work.ending]) });
    if (answer.ok) return (await answer.json()) as Release[];
    throw new Error(`it answered ${answer.status}`);
  } catch (cause) {
    // Throws when that is why reading ended.
    await work.report();
    const message = 'the releases of Acme cannot be read';
    throw Object.assign(new Error(message, { cause }), { code: 'acmeAway', retry: 'transient' });
  }
}
