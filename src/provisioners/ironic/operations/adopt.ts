import type { Attempt, Deployment } from '../../provisioner.ts';
import { objectOf } from '../client/index.ts';
import { deployInterfaceFor, instanceInfoOf } from '../deployment/index.ts';
import {
  failFirst,
  finish,
  finishSilently,
  type MoveTable,
  type Operation,
  register,
  rows,
  special,
  waitShortly,
} from '../moves/index.ts';
import { changesOf, heldStates, type IronicNode, restingStates, waitingStates, workingStates } from '../node/index.ts';
import { askFor, continueIn, patchNode, type Workplace } from '../workplace.ts';

/** Who is taken over, and what runs on it. */
export type AdoptOrder = Attempt & { readonly deployment?: Deployment | undefined };

const takeOver = special('take-over');

/**
 * Only a node that was registered anew is taken over. In every other state it is in use already, or on its way back
 * from that, where taking it over would begin all again.
 */
const table: MoveTable<AdoptOrder, 'take-over'> = {
  ...rows([...workingStates, ...waitingStates, ...heldStates, ...restingStates], finish),
  ...rows(['enroll', 'verifying'], register),
  manageable: takeOver,
  adopting: waitShortly,
  'adopt failed': failFirst(takeOver),
};

/** Taking over a host that runs what somebody deployed before. */
export const adopting: Operation<AdoptOrder, 'take-over', undefined> = {
  table,
  specials: (place) => ({
    finish: finishSilently,
    'take-over': async ({ node, order }) => {
      const told = await tell(place, node, order.deployment);
      await askFor(place, told, { target: 'adopt' });
      return continueIn(place, 'short', true);
    },
  }),
};

/** Tells Ironic what runs there. */
function tell(place: Workplace, node: IronicNode, deployment: Deployment | undefined): Promise<IronicNode> {
  const seen = node.raw.deploy_interface;
  const canChangeInterface = node.provisionState === 'manageable';
  const steps = [
    ...(canChangeInterface
      ? changesOf({ path: '', seen: node.raw, wanted: { deploy_interface: deployInterfaceFor(deployment, seen) } })
      : []),
    ...(deployment === undefined
      ? []
      : changesOf({
          path: '/instance_info',
          seen: objectOf(node.raw.instance_info),
          wanted: instanceInfoOf(deployment),
        })),
  ];
  return patchNode(place, node, { steps });
}
