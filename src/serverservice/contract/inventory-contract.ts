import { describe, type TestContext } from 'node:test';
import type { Database } from '../../engine/index.ts';
import type { ServerserviceOptions } from '../serverservice.ts';
import { openRig, type Rig } from '../testing/rig.ts';
import { tryAttributes } from './try-attributes.ts';
import { tryBiosConfig } from './try-bios-config.ts';
import { tryConcurrency } from './try-concurrency.ts';
import { tryCredentials } from './try-credentials.ts';
import { tryFilters } from './try-filters.ts';
import { tryFirmware } from './try-firmware.ts';
import { tryRoutes } from './try-routes.ts';
import { tryServers } from './try-servers.ts';

/** A database that the inventory can be kept in. */
export interface InventoryTarget {
  readonly name: string;
  /** An empty one. */
  open(): Promise<Database>;
}

/** Opens an inventory for a test; database and server go when the test ends. */
export type OpenRig = (t: TestContext, options?: Partial<ServerserviceOptions>) => Promise<Rig>;

/** What the inventory does alike in every database. */
export function inventoryContract(target: InventoryTarget): void {
  const open: OpenRig = async (t, options) => {
    const database = await target.open();
    const rig = await openRig(t, database, options);
    t.after(() => database.close());
    return rig;
  };
  describe(`inventory in ${target.name}: servers`, () => tryServers(open));
  describe(`inventory in ${target.name}: attributes`, () => tryAttributes(open));
  describe(`inventory in ${target.name}: filters`, () => tryFilters(open));
  describe(`inventory in ${target.name}: firmware`, () => tryFirmware(open));
  describe(`inventory in ${target.name}: BIOS settings`, () => tryBiosConfig(open));
  describe(`inventory in ${target.name}: credentials`, () => tryCredentials(open));
  describe(`inventory in ${target.name}: several at once`, () => tryConcurrency(open));
  describe(`inventory in ${target.name}: every route`, () => tryRoutes(open));
}
