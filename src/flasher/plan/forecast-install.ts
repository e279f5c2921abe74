import { activationOf, mustHostBeOff, type VendorName } from '../../bmc/index.ts';
import { byInstallOrder, type OrderedImage } from './plan-install.ts';

/** What the install of one image will take when all goes well. */
export interface ForecastStep<T extends OrderedImage> {
  readonly image: T;
  /** What starts anew for it. */
  readonly restarts: 'host' | 'bmc' | 'none';
  /** True where nobody has to ask for that: a BMC that was written starts anew by itself. */
  readonly isByItself: boolean;
  /** The host loses its power for a moment instead of a warm restart. */
  readonly isPowerCycle: boolean;
  /** The host is switched off while the image is written. */
  readonly isHostOff: boolean;
}

/**
 * Foretells the install of images on a server that was not read: their order, and what starts anew for each. An image that
 * turns out to be installed is left out then, and a new version that does not show up may take one restart more.
 */
export function forecastInstall<T extends OrderedImage>(
  vendor: VendorName,
  images: readonly T[],
): readonly ForecastStep<T>[] {
  return images.toSorted(byInstallOrder).map((image) => {
    const { reset, isPowerCycle } = activationOf(vendor, image.component);
    const isByItself = image.component === 'bmc' && reset === 'none';
    return {
      image,
      restarts: isByItself ? 'bmc' : reset,
      isByItself,
      isPowerCycle,
      isHostOff: mustHostBeOff(vendor, image.component),
    };
  });
}
