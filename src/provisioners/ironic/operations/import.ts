import type { Attempt, Outcome } from '../../provisioner.ts';
import { objectOf } from '../client/index.ts';
import {
  finish,
  type MoveTable,
  moveOn,
  type Operation,
  rows,
  special,
  waitShortly,
  whyFailed,
} from '../moves/index.ts';
import {
  accessFreeDriver,
  changesOf,
  hasAccess,
  heldStates,
  type IronicNode,
  isLeftOver,
  isPowerPlayed,
  isUnderWay,
  nodeName,
  restingStates,
  type Wanted,
  waitingStates,
  workingStates,
} from '../node/index.ts';
import { askFor, continueIn, endMaintenance, patchNode, readNodeOf, type Workplace } from '../workplace.ts';
import { agentObjection, noteMachineIsOn } from './agent-on-node.ts';
import { type FoundNode, findByMac, ifNotForeign } from './find-for-registration.ts';
import { sharedImageInfo } from './node-settings.ts';

interface Imported {
  readonly id: string;
}

const manage = special('manage');
const noteItIsOn = special('note-it-is-on');

/** Whether all that is to be done is to name the node: registering does the rest, with what it knows of the BMC. */
type ImportOrder = Attempt & { readonly isOnlyNamed: boolean };

const table: MoveTable<ImportOrder, 'manage' | 'note-it-is-on'> = {
  ...rows([...workingStates, ...waitingStates, ...heldStates, ...restingStates], finish),
  verifying: waitShortly,
  enroll: ({ node, order }) => {
    if (order.isOnlyNamed) return finish();
    if (node.targetProvisionState !== undefined) return waitShortly();
    if (!order.isRetry && hasBeenRefused(node)) return { do: 'fail', message: whyFailed(node) };
    return manage();
  },
  ...rows(['manageable', 'available'], ({ node, order }) =>
    order.isOnlyNamed || !isPowerPlayed(node) || node.powerState === 'power on' ? finish() : noteItIsOn(),
  ),
};

/** What went wrong while the machine was discovered says nothing of that. */
function hasBeenRefused({ lastError }: IronicNode): boolean {
  return /^Failed to (validate power driver interface|get power state)/.test(lastError ?? '');
}

/** The rows of importing, and what its end tells. */
export const importing: Operation<ImportOrder, 'manage' | 'note-it-is-on', Imported> = {
  table,
  specials: (place) => ({
    finish: async ({ node }) => ({ kind: 'done', value: { id: node.uuid } }),
    manage: async ({ node }) => {
      const objection = hasAccess(node) ? undefined : await agentObjection(place, node);
      if (objection !== undefined) return objection;
      await askFor(place, node, { target: 'manage' });
      return continueIn(place, 'short', true);
    },
    'note-it-is-on': async ({ node }) => (await agentObjection(place, node)) ?? noteMachineIsOn(place, node),
  }),
};

/** Takes over the node of a machine that came by itself. Nothing is booted, switched or inspected for that. */
export async function importHost(place: Workplace, order: Attempt): Promise<Outcome<Imported>> {
  const found = await findForImport(place);
  if (found.kind === 'conflict') return { kind: 'failed', message: found.message };
  if (found.kind === 'none') return { kind: 'unregistered' };
  const isOnlyNamed = place.host.bmc !== undefined;
  if (isLeftOver(found.node)) await endMaintenance(place, found.node);
  const node = await update(place, found.node, { isOnlyNamed });
  return moveOn(place, importing, { node, order: { ...order, isOnlyNamed } });
}

/** By the id that discovery told; by its boot address where Ironic has forgotten that node and met the machine again. */
async function findForImport(place: Workplace): Promise<FoundNode> {
  const { host } = place;
  const name = nodeName(host);
  const own = (host.id === undefined ? undefined : await readNodeOf(place, host.id)) ?? (await readNodeOf(place, name));
  if (own !== undefined) return ifNotForeign(place, own);
  return host.bootMacAddress === undefined ? { kind: 'none' } : findByMac(place, host.bootMacAddress);
}

/**
 * Names the node, and gives it a driver that works through the agent where Ironic cannot reach its BMC. With that name
 * comes that it is not cleaned, so that no crash leaves a node that is ours and would be.
 */
function update(
  place: Workplace,
  node: IronicNode,
  { isOnlyNamed }: { readonly isOnlyNamed: boolean },
): Promise<IronicNode> {
  if (isUnderWay(node.provisionState)) return Promise.resolve(node);
  const own = { name: nodeName(place.host), ...untouched };
  const isChangeable = ['enroll', 'manageable', 'available'].includes(node.provisionState);
  if (isOnlyNamed || !isChangeable) {
    return patchNode(place, node, { steps: changesOf({ path: '', seen: node.raw, wanted: own }) });
  }
  const wanted = hasAccess(node) ? own : { ...own, ...accessFree };
  const steps = [
    ...changesOf({ path: '', seen: node.raw, wanted }),
    ...changesOf({
      path: '/driver_info',
      seen: objectOf(node.raw.driver_info),
      wanted: sharedImageInfo(place.settings),
    }),
  ];
  const resetsInterfaces = steps.some(({ path }) => path === '/driver');
  return patchNode(place, node, { steps, resetsInterfaces });
}

/**
 * Nobody has asked for the machine to be cleaned, which would boot it and erase its disks. What is there stays until an
 * image is written; whoever takes that off again turns cleaning on.
 */
const untouched: Wanted = { automated_clean: false };

/**
 * A power interface that asks the agent would be the better one, but Ironic forgets where the agent is just before it
 * tells it to reboot, and each deployment fails at its last step. So power is only written down.
 */
const accessFree: Wanted = {
  driver: accessFreeDriver,
  power_interface: 'fake',
  deploy_interface: 'direct',
  inspect_interface: 'agent',
};
