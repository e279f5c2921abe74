import type { VendorName } from '../bmc.ts';
import { dellWays } from './dell.ts';
import { genericWays } from './generic.ts';
import { hpeWays } from './hpe.ts';
import { lenovoWays } from './lenovo.ts';
import { nvidiaWays, openbmcWays } from './openbmc.ts';
import { supermicroWays } from './supermicro.ts';
import type { UpdateWays } from './update-ways.ts';

export {
  type Activation,
  activationOf,
  goneSettleMs,
  isResetDue,
  mustHostBeOff,
  type ResetQuestion,
  startPatienceMs,
} from './activation.ts';
export { clearJobQueue, cureFor, mayWaitForHost, type Unsticking } from './clear-queue.ts';
export type { TaskKind, UpdateWays } from './update-ways.ts';

const ways: Readonly<Record<VendorName, UpdateWays>> = {
  dell: dellWays,
  hpe: hpeWays,
  lenovo: lenovoWays,
  supermicro: supermicroWays,
  openbmc: openbmcWays,
  nvidia: nvidiaWays,
  ami: { ...genericWays, vendor: 'ami' },
  generic: genericWays,
};

/** True for BMCs that read from an image which parts it is for, and cannot be told: they may write to all equal ones. */
export function choosesParts(vendor: VendorName): boolean {
  return ways[vendor].choosesParts;
}

/** The ways of a vendor's BMCs. */
export function waysOf(vendor: VendorName): UpdateWays {
  return ways[vendor];
}
