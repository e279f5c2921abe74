import { type BmcError, inTime, isBmcError, readPowerAndHealth } from '../../../bmc/index.ts';
import type { BmcProblem, HostSeen, Outcome } from '../../provisioner.ts';
import { isWorking } from '../host-record.ts';
import { type Workplace, withRecord } from '../workplace.ts';

const states: Readonly<Record<string, boolean>> = { on: true, off: false };

/** What a BMC says of its host from outside, or why it says nothing. */
export function lookAtHost(place: Workplace): Promise<Outcome<HostSeen>> {
  return withRecord<HostSeen>(place, async (record) => {
    const { maintenance } = record;
    const beside = maintenance === undefined ? {} : { maintenance };
    const reached = place.reach();
    if (reached.kind !== 'bmc') {
      if (reached.kind !== 'failed') return reached;
      return { kind: 'done', value: { ...beside, bmcProblem: { kind: 'lasting', message: reached.message } } };
    }
    try {
      // A BMC that hangs must not hold up other hosts.
      const limit = { withinMs: place.parts.lookMs, what: 'the power of its host' };
      const { power, health } = await inTime(reached.bmc, limit, readPowerAndHealth);
      return { kind: 'done', value: { ...beside, isPoweredOn: states[power.state], health } };
    } catch (error) {
      if (!isBmcError(error)) throw error;
      const { message } = error;
      if (isBmcError(error, 'closed')) return { kind: 'unavailable', message, afterMs: place.parts.pollMs };
      const kind = maintenance !== undefined || isWorking(record) ? 'expected' : kindOf(error);
      return { kind: 'done', value: { ...beside, bmcProblem: { message, kind } } };
    }
  });
}

/** Only these stay until somebody changes something; whatever else a BMC says may be over at the next call. */
function kindOf(error: BmcError): BmcProblem['kind'] {
  return isBmcError(error, 'credentials', 'lockedOut', 'certificate', 'otherBmc') ? 'lasting' : 'passing';
}
