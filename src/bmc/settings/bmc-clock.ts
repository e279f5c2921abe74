import type { Bmc } from '../bmc.ts';
import { BmcError } from '../errors.ts';
import { patchWithEtag } from '../gate/patch-with-etag.ts';
import { managerOf } from '../inventory/index.ts';
import { type Member, systemOf, timeIn } from '../redfish/index.ts';

/** The BMC's own clock. */
export interface BmcClock {
  /** Epoch milliseconds; undefined when it says no time. */
  readonly at: number | undefined;
  /** Its clock less ours. */
  readonly offsetMs: number | undefined;
}

/** Reads the BMC's clock. */
export async function readBmcClock(bmc: Bmc): Promise<BmcClock> {
  const manager = await theManager(bmc);
  const at = timeIn(manager.body, 'DateTime');
  return { at, offsetMs: at === undefined ? undefined : at - bmc.clock.now() };
}

/** Sets the BMC's clock to ours. A BMC that follows NTP may refuse. */
export async function setBmcClock(bmc: Bmc): Promise<void> {
  const manager = await theManager(bmc);
  // Whole seconds with a numeric offset: the form that all take.
  const text = `${new Date(bmc.clock.now()).toISOString().slice(0, 19)}+00:00`;
  await patchWithEtag(bmc.gate, manager.path, { DateTime: text }, { isDisruptive: true });
}

async function theManager(bmc: Bmc): Promise<Member> {
  const manager = await managerOf(bmc, await systemOf(bmc));
  if (manager !== undefined) return manager;
  const detail = 'it shows no manager';
  throw new BmcError('unsupported', { origin: bmc.gate.origin, what: 'tell the time', detail });
}
