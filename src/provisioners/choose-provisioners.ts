import type { HostIdentity, Provisioners } from './provisioner.ts';

/** Several provisioners beside each other: for each host it is chosen anew which one it is for. */
export function chooseProvisioners(
  all: readonly Provisioners[],
  choose: (host: HostIdentity) => Provisioners,
): Provisioners {
  return {
    of: (host) => choose(host).of(host),
    hasCapacity: (host, order) => choose(host).hasCapacity(host, order),
    bootImageFormats: undefined,
    sources: all.flatMap(({ sources = [] }) => sources),
    async close() {
      await Promise.all(all.map((each) => each.close()));
    },
  };
}
