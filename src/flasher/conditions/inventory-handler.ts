import { type Inventory, isBmcError, readBios, readInventory } from '../../bmc/index.ts';
import type { Work, WorkHandler } from '../../engine/index.ts';
import { FlasherError } from '../errors.ts';
import { type HeldBmc, holdBmc } from '../held-bmc.ts';
import type { HandlerContext } from './ports.ts';
import { createStepStatus } from './step-status.ts';

const isOfFirmware = (path: string): boolean => /\/FirmwareInventory(?:[/?]|$)/.test(path);

/** Makes the handler that reads what a server is made of and hands it on. */
export function createInventoryHandler(context: HandlerContext): WorkHandler {
  return async (work) => {
    const held = await holdBmc(work, context);
    const status = createStepStatus(work.condition.status, context.clock);
    status.say('the inventory is read');
    await held.report({ status: status.with() });
    const { firmware, drives, ports, gaps } = await storeInventory(held, { work, context });
    status.say(
      gaps.length === 0
        ? 'the inventory is stored'
        : `the inventory is stored; ${gaps.length} things could not be read`,
    );
    const counts = { firmware: firmware.length, drives: drives.length, ports: ports.length };
    const told = gaps.map(({ path, reason }) => ({ path, reason }));
    return { outcome: 'succeeded', status: status.with({ counts, gaps: told }) };
  };
}

/** Reads the inventory of a server under the lease of any work on it, and stores it. */
export async function storeInventory(
  held: HeldBmc,
  { work, context }: { readonly work: Work; readonly context: HandlerContext },
): Promise<Inventory> {
  const { condition, lease } = work;
  const inventory = await readInventory(held.bmc);
  const bios = condition.parameters.collect_bios_cfg === true ? await readSettings(held.bmc) : undefined;
  await held.report({});
  // What was read of two machines, one after the other at the same address, is true of neither.
  await held.confirmMachine();
  await context.inventorySink.write({
    target: condition.target,
    inventory,
    biosSettings: bios?.settings,
    readAt: context.clock.now(),
    lease: { conditionId: condition.id, token: lease.token },
  });
  // What is stored is good, but what is known of the rest may be from before some work.
  const unread = inventory.gaps.find(({ path, mayPass }) => mayPass === true && isOfFirmware(path));
  if (unread !== undefined) throw new FlasherError('firmwareUnread', { detail: `${unread.path}: ${unread.reason}` });
  return bios?.gap === undefined ? inventory : { ...inventory, gaps: [...inventory.gaps, bios.gap] };
}

/** A BMC that shows no settings says so each time: the rest of the inventory is good without them. */
async function readSettings(bmc: HeldBmc['bmc']) {
  try {
    const { current } = await readBios(bmc, { hasRegistry: false });
    return { settings: Object.fromEntries(current), gap: undefined };
  } catch (error) {
    if (!isBmcError(error, 'unsupported', 'notFound', 'refused')) throw error;
    return { settings: undefined, gap: { path: 'Bios', reason: error.message } };
  }
}
