import type { RunningBmc } from '../../../simulator/index.ts';
import type { OpenExternalWork } from '../../hosts/index.ts';
import {
  chooseProvisioners,
  createAbsentProvisioners,
  type HostIdentity,
  type Provisioners,
  readBmcAddress,
} from '../../provisioners/index.ts';

/** What hosts are told that are not of the simulated rack. */
export const noProvisioner =
  'no provisioner is set for this host: start Rackwright with --provisioner redfish to have it looked after by its BMC alone, with --provisioner agent to have agents write its disk, or with --ironic-url for an Ironic; without one only the hosts of the simulated rack are looked after';

/** Whether a host names a BMC of the simulated rack. */
export type IsOfRack = (host: Pick<HostIdentity, 'bmc'>) => boolean;

/** Knows hosts by the addresses of these BMCs. */
export function createIsOfRack(bmcs: readonly Pick<RunningBmc, 'url'>[]): IsOfRack {
  const origins = new Set(bmcs.map(({ url }) => new URL(url).origin));
  return ({ bmc }) => {
    const reading = bmc === undefined ? undefined : readBmcAddress(bmc.address);
    return reading?.kind === 'known' && origins.has(reading.address.origin);
  };
}

/** Leaves hosts alone that name another BMC: nobody has said that real ones are to be touched. */
export function onlyOfRack(all: Provisioners, isOfRack: IsOfRack): Provisioners {
  const absent = createAbsentProvisioners({ message: noProvisioner });
  return {
    ...chooseProvisioners([all, absent], (host) => ((host.bmc?.address ?? '') === '' || isOfRack(host) ? all : absent)),
    worksByConditions: all.worksByConditions,
  };
}

/** Somebody else's work on a simulated server takes seconds. */
const soonMs = 1000;

/** Holds machines for the hosts of the rack, with short waits. */
export function holdForRack(work: OpenExternalWork): OpenExternalWork {
  return {
    ...work,
    async hold(host, what) {
      const hold = await work.hold(host, what);
      return hold.kind === 'held' ? hold : { ...hold, afterMs: Math.min(hold.afterMs, soonMs) };
    },
  };
}
