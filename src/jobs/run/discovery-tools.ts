import type { Work } from '../../engine/index.ts';
import type { FirmwareStore } from '../../firmware-store/index.ts';
import { type ImageKeeping, keepImages } from '../discovery/keep-images.ts';
import type { DiscoveryJobTools } from '../implementations.ts';

/** What the tools of a discovery are made of. */
export interface DiscoveryToolParts extends Omit<DiscoveryJobTools, 'keepImages'> {
  /** Where images are kept, if anywhere. */
  readonly store: FirmwareStore | undefined;
}

/** Opens what discoveries work with. */
export function openDiscoveryTools({ store, ...parts }: DiscoveryToolParts): DiscoveryJobTools {
  const { clock, logger } = parts;
  return {
    ...parts,
    async keepImages(work, images, tell = tellProgress(work)) {
      if (store === undefined) return { images, imagesNotKept: 0 };
      return await keepImages(work, images, { store, clock, logger, tell });
    },
  };
}

function tellProgress(work: Work): ImageKeeping['tell'] {
  return ({ fileName }, done) =>
    work.report({ status: { message: `${fileName} is fetched`, percent: 10 + Math.floor(85 * done) } });
}
