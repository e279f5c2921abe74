import type { Outcome } from '../../provisioner.ts';
import { objectOf, textOf } from '../client/index.ts';
import type { IronicNode } from '../node/index.ts';
import { continueIn, type Workplace } from '../workplace.ts';

/** As long as Ironic itself believes, unless told otherwise, that an agent it heard from is still there. */
const heardForMs = 300_000;

/**
 * Why the agent on a node cannot be given work: undefined where it can. One that told its inventory a moment ago and has
 * not reported for work yet is waited for.
 */
export async function agentObjection(place: Workplace, node: IronicNode): Promise<Outcome<never> | undefined> {
  const path = `/nodes/${node.uuid}?fields=driver_internal_info`;
  const info = objectOf((await place.client.call({ method: 'GET', path })).driver_internal_info);
  const lastHeardMs = momentOf(info.agent_last_heartbeat);
  const isHeard = lastHeardMs !== undefined && place.clock.now() - lastHeardMs < heardForMs;
  if (!isHeard) return { kind: 'failed', message: silentAgent };
  return textOf(info.agent_url) === undefined ? continueIn(place, 'long') : undefined;
}

const silentAgent =
  'Ironic does not hear from an agent on the machine, and cannot start one without access to its BMC; boot it from the network (Ironic has to have fast_track on), or set spec.bmc';

/** Ironic writes moments of its own in UTC and does not say so. */
function momentOf(value: unknown): number | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

/**
 * Writes down that the machine is on, without which Ironic does not turn to the agent that runs there. Only for a node
 * whose power nothing switches.
 */
export async function noteMachineIsOn(place: Workplace, node: IronicNode): Promise<Outcome<never>> {
  const body = { target: 'power on' };
  await place.client.call({ method: 'PUT', path: `/nodes/${node.uuid}/states/power`, body });
  return continueIn(place, 'short');
}
