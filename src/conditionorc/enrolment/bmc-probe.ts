import {
  connectBmc,
  type Gates,
  machineIdOf,
  parseBmcAddress,
  readBmcIdentity,
  systemIdentityOf,
  systemOf,
  type TlsTrust,
} from '../../bmc/index.ts';
import { type Clock, type Random, systemClock } from '../../kube/index.ts';
import type { BmcProbe } from './ports.ts';

/** What a probe is made of. */
export interface BmcProbeOptions {
  readonly gates: Gates;
  /** How the certificate at an address is checked. */
  readonly trustOf: (origin: string) => TlsTrust;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** Makes a probe. It logs in, reads the system, and logs out. */
export function createBmcProbe(options: BmcProbeOptions): BmcProbe {
  const { gates, trustOf, clock = systemClock, random = Math.random } = options;
  return {
    async identify({ address, username, password }) {
      const { origin, systemPath } = parseBmcAddress(address);
      const endpoint = { origin, trust: trustOf(origin), credentials: async () => ({ username, password }) };
      const about = { gates, endpoint, clock, random };
      const bmc = connectBmc(systemPath === undefined ? about : { ...about, systemPath });
      try {
        const id = await machineIdOf(bmc);
        const system = await systemOf(bmc);
        const { body } = system;
        const { uuid: systemUuid, serial = '' } = systemIdentityOf(system);
        const { serviceUuid: bmcUuid } = await readBmcIdentity(bmc, system);
        return { id, vendor: textOf(body.Manufacturer), model: textOf(body.Model), serial, systemUuid, bmcUuid };
      } finally {
        // Nobody else uses this session: it must not count against the few that a BMC has.
        await bmc.gate.logOut().catch(() => undefined);
      }
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim().slice(0, 255).toWellFormed() : '';
}
