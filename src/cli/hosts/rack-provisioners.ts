import type { OpenExternalWork } from '../../hosts/index.ts';
import {
  chooseProvisioners,
  createAbsentProvisioners,
  createDemoProvisioners,
  type Provisioners,
} from '../../provisioners/index.ts';
import type { RackMachines } from './rack-machines.ts';

/** Simulated time may run fast: a server is switched in a fraction of a second. */
const pollMs = 200;

/** What hosts are told that are not of the simulated rack. */
export const noProvisioner =
  'no provisioner is set for this host: start Rackwright with --provisioner redfish to have it looked after by its BMC alone, or with --ironic-url for an Ironic; without one only the hosts of the simulated rack are looked after';

/** Looks after the hosts of the simulated rack and leaves all others as they are. */
export function createRackProvisioners(machines: RackMachines): Provisioners {
  const demo = createDemoProvisioners({ machineOf: machines, pollMs });
  const absent = createAbsentProvisioners({ message: noProvisioner });
  return chooseProvisioners([demo, absent], (host) => (machines(host) === undefined ? absent : demo));
}

/** Somebody else's work on a simulated server takes seconds. */
const soonMs = 1000;

/** Holds machines for the hosts of the rack: not to inspect them, which asks nothing of a BMC, and with short waits. */
export function holdForRack(work: OpenExternalWork): OpenExternalWork {
  return {
    ...work,
    async hold(host, what) {
      if (what === 'inspect') return { kind: 'held' };
      const hold = await work.hold(host, what);
      return hold.kind === 'held' ? hold : { ...hold, afterMs: Math.min(hold.afterMs, soonMs) };
    },
  };
}
