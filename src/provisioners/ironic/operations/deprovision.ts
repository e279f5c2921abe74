import type { Deprovisioning } from '../../provisioner.ts';
import { isToldOf } from '../deployment/index.ts';
import {
  ask,
  askAfterFailure,
  askAgain,
  failFirst,
  finish,
  finishSilently,
  type MoveTable,
  type Operation,
  type Row,
  rows,
  type Seen,
  special,
  wait,
  waitShortly,
} from '../moves/index.ts';
import { changesOf, hasAccess } from '../node/index.ts';
import { askFor, continueIn, patchNode } from '../workplace.ts';

const undeploy = special('undeploy');

/** Ironic would call a node free whose machine goes on running: nothing switches it off. */
function ifReached<S extends string>(row: Row<Deprovisioning, S>): Row<Deprovisioning, S> {
  return (seen) => (hasAccess(seen.node) ? row(seen) : { do: 'fail', message: unreached });
}

const unreached =
  'what runs on the machine cannot be ended without access to its BMC; set spec.bmc, or delete the host, which leaves the machine as it is';

/** What runs on a node is not ours to take off only since we were about to write something there. */
function unlessForeign<S extends string = never>(row: Row<Deprovisioning, S>): Row<Deprovisioning, S> {
  return (seen) => (isForeign(seen) ? { do: 'fail', message: foreign, isInUse: true } : row(seen));
}

const foreign = 'the node runs something else than was to be written to it, so it is left as it is';

function isForeign({ node, order: { attempted } }: Seen<Deprovisioning>): boolean {
  if (attempted === undefined) return false;
  if (!isToldOf(node.raw.instance_info, attempted.image)) return true;
  return attempted.image === undefined && node.raw.deploy_interface !== 'custom-agent';
}

const table: MoveTable<Deprovisioning, 'undeploy'> = {
  ...rows(['deploy failed', 'wait call-back'], undeploy),
  ...rows(['active', 'rescue', 'rescue wait', 'rescue failed', 'unrescue failed'], unlessForeign(ifReached(undeploy))),
  error: failFirst(undeploy),
  // Work on a host in use ends first: Ironic leaves it half done otherwise.
  ...rows(['service wait', 'service hold'], unlessForeign(ask('abort'))),
  'service failed': unlessForeign(askAfterFailure('abort')),
  ...rows(['servicing', 'rescuing', 'unrescuing'], unlessForeign(wait)),
  'deploy hold': ask('abort'),
  ...rows(['deploying', 'deleting', 'cleaning', 'clean wait', 'clean hold', 'inspecting', 'adopting'], wait),
  'clean failed': failFirst(askAgain('manage')),
  // It is only clean once it was provided.
  manageable: ask('provide'),
  available: finish,
  verifying: waitShortly,
  enroll: finish,
  'inspect wait': ask('abort'),
  ...rows(['inspect failed', 'adopt failed'], askAfterFailure('manage')),
};

/** Taking off a host what is deployed on it. */
export const deprovisioning: Operation<Deprovisioning, 'undeploy', undefined> = {
  table,
  specials: (place) => ({
    finish: finishSilently,
    undeploy: async ({ node, order }) => {
      // Without access nothing can boot the machine to clean it.
      const wanted = { automated_clean: order.cleaningMode !== 'disabled' && hasAccess(node) };
      // Ironic takes no changes while it waits for the ramdisk; what registering set holds then.
      const canChange = node.provisionState !== 'wait call-back' && node.provisionState !== 'rescue wait';
      const steps = canChange ? changesOf({ path: '', seen: node.raw, wanted }) : [];
      const told = await patchNode(place, node, { steps });
      await askFor(place, told, { target: 'deleted' });
      return continueIn(place, 'long', true);
    },
  }),
};
