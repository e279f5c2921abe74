import type { Clock } from '../../kube/index.ts';
import type { HostIdentity, Outcome } from '../provisioner.ts';
import { type IronicClient, isIronicError, type JsonObject } from './client/index.ts';
import {
  type IronicNode,
  isOwnNode,
  nodeName,
  nodeQuery,
  objectionToNode,
  type PatchStep,
  readNode,
} from './node/index.ts';

/** How long to wait until Ironic is asked again. */
export interface Delays {
  /** Where something ends in seconds. */
  readonly shortMs: number;
  /** Where it takes minutes. */
  readonly longMs: number;
  /** Where Ironic itself is away. */
  readonly awayMs: number;
}

/** What is the same for all hosts. */
export interface IronicSettings {
  /** The images that Ironic boots hosts with, where it is not told in its own configuration. */
  readonly deployImages?:
    | { readonly kernelUrl?: string; readonly ramdiskUrl?: string; readonly isoUrl?: string }
    | undefined;
  /** Whether each host gets a boot image of its own, so that nothing is booted without one. */
  readonly needsBootImage: boolean;
}

/** All that an operation on one host needs. */
export interface Workplace {
  readonly client: IronicClient;
  readonly host: HostIdentity;
  readonly settings: IronicSettings;
  readonly delays: Delays;
  readonly clock: Clock;
  /** Whether the BMC that a host is said to have is that of its machine; undefined where nobody can ask BMCs. */
  readonly compareBmc?: ((host: HostIdentity) => Promise<Outcome>) | undefined;
  /** In [0, 1). */
  random(): number;
}

/** What says when to come again. */
export type Timing = Pick<Workplace, 'delays' | 'random'>;

const softJitter = 0.25;

/** Spreads what would else come at once. */
export function jittered(place: Pick<Workplace, 'random'>, delayMs: number): number {
  return Math.round(delayMs * (1 + place.random() * softJitter));
}

/** The outcome of work that is under way. */
export type UnderWay = Extract<Outcome<never>, { readonly kind: 'continue' }>;

/** The same, to be asked for again later. */
export function continueIn(place: Timing, delay: 'short' | 'long', hasStarted = false): UnderWay {
  const afterMs = jittered(place, delay === 'short' ? place.delays.shortMs : place.delays.longMs);
  return hasStarted ? { kind: 'continue', afterMs, hasStarted } : { kind: 'continue', afterMs };
}

/** The outcome of work that is in nobody's way but cannot be begun now. */
export function busy(place: Timing, message: string): Outcome<never> {
  return { kind: 'busy', afterMs: jittered(place, place.delays.shortMs), message };
}

/** The outcome of work that is done and has nothing to tell. */
export const done: Outcome = { kind: 'done', value: undefined };

/** Reads the node that an id or a name means; undefined where there is none. */
export async function readNodeOf(place: Workplace, ident: string): Promise<IronicNode | undefined> {
  const query = nodeQuery(await place.client.features());
  try {
    return readNode(await place.client.call({ method: 'GET', path: `/nodes/${encodeURIComponent(ident)}?${query}` }));
  } catch (error) {
    if (isIronicError(error, 'absent')) return undefined;
    throw error;
  }
}

/** Reads the node of the host: by its id where it has one, else by its name. One that is somebody else's is none. */
export async function findNode(place: Workplace): Promise<IronicNode | undefined> {
  const node = await readNodeOf(place, place.host.id ?? nodeName(place.host));
  return node !== undefined && isOwnNode(place.host, node) ? node : undefined;
}

/** Reads the node that goes with the host: its own, or the one it was to take over and that nobody has touched. */
export async function findNodeToForget(place: Workplace): Promise<IronicNode | undefined> {
  const { host } = place;
  const node = host.id === undefined ? undefined : await readNodeOf(place, host.id);
  if (node !== undefined && objectionToNode(host, node) === undefined) return node;
  // Where that id was only noted, the host may have got another node without having heard of it.
  return host.id === undefined || host.isIdNoted === true ? readNodeOf(place, nodeName(host)) : undefined;
}

/** Changes members of a node and says what it is then; where there is nothing to change nothing is sent. */
export async function patchNode(
  place: Workplace,
  node: IronicNode,
  change: { readonly steps: readonly PatchStep[]; readonly resetsInterfaces?: boolean },
): Promise<IronicNode> {
  if (change.steps.length === 0) return node;
  const query = change.resetsInterfaces === true ? '?reset_interfaces=True' : '';
  const call = { method: 'PATCH', path: `/nodes/${node.uuid}${query}`, body: change.steps } as const;
  // The answer shows the lock that the change itself took.
  return { ...readNode(await place.client.call(call)), isLocked: node.isLocked };
}

/** Asks for a change of the provision state. */
export async function askFor(place: Workplace, node: IronicNode, wish: JsonObject): Promise<void> {
  await place.client.call({ method: 'PUT', path: `/nodes/${node.uuid}/states/provision`, body: wish });
}

/** Ends maintenance, whoever began it. */
export async function endMaintenance(place: Workplace, node: IronicNode): Promise<void> {
  await place.client.call({ method: 'DELETE', path: `/nodes/${node.uuid}/maintenance` });
}
