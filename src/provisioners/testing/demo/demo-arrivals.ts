import type { DiscoverySource, KnownMachine, MachineDetails } from '../../discovery-source.ts';
import { demoId } from './demo-hardware.ts';

/** A machine that nobody has registered, as it introduces itself. */
export interface DemoArrival {
  /** The MAC that it boots from. */
  readonly bootMac: string;
  readonly details: MachineDetails;
}

/** Machines that come to a demo by themselves, whenever somebody plugs them in. */
export interface DemoArrivals {
  readonly source: DiscoverySource;
  /** A machine is switched on and introduces itself; says which id it has from then on. One that is known stays what it is. */
  arrive(arrival: DemoArrival): string;
  /** The machine of an id, or else the one that boots from a MAC. */
  find(by: { readonly id?: string | undefined; readonly bootMac?: string | undefined }): ArrivedMachine | undefined;
  /** Forgets a machine: it is another one, with another id, when it comes again. */
  forget(id: string): void;
}

/** A machine that came. */
export interface ArrivedMachine extends MachineDetails {
  readonly id: string;
}

/** Where machines can come to. An id is that of a MAC and of how often it came, so that it is the same in every run. */
export function createDemoArrivals(): DemoArrivals {
  const here = new Map<string, { readonly machine: KnownMachine; readonly details: MachineDetails }>();
  const visits = new Map<string, number>();
  const byMac = (mac: string) => [...here.values()].find(({ machine }) => machine.macs.includes(mac.toLowerCase()));
  return {
    source: {
      list: async () => ({ kind: 'done', value: [...here.values()].map(({ machine }) => machine) }),
      read: async (id) => ({ kind: 'done', value: here.get(id)?.details }),
    },
    arrive({ bootMac, details }) {
      const mac = bootMac.toLowerCase();
      const known = byMac(mac);
      if (known !== undefined) return known.machine.id;
      const visit = (visits.get(mac) ?? 0) + 1;
      visits.set(mac, visit);
      const id = demoId({ namespace: 'arrival', name: `${mac}/${visit}` });
      const others = (details.hardware.nics ?? []).flatMap(({ mac: each = '' }) =>
        each === '' ? [] : [each.toLowerCase()],
      );
      const machine = { id, bootMac: mac, macs: [...new Set([mac, ...others])], isAutoDiscovered: true };
      here.set(id, { machine, details });
      return id;
    },
    find({ id, bootMac }) {
      const found =
        (id === undefined ? undefined : here.get(id)) ?? (bootMac === undefined ? undefined : byMac(bootMac));
      return found === undefined ? undefined : { ...found.details, id: found.machine.id };
    },
    forget: (id) => void here.delete(id),
  };
}
