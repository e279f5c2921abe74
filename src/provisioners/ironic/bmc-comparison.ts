import { type Gates, isBmcError, type TlsTrust } from '../../bmc/index.ts';
import type { Clock, Random } from '../../kube/index.ts';
import { readBmcAddress } from '../bmc-address/index.ts';
import type { HostIdentity, Outcome } from '../provisioner.ts';
import { createReach, readMarks } from '../redfish/index.ts';
import { contradictionOf } from '../same-machine.ts';

/** What BMCs are asked with. */
export interface BmcComparisonParts {
  readonly gates: Gates;
  readonly trustOf?: ((origin: string) => TlsTrust) | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

const same: Outcome = { kind: 'done', value: undefined };

/**
 * Sees whether the BMC that a host is said to have is in its machine. Ironic could tell only by an inspection, so the BMC
 * is read past it, where it speaks Redfish. One that cannot be read is not taken: what runs there may be anybody's.
 */
export function createBmcComparison(parts: BmcComparisonParts): (host: HostIdentity) => Promise<Outcome> {
  const { trustOf = (): TlsTrust => ({ kind: 'system' }) } = parts;
  const reach = createReach({ ...parts, trustOf });
  return async (host) => {
    const reading = readBmcAddress(host.bmc?.address ?? '');
    if (reading.kind === 'known' && reading.address.origin === '') return same;
    const reached = reach(host);
    if (reached.kind !== 'bmc') return reached;
    try {
      const message = contradictionOf(host, await readMarks(reached.bmc));
      return message === undefined ? same : { kind: 'failed', message };
    } catch (error) {
      if (!isBmcError(error)) throw error;
      return { kind: 'failed', message: `whether its BMC is that of its machine cannot be seen: ${error.message}` };
    }
  };
}
