import type { Bmc, ServiceRoot, VendorName } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import { readCollection } from './collection.ts';
import { detectVendor } from './vendor.ts';

/** Whose BMC this is when its root does not say: its managers are asked, then its systems. */
export async function readBmcVendor(bmc: Bmc, root: ServiceRoot): Promise<VendorName> {
  for (const kind of ['managers', 'systems'] as const) {
    const path = root[kind];
    const members = path === undefined ? [] : await membersOf(bmc, path);
    for (const { body } of members) {
      const vendor = detectVendor({ root: root.body, [kind === 'managers' ? 'manager' : 'system']: body });
      if (vendor !== 'generic') return vendor;
    }
  }
  return 'generic';
}

async function membersOf(bmc: Bmc, path: string) {
  try {
    return (await readCollection(bmc, path)).members;
  } catch (error) {
    if (isBmcError(error, 'notFound', 'refused', 'malformed', 'unsupported')) return [];
    throw error;
  }
}
