import type { Bmc } from '../bmc.ts';
import { BmcError } from '../errors.ts';
import type { InstallOrder } from '../firmware-update.ts';
import { listPaths, systemOf, textIn } from '../redfish/index.ts';
import { firstOffered, genericWays } from './generic.ts';
import type { UpdateWays } from './update-ways.ts';

/** OpenBMC (bmcweb). */
export const openbmcWays: UpdateWays = {
  ...genericWays,
  vendor: 'openbmc',
  chooseApplyTime: (_component, offered) => firstOffered(offered, ['Immediate', 'OnReset']),
  async defaultTargets(bmc, order) {
    // bmcweb wants to be told what an image is for; the BMC itself is its manager.
    if (order.component !== 'bmc') return [];
    const { managers } = await bmc.root();
    const [manager] = managers === undefined ? [] : await listPaths(bmc, managers);
    return manager === undefined ? [] : [manager];
  },
  checkBefore: wantHostOff,
};

/** NVIDIA's OpenBMC writes host firmware beside a running host. */
export const nvidiaWays: UpdateWays = { ...openbmcWays, vendor: 'nvidia', checkBefore: async () => {} };

/** The BMC takes the BIOS flash away from the host to write it: a running host would crash, so it must be off. */
async function wantHostOff(bmc: Bmc, order: InstallOrder): Promise<void> {
  if (order.component !== 'bios') return;
  const power = textIn((await systemOf(bmc)).body, 'PowerState');
  if (power === undefined || power === 'Off') return;
  throw new BmcError('blocked', {
    origin: bmc.gate.origin,
    what: 'write the BIOS',
    detail: `the host is ${power}; switch it off first, and on again when the update is over`,
  });
}
