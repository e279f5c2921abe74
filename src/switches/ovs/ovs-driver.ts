import type { PortWrite, SwitchDriver } from '../device/index.ts';
import { type PortAspect, type PortState, portAspects } from '../port-settings.ts';
import type { SwitchFacts } from '../switch-device.ts';
import { done, failedForAll, type PortResults, type SwitchFailure, type SwitchResult } from '../switch-result.ts';
import { aclOn, type BridgeFlows, type FlowChange, openPorts, readFlows, writeFlows } from './bridge-flows.ts';
import type { OvsLines } from './ovs-lines.ts';
import { type BridgeView, type OvsPort, readBridge, vlansOfColumns } from './ovsdb/index.ts';
import { type OvsWatcher, watchBridge } from './watch-bridge.ts';
import { type RowWrite, writeColumns } from './write-columns.ts';

/** What the driver of one bridge is made of. */
export interface OvsDriverOptions {
  readonly title: string;
  readonly bridge: string;
  readonly lines: OvsLines;
  readonly watcher: OvsWatcher;
}

/** The bridge as both lines tell it. */
interface Seen {
  readonly view: BridgeView;
  /** Undefined without an OpenFlow address. */
  readonly flows?: BridgeFlows | undefined;
}

/** Drives one bridge of an Open vSwitch: VLANs by OVSDB, access lists and shutting down by OpenFlow. */
export function createOvsDriver({ title, bridge, lines, watcher }: OvsDriverOptions): SwitchDriver {
  const withFlows: readonly PortAspect[] = portAspects;
  const withoutFlows: readonly PortAspect[] = ['untaggedVlan', 'taggedVlans'];
  const look = (signal: AbortSignal): Promise<SwitchResult<Seen>> => lookAt(lines, bridge, signal);
  return {
    title,
    abilities: {
      writes: lines.hasOpenflow ? withFlows : withoutFlows,
      reads: lines.hasOpenflow ? withFlows : ['disabled', ...withoutFlows],
      canListPorts: true,
      canReadNeighbours: false,
      canWatch: true,
      canBatch: true,
    },
    async verify(signal) {
      const seen = await look(signal);
      return seen.kind === 'done' ? done(factsOf(seen.value.view)) : seen;
    },
    async listPorts(signal) {
      const seen = await look(signal);
      if (seen.kind !== 'done') return seen;
      const ports = [...seen.value.view.ports.values()].filter(({ name }) => name !== bridge);
      return done(ports.map((port) => ({ port: port.name, isLinkUp: port.interfaces[0]?.isLinkUp })));
    },
    async read(ports, signal) {
      const seen = await look(signal);
      if (seen.kind !== 'done') return failedForAll(ports, seen);
      return new Map(ports.map((port) => [port, stateOf(seen.value, port)]));
    },
    write: (writes, signal) => writeAll(lines, { bridge, writes }, signal),
    watch: (listener) => watchBridge(watcher, listener),
    close: async () => {
      watcher.close();
      lines.close();
    },
  };
}

async function lookAt(lines: OvsLines, bridge: string, signal: AbortSignal): Promise<SwitchResult<Seen>> {
  const session = await lines.ovsdb(signal);
  if (session.kind !== 'done') return session;
  const view = await readBridge(session.value, bridge, signal);
  if (view.kind !== 'done') return view;
  const openflow = await lines.openflow(signal);
  if (openflow === undefined) return done({ view: view.value });
  if (openflow.kind !== 'done') return openflow;
  const flows = await readFlows(openflow.value, signal);
  return flows.kind === 'done' ? done({ view: view.value, flows: flows.value }) : flows;
}

function factsOf({ version, bridge, ports }: BridgeView): SwitchFacts {
  return {
    system: `Open vSwitch${version === undefined ? '' : ` ${version}`}`,
    chassisId: ports.get(bridge)?.interfaces[0]?.macInUse?.toLowerCase(),
    // The port named like the bridge is the switch's own way into its network.
    managementPort: bridge,
  };
}

function noPort(view: BridgeView, port: string): SwitchFailure {
  return { kind: 'no-port', message: `bridge ${view.bridge} has no port ${port}` };
}

function stateOf({ view, flows }: Seen, port: string): SwitchResult<PortState> {
  const row = view.ports.get(port);
  if (row === undefined) return noPort(view, port);
  const { untaggedVlan, taggedVlans, strays } = vlansOfColumns(row);
  const list = flows === undefined ? { acl: [], strays: [] } : aclOn(flows, port);
  return done({
    port,
    untaggedVlan,
    taggedVlans,
    acl: list.acl,
    isDisabled: flows?.ports.get(port)?.isDown ?? row.interfaces[0]?.isAdminUp === false,
    isLinkUp: row.interfaces[0]?.isLinkUp,
    unread: flows === undefined ? ['acl'] : [],
    strays: [...strays, ...list.strays],
  });
}

interface WriteOrder {
  readonly bridge: string;
  readonly writes: readonly PortWrite[];
}

/**
 * Writes all ports in one transaction and one bundle. A port that the switch does not take spoils that, so then each is
 * tried alone and only the bad one fails.
 */
async function writeAll(
  lines: OvsLines,
  { bridge, writes }: WriteOrder,
  signal: AbortSignal,
): Promise<PortResults<undefined>> {
  const together = await writeTogether(lines, { bridge, writes }, signal);
  if (together.kind !== 'refused' || writes.length === 1) return new Map(writes.map(({ port }) => [port, together]));
  const results = new Map<string, SwitchResult<undefined>>();
  for (const write of writes) results.set(write.port, await writeTogether(lines, { bridge, writes: [write] }, signal));
  return results;
}

async function writeTogether(
  lines: OvsLines,
  { bridge, writes }: WriteOrder,
  signal: AbortSignal,
): Promise<SwitchResult<undefined>> {
  const seen = await lookAt(lines, bridge, signal);
  if (seen.kind !== 'done') return seen;
  const { view, flows } = seen.value;
  const rows = writes.map((write) => rowOf(view, write));
  const missing = rows.find((row) => 'kind' in row);
  if (missing !== undefined) return missing;
  const found = rows.filter((row): row is RowWrite => !('kind' in row));
  // What shuts out comes before what lets in: a list first, then the VLAN that it guards, and opening last.
  const openflow = flows === undefined ? undefined : await lines.openflow(signal);
  if (openflow !== undefined && openflow.kind !== 'done') return openflow;
  const changes = flows === undefined ? [] : flowChanges(found, flows);
  if ('kind' in changes) return changes;
  if (openflow !== undefined && flows !== undefined) {
    const guarded = await writeFlows(openflow.value, { changes, seen: flows }, signal);
    if (guarded.kind !== 'done') return guarded;
  }
  const session = await lines.ovsdb(signal);
  if (session.kind !== 'done') return session;
  const written = await writeColumns(session.value, found, signal);
  return written.kind === 'done' && openflow !== undefined ? openPorts(openflow.value, changes, signal) : written;
}

function rowOf(view: BridgeView, write: PortWrite): RowWrite | SwitchFailure {
  const row: OvsPort | undefined = view.ports.get(write.port);
  return row === undefined ? noPort(view, write.port) : { ...write, row };
}

/** What OpenFlow is to make of each port, or why it cannot. */
function flowChanges(writes: readonly RowWrite[], flows: BridgeFlows): readonly FlowChange[] | SwitchFailure {
  const changes: FlowChange[] = [];
  for (const { port, wanted } of writes) {
    const known = flows.ports.get(port);
    if (known === undefined) return { kind: 'refused', message: `port ${port} is not in the datapath of the bridge` };
    changes.push({ port: known, acl: wanted.acl, isDisabled: wanted.isDisabled });
  }
  return changes;
}
