import type { ArtifactCache, Firmware, ImageAddress } from '../../flasher/index.ts';

/** Finds images of the simulated rack, whose address is another one after each start. */
export interface RackImages {
  readonly imageAddress: ImageAddress;
  /** The same cache; images of the rack are fetched from where they are now. */
  follow(cache: ArtifactCache): ArtifactCache;
}

/** Makes what leads from the address that an image had when an install was asked for to the one it has now. */
export function createRackImages(adminUrl: string): RackImages {
  const current = (text: string): string => {
    const url = URL.parse(text);
    const isOfRack =
      url?.hostname === '127.0.0.1' && url.protocol === 'http:' && url.pathname.startsWith('/v1/images/');
    return isOfRack ? new URL(url.pathname, adminUrl).href : text;
  };
  return {
    imageAddress: (firmware) => publicAddress(firmware, current),
    follow: (cache) => ({
      open: (order) => cache.open({ ...order, url: current(order.url) }),
      bytesUsed: () => cache.bytesUsed(),
      close: () => cache.close(),
    }),
  };
}

/** BMCs are told only addresses that need no credentials. */
function publicAddress({ url }: Firmware, current: (url: string) => string): { readonly uri: string } | undefined {
  const address = new URL(url);
  const isServed = address.protocol === 'https:' || address.protocol === 'http:';
  return isServed && address.username === '' && address.password === '' ? { uri: current(url) } : undefined;
}
