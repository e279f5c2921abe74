import type { HardwareDetails } from '../../../api/index.ts';
import { readInventory } from '../../../bmc/index.ts';
import type { BmcMarks, Outcome } from '../../provisioner.ts';
import { detailsOf } from '../reading/hardware-details.ts';
import { changeRecord, type Workplace, withFreeRecord, withRecord } from '../workplace.ts';

/** Finds out what a host is made of by asking its BMC; the host itself is not disturbed. */
export function inspectHost(
  place: Workplace,
  { isRefresh, isRetry }: { readonly isRefresh: boolean; readonly isRetry: boolean },
): Promise<Outcome<HardwareDetails>> {
  return withFreeRecord<HardwareDetails>(place, async (record) => {
    if (record.details !== undefined && !isRefresh && !isRetry) return { kind: 'done', value: record.details };
    const reached = place.reach();
    if (reached.kind !== 'bmc') return reached;
    const details = detailsOf(await readInventory(reached.bmc));
    await changeRecord(place, (now) => ({ ...now, details }));
    return { kind: 'done', value: details };
  });
}

/** What was found out before. */
export function knownInventory(place: Workplace): Promise<Outcome<HardwareDetails | undefined>> {
  return withRecord(place, async ({ details }) => ({ kind: 'done', value: details }));
}

/** By what its BMC tells the machine from others; the host need not be known for it. */
export async function readMarks(place: Workplace): Promise<Outcome<BmcMarks>> {
  const reached = place.reach();
  if (reached.kind !== 'bmc') return reached;
  const { system, ports } = await readInventory(reached.bmc);
  const macs = ports.flatMap(({ mac }) => mac?.toLowerCase() ?? []);
  const serialNumbers = [system.serial ?? '', system.sku ?? ''].filter((each) => each !== '');
  return { kind: 'done', value: { macs: [...new Set(macs)], serialNumbers } };
}
