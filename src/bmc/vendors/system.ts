import type { Bmc } from '../bmc.ts';
import { BmcError } from '../errors.ts';
import { barePath, listPaths } from '../redfish/index.ts';

/** The system this is about: as named, or the only one. Throws `blocked` where there are several and none is named. */
export async function systemPathOf(bmc: Bmc): Promise<string> {
  if (bmc.systemPath !== undefined) return barePath(bmc.systemPath);
  const paths = await listPaths(bmc, (await bmc.root()).systems);
  const [first] = paths;
  if (first === undefined || paths.length > 1) {
    throw new BmcError('blocked', {
      origin: bmc.gate.origin,
      what: 'tell which system is meant',
      detail: `it has ${paths.length} systems: name one in the BMC's address`,
    });
  }
  return barePath(first);
}
