import type { HardwareDetails } from '../../../api/index.ts';
import type { Attempt, Deployment, Outcome } from '../../provisioner.ts';
import { isIronicError, objectOf } from '../client/index.ts';
import { nodeCapabilities } from '../deployment/index.ts';
import { hardwareDetailsOf } from '../inventory/hardware-details.ts';
import {
  ask,
  askAfterFailure,
  finish,
  inUse,
  type MoveTable,
  type Operation,
  register,
  rows,
  special,
  wait,
  whyFailed,
} from '../moves/index.ts';
import { changesOf, heldStates, type IronicNode } from '../node/index.ts';
import { askFor, continueIn, findNode, patchNode, type Workplace } from '../workplace.ts';

/** How a host is looked at. */
export type InspectOrder = Attempt & {
  readonly isRefresh: boolean;
  readonly isForced: boolean;
  readonly bootMode: Deployment['bootMode'];
};

const refuse = inUse('inspected');

const start = special('start');

const table: MoveTable<InspectOrder, 'start'> = {
  ...rows(['enroll', 'verifying'], register),
  available: ask('manage'),
  manageable: ({ order }) => (order.isRefresh ? start() : finish()),
  inspecting: wait,
  // Whoever forces it wants it to begin anew.
  'inspect wait': ({ order }) => (order.isForced ? ask('abort')() : wait()),
  'inspect failed': ({ node, order }) =>
    order.isRetry || order.isForced || wasAborted(node) ? start() : { do: 'fail', message: whyFailed(node) },
  ...rows(['clean failed', 'adopt failed'], askAfterFailure('manage')),
  ...rows(['cleaning', 'clean wait', 'deleting', 'adopting'], wait),
  ...rows(['active', 'deploying', 'wait call-back', 'deploy failed', 'error'], refuse),
  ...rows(['servicing', 'service wait', 'service failed'], refuse),
  ...rows(['rescue', 'rescuing', 'rescue wait', 'rescue failed', 'unrescuing', 'unrescue failed'], refuse),
  ...rows(heldStates, wait),
};

function wasAborted(node: IronicNode): boolean {
  return /abort/i.test(node.lastError ?? '');
}

/** Looking at the hardware of a host. */
export const inspecting: Operation<InspectOrder, 'start', HardwareDetails> = {
  table,
  specials: (place) => ({
    finish: async ({ node, order }) => {
      const details = await readDetails(place, node);
      return details === undefined ? startInspection(place, node, order) : { kind: 'done', value: details };
    },
    start: ({ node, order }) => startInspection(place, node, order),
  }),
};

async function startInspection(
  place: Workplace,
  node: IronicNode,
  order: InspectOrder,
): Promise<Outcome<HardwareDetails>> {
  const seen = objectOf(node.raw.properties);
  const capabilities = nodeCapabilities(seen.capabilities, order.bootMode);
  const steps = changesOf({ path: '/properties', seen, wanted: { capabilities } });
  await askFor(place, await patchNode(place, node, { steps }), { target: 'inspect' });
  return continueIn(place, 'short', true);
}

async function readDetails(place: Workplace, node: IronicNode): Promise<HardwareDetails | undefined> {
  try {
    return hardwareDetailsOf(await place.client.call({ method: 'GET', path: `/nodes/${node.uuid}/inventory` }));
  } catch (error) {
    if (isIronicError(error, 'absent')) return undefined;
    throw error;
  }
}

/** What an earlier inspection told; nothing is started for it. */
export async function readInventory(place: Workplace): Promise<Outcome<HardwareDetails | undefined>> {
  const node = await findNode(place);
  if (node === undefined) return { kind: 'unregistered' };
  return { kind: 'done', value: await readDetails(place, node) };
}
