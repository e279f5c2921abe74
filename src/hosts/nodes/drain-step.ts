import type { Instant } from '../../kube/index.ts';
import { type Draft, type HostEffect, type HostSeen, rest, type Step, telling } from '../decide/seen.ts';
import { drainedNode } from '../resources.ts';
import { isSameStatus } from '../status/same-status.ts';
import { drainedNodeOf, drainLimitOf } from './drain-wish.ts';

/** How often is looked whether pods have left. */
const lookEveryMs = 5000;

/** What is to be done before the machine is touched: `gone by` is the cause when pods would not leave in time. */
export type Drained =
  | { readonly kind: 'clear' }
  | { readonly kind: 'not yet'; readonly step: Step }
  | { readonly kind: 'gone by'; readonly message: string };

/**
 * Drains the Node behind a host before its live update touches the machine, where its owner asks for that. Nothing is done
 * before it is stored that the update has begun and which Node is drained for it: so it is given back however it ends.
 */
export function drainStep(
  seen: HostSeen,
  draft: Draft,
  about: { readonly ticket: string; readonly now: Instant },
): Drained {
  const limitMs = drainLimitOf(seen.host, seen.settings.drainLimitMs);
  if (limitMs === undefined) return { kind: 'clear' };
  const noted = drainedNodeOf(seen.host);
  const { found, drain } = seen.nodes;
  if (noted === undefined && found === undefined) return doFirst(draft, { kind: 'find-node', key: 'find-node' });
  if (noted === undefined && found?.kind === 'none') return { kind: 'clear' };
  const wait = (message: string): Drained => {
    const isLate = about.now - Date.parse(about.ticket) > limitMs;
    if (isLate) return { kind: 'gone by', message: `its Node could not be drained in time: ${message}` };
    return { kind: 'not yet', step: rest(draft, { after: lookEveryMs }, 'Draining', message) };
  };
  if (noted === undefined && found?.kind === 'unreadable') return wait(found.message);
  const node = noted ?? (found?.kind === 'found' ? found.name : '');
  if (noted === undefined) {
    const told = telling(draft, 'Normal', 'NodeDraining', `The Node ${node} is drained before the live update`);
    const change: HostEffect = {
      kind: 'change-host',
      key: 'note-node',
      change: { setAnnotations: { [drainedNode]: node } },
    };
    return doFirst(told, ...storedFirst(seen, draft), change);
  }
  if (drain === undefined) {
    const effect: HostEffect = { kind: 'drain-node', key: 'drain-node', node, ticket: about.ticket };
    return doFirst(draft, ...storedFirst(seen, draft), effect);
  }
  return drain.kind === 'drained' ? { kind: 'clear' } : wait(`the Node ${node} is being drained: ${drain.message}`);
}

function doFirst(draft: Draft, ...effects: readonly HostEffect[]): Drained {
  return { kind: 'not yet', step: { kind: 'do', draft, effects } };
}

/** Whoever finds a drained Node must find the attempt that it is for. */
function storedFirst({ host }: HostSeen, { status }: Draft): readonly HostEffect[] {
  const isStored = host.status !== undefined && isSameStatus(host.status, status);
  return isStored ? [] : [{ kind: 'store-status', key: 'status' }];
}

/** Gives a Node back once its host is serviced no more; undefined when there is none. */
export function giveNodeBack({ host, nodes }: HostSeen, draft: Draft): Step | undefined {
  const node = drainedNodeOf(host);
  // What could not be done is tried again by the next round; the host itself does not wait for it.
  if (node === undefined || nodes.given?.kind === 'failed') return undefined;
  if (nodes.given === undefined) {
    return { kind: 'do', draft, effects: [{ kind: 'give-node-back', key: 'give-node-back', node }] };
  }
  const told = telling(draft, 'Normal', 'NodeReturned', `The Node ${node} is not drained any more`);
  const change = { removeAnnotations: [drainedNode] };
  return { kind: 'do', draft: told, effects: [{ kind: 'change-host', key: 'forget-node', change }] };
}
