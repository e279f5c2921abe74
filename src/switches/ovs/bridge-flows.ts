import type { AclEntry } from '../port-settings.ts';
import { done, type SwitchResult } from '../switch-result.ts';
import {
  type AclOfFlows,
  aclOfFlows,
  decodeFlows,
  decodePorts,
  encodeAddFlow,
  encodeDeleteOwnFlows,
  encodeOwnFlowsRequest,
  encodePortMod,
  fieldValue,
  flowsOfAcl,
  messageType,
  type OpenflowPort,
  type OpenflowSession,
  type SeenFlow,
} from './openflow/index.ts';

const multipartTypes = { flows: 1, ports: 13 } as const;

/** What OpenFlow tells of a bridge. */
export interface BridgeFlows {
  readonly ports: ReadonlyMap<string, OpenflowPort>;
  readonly flows: readonly SeenFlow[];
}

/** Reads the ports of a bridge and our flows on it. */
export async function readFlows(session: OpenflowSession, signal: AbortSignal): Promise<SwitchResult<BridgeFlows>> {
  const ports = await session.multipart(multipartTypes.ports, Buffer.alloc(0), signal);
  if (ports.kind !== 'done') return ports;
  const flows = await session.multipart(multipartTypes.flows, encodeOwnFlowsRequest(), signal);
  if (flows.kind !== 'done') return flows;
  try {
    const named = decodePorts(ports.value).map((port) => [port.name, port] as const);
    return done({ ports: new Map(named), flows: decodeFlows(flows.value) });
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'unreadable';
    return { kind: 'refused', message: `the switch answered with OpenFlow that makes no sense: ${detail}` };
  }
}

/** The access list that the flows of a port stand for. */
export function aclOn({ ports, flows }: BridgeFlows, port: string): AclOfFlows {
  const ofport = ports.get(port)?.ofport;
  return ofport === undefined ? { acl: [], strays: [] } : aclOfFlows(flows, ofport);
}

/** One port and what OpenFlow is to make of it. */
export interface FlowChange {
  readonly port: OpenflowPort;
  readonly acl: readonly AclEntry[];
  readonly isDisabled: boolean;
}

/**
 * Shuts ports down and sets access lists, all or none. Ports are opened by themselves, after everything else. Flows of ports that are gone are taken away too: their numbers may be given to other ports.
 */
export async function writeFlows(
  session: OpenflowSession,
  { changes, seen }: { readonly changes: readonly FlowChange[]; readonly seen: BridgeFlows },
  signal: AbortSignal,
): Promise<SwitchResult<undefined>> {
  const living = new Set([...seen.ports.values()].map(({ ofport }) => ofport));
  const dead = new Set(seen.flows.flatMap(({ match }) => match?.get('inPort')?.value.readUInt32BE() ?? []));
  for (const ofport of living) dead.delete(ofport);
  const emptied = [...dead, ...changes.map(({ port }) => port.ofport)];
  const mods = [
    ...emptied.map((ofport) => encodeDeleteOwnFlows(new Map([['inPort', { value: fieldValue('inPort', ofport) }]]))),
    ...changes.flatMap(({ acl, port }) => flowsOfAcl(acl, port.ofport)).map(encodeAddFlow),
  ];
  const downs = changes.filter(({ isDisabled, port }) => isDisabled && !port.isDown);
  const shut = await setPorts(session, { changes: downs, isDown: true }, signal);
  if (shut.kind !== 'done') return shut;
  return session.bundle(mods, signal);
}

/** Opens ports that are down and are not to be: the last thing, so that no packet gets in before lists and VLANs are there. */
export function openPorts(
  session: OpenflowSession,
  changes: readonly FlowChange[],
  signal: AbortSignal,
): Promise<SwitchResult<undefined>> {
  const ups = changes.filter(({ isDisabled, port }) => !isDisabled && port.isDown);
  return setPorts(session, { changes: ups, isDown: false }, signal);
}

async function setPorts(
  session: OpenflowSession,
  { changes, isDown }: { readonly changes: readonly FlowChange[]; readonly isDown: boolean },
  signal: AbortSignal,
): Promise<SwitchResult<undefined>> {
  if (changes.length === 0) return done(undefined);
  const messages = changes.map(({ port }) => ({ type: messageType.portMod, body: encodePortMod(port, { isDown }) }));
  return session.send(messages, signal);
}
