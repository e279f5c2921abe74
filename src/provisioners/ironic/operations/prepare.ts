import { readBmcAddress } from '../../bmc-address/index.ts';
import type { Outcome, Preparation } from '../../provisioner.ts';
import { withoutBmc } from '../../without-bmc.ts';
import { objectOf } from '../client/index.ts';
import {
  firmwareSteps,
  type NodeStep,
  planRaid,
  planUpdates,
  readUpdatesNote,
  type UpdatesNote,
} from '../firmware/index.ts';
import {
  ask,
  askAfterFailure,
  askAgain,
  endFailure,
  failFirst,
  finish,
  finishSilently,
  inUse,
  type MoveTable,
  type Operation,
  type Row,
  register,
  rows,
  special,
  wait,
} from '../moves/index.ts';
import { changesOf, hasAccess, type IronicNode } from '../node/index.ts';
import { askFor, busy, continueIn, patchNode, type Workplace } from '../workplace.ts';

/** Whether anything is to be changed. */
function hasWork(order: Preparation): boolean {
  return order.isWanted && stepsOf(order).length > 0;
}

function stepsOf(order: Preparation): readonly NodeStep[] {
  return [...(planRaid(order.raid, order.rootDeviceHints)?.steps ?? []), ...firmwareSteps(order)];
}

/** Cleaning that somebody asked for goes back to `manageable`; Ironic's own goes on to `available`. */
const waitForCleaning: Row<Preparation> = ({ node }) =>
  node.targetProvisionState === 'manageable' ? { ...wait(), isUnderWay: true } : wait();

const start = special('start');
const refuse = inUse('prepared');

const table: MoveTable<Preparation, 'start' | 'restart'> = {
  ...rows(['enroll', 'verifying'], register),
  manageable: ({ order }) => (hasWork(order) ? start() : ask('provide')()),
  available: ({ order }) => (hasWork(order) ? ask('manage')() : finish()),
  ...rows(['cleaning', 'clean wait'], waitForCleaning),
  ...rows(['inspecting', 'deleting', 'adopting'], wait),
  'clean failed': failFirst(({ order }) => (hasWork(order) ? special('restart')() : askAgain('manage')())),
  'inspect wait': ask('abort'),
  ...rows(['inspect failed', 'adopt failed'], askAfterFailure('manage')),
  // Left over from a deployment that nobody wants any more.
  'deploy failed': askAfterFailure('deleted'),
  error: failFirst(askAgain('deleted')),
  ...rows(['deploying', 'wait call-back'], wait),
  // Calling it available would let it be switched off, or written to, under those who use it. Only adopting takes it.
  ...rows(['active', 'servicing', 'service wait', 'service hold', 'service failed'], refuse),
  ...rows(['rescue', 'rescuing', 'rescue wait', 'rescue failed', 'unrescuing', 'unrescue failed'], refuse),
  ...rows(['clean hold', 'deploy hold'], wait),
};

/** Bringing a host to `available`, with RAID, BIOS settings and firmware as they are wanted. */
export const preparing: Operation<Preparation, 'start' | 'restart', undefined> = {
  table,
  specials: (place) => ({
    finish: finishSilently,
    start: async ({ node, order }) => {
      const { note } = await planUpdates(place, node, { updates: order.updates });
      return startCleaning(place, node, { order, note });
    },
    // In one go, so that the answer that says it has begun is the one after which the steps are under way.
    restart: async ({ node, order }) => {
      const held = await endFailure(place, node);
      if (held !== undefined) return held;
      const before = readUpdatesNote(objectOf(objectOf(node.raw.extra)[noteName]));
      const { note, left } = await planUpdates(place, node, { updates: order.updates, before });
      await askFor(place, node, { target: 'manage' });
      const rest = { ...order, updates: left };
      // What failed is not wanted any more, and all else is done.
      if (stepsOf(rest).length === 0) return continueIn(place, 'short', true);
      const managed = { ...node, provisionState: 'manageable', isInMaintenance: false };
      return startCleaning(place, managed, { order: rest, note });
    },
  }),
};

/** Where Ironic keeps for us which updates a node was last cleaned with. */
const noteName = 'rackwright_prepare';

interface Cleaning {
  readonly order: Preparation;
  readonly note: UpdatesNote;
}

async function startCleaning(place: Workplace, node: IronicNode, { order, note }: Cleaning): Promise<Outcome> {
  if (!hasAccess(node)) return withoutBmc('RAID, BIOS settings and firmware cannot be changed');
  const raid = planRaid(order.raid, order.rootDeviceHints);
  if (raid !== undefined) {
    const reading = readBmcAddress(place.host.bmc?.address ?? '');
    const own = reading.kind === 'known' ? reading.address.interfaces.raid : 'no-raid';
    const raidInterface = raid.raidInterface ?? own;
    if (raidInterface === 'no-raid') {
      return { kind: 'failed', message: 'hardware RAID is wanted, and the driver of this BMC cannot build it' };
    }
    const steps = changesOf({ path: '', seen: node.raw, wanted: { raid_interface: raidInterface } });
    await patchNode(place, node, { steps });
    const body = { logical_disks: raid.logicalDisks };
    await place.client.call({ method: 'PUT', path: `/nodes/${node.uuid}/states/raid`, body });
  }
  if (node.isInMaintenance) return busy(place, `the node is in maintenance: ${node.maintenanceReason ?? 'no reason'}`);
  if (note.updates.length > 0) {
    const wanted = { [noteName]: note };
    await patchNode(place, node, { steps: changesOf({ path: '/extra', seen: objectOf(node.raw.extra), wanted }) });
  }
  const clean_steps = stepsOf(order);
  // Settings alone are changed from outside; booting the ramdisk for them would only take minutes.
  const isOutside = clean_steps.every((step) => step.interface === 'bios');
  await askFor(place, node, { target: 'clean', clean_steps, ...(isOutside ? { disable_ramdisk: true } : {}) });
  return continueIn(place, 'long', true);
}
