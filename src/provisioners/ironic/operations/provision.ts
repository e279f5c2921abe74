import type { Attempt, Deployment, HostConfig, Outcome } from '../../provisioner.ts';
import { objectOf, textOf } from '../client/index.ts';
import { configDriveOf, deployInterfaceFor, instanceInfoOf, isToldOf, nodeCapabilities } from '../deployment/index.ts';
import {
  ask,
  askAfterFailure,
  askAgain,
  failFirst,
  finish,
  finishSilently,
  type Move,
  type MoveTable,
  type Operation,
  type Row,
  register,
  rows,
  type Seen,
  special,
  wait,
  whyFailed,
} from '../moves/index.ts';
import { changesOf, hasAccess, type IronicNode, isPowerPlayed } from '../node/index.ts';
import { askFor, continueIn, patchNode, type Workplace } from '../workplace.ts';
import { agentObjection, noteMachineIsOn } from './agent-on-node.ts';

/** What is to run on a host, and what it is told at its first boot. */
export type ProvisionOrder = Attempt & {
  readonly deployment: Deployment;
  readonly config: HostConfig;
  readonly isForced: boolean;
};

const start = special('start');

/** Whether the node is told of the image that is wanted now, and not of an earlier one. */
function isSameImage({ node, order }: Seen<ProvisionOrder>): boolean {
  return isToldOf(node.raw.instance_info, order.deployment.image);
}

/** What is in use is only what is wanted if it was deployed so, be it by us or before we knew the node. */
const finishIfSame: Row<ProvisionOrder> = (seen) => {
  const isCustom = seen.node.raw.deploy_interface === 'custom-agent';
  const isCustomWanted = seen.order.deployment.customDeploy !== undefined;
  if (isSameImage(seen) && isCustom === isCustomWanted) return finish();
  return {
    do: 'fail',
    message:
      'the node runs something else than is wanted, so nothing was done to it; to keep that, let the host name the image that runs there, or delete the host; to have it wiped, remove the image from the host',
    isInUse: true,
  };
};

const table: MoveTable<ProvisionOrder, 'start' | 'abort'> = {
  ...rows(['enroll', 'verifying'], register),
  manageable: ask('provide'),
  available: start,
  deploying: wait,
  'wait call-back': ({ order }) => (order.isForced ? { do: 'special', step: 'abort' } : wait()),
  'deploy hold': wait,
  'deploy failed': (seen) => {
    const isTriedAgain = seen.order.isRetry || !isSameImage(seen);
    if (!isTriedAgain) return { do: 'fail', message: `Image provisioning failed: ${whyFailed(seen.node)}` };
    // An agent that is booted anew is only heard from once the deployment was given up.
    return hasAccess(seen.node) ? start() : ask('deleted')();
  },
  ...rows(['active', 'servicing', 'service wait', 'service hold', 'service failed'], finishIfSame),
  ...rows(['cleaning', 'clean wait', 'clean hold', 'deleting', 'inspecting', 'adopting'], wait),
  'inspect wait': ask('abort'),
  ...rows(['inspect failed', 'adopt failed'], askAfterFailure('manage')),
  'clean failed': failFirst(askAgain('manage')),
  error: failFirst(askAgain('deleted')),
  ...rows(
    ['rescue', 'rescuing', 'rescue wait', 'rescue failed', 'unrescuing', 'unrescue failed'],
    (): Move => ({
      do: 'fail',
      message: 'the node is in rescue mode; end that first',
      isInUse: true,
    }),
  ),
};

/** Writing an image to a host, or whatever else makes it run what is wanted. */
export const provisioning: Operation<ProvisionOrder, 'start' | 'abort', undefined> = {
  table,
  specials: (place) => ({
    finish: finishSilently,
    start: async ({ node, order }) => (await agentNotReady(place, node)) ?? startDeployment(place, node, order),
    // An older Ironic cannot give up a deployment; undeploying ends it too.
    abort: async ({ node }) => {
      const { canAbortDeployment } = await place.client.features();
      await askFor(place, node, { target: canAbortDeployment ? 'abort' : 'deleted' });
      return continueIn(place, 'short');
    },
  }),
};

/** Without access to its BMC a machine is deployed by the agent that it runs already, or not at all. */
async function agentNotReady(place: Workplace, node: IronicNode): Promise<Outcome<never> | undefined> {
  if (hasAccess(node)) return undefined;
  const objection = await agentObjection(place, node);
  if (objection !== undefined) return objection;
  return isPowerPlayed(node) && node.powerState !== 'power on' ? noteMachineIsOn(place, node) : undefined;
}

async function startDeployment(place: Workplace, node: IronicNode, order: ProvisionOrder): Promise<Outcome> {
  const { deployment, config } = order;
  const drive = configDriveOf(config, { ...place.host, id: node.uuid });
  if (drive.kind === 'invalid') return { kind: 'failed', message: drive.message };
  const told = await tell(place, node, order);
  const objection = await validate(place, told);
  if (objection !== undefined) return { kind: 'failed', message: `host validation error: ${objection}` };
  await askFor(place, told, {
    target: 'active',
    ...(drive.drive === undefined ? {} : { configdrive: drive.drive }),
    ...(deployment.customDeploy === undefined ? {} : { deploy_steps: [customStep(deployment.customDeploy.method)] }),
  });
  return continueIn(place, 'long', true);
}

/** A step of the ramdisk; at this priority it takes the place of writing the image. */
function customStep(method: string) {
  return { interface: 'deploy', step: method, args: {}, priority: 80 };
}

function tell(place: Workplace, node: IronicNode, { deployment, config }: ProvisionOrder): Promise<IronicNode> {
  const properties = objectOf(node.raw.properties);
  const capabilities = nodeCapabilities(properties.capabilities, deployment.bootMode);
  // Interfaces cannot be changed once a deployment failed; the attempt before has set them.
  const canChangeInterface = node.provisionState === 'available';
  const deploy_interface = deployInterfaceFor(deployment, node.raw.deploy_interface);
  const steps = [
    ...(canChangeInterface ? changesOf({ path: '', seen: node.raw, wanted: { deploy_interface } }) : []),
    // Ironic watches over nodes that somebody has taken; we have no other id of who did.
    ...(textOf(node.raw.instance_uuid) === undefined
      ? changesOf({ path: '', seen: {}, wanted: { instance_uuid: node.uuid } })
      : []),
    ...changesOf({
      path: '/instance_info',
      seen: objectOf(node.raw.instance_info),
      wanted: instanceInfoOf(deployment, config),
    }),
    ...changesOf({ path: '/properties', seen: properties, wanted: { capabilities } }),
  ];
  return patchNode(place, node, { steps });
}

/** Why Ironic would not be able to boot or deploy it. */
async function validate(place: Workplace, node: IronicNode): Promise<string | undefined> {
  const answer = await place.client.call({ method: 'GET', path: `/nodes/${node.uuid}/validate` });
  const reasons = ['boot', 'deploy'].flatMap((name) => {
    const { result, reason } = objectOf(answer[name]);
    return result === false ? [textOf(reason) ?? `${name} is not valid`] : [];
  });
  return reasons.length === 0 ? undefined : [...new Set(reasons)].join('; ');
}
