import { done, type SwitchResult } from '../../switch-result.ts';
import type { OvsdbSession } from './ovsdb-session.ts';
import { mapOf, numberOf, type OvsdbRow, optionalOf, setOf, textOf, toUuid, uuidOf } from './values.ts';

/** An interface of a port, as far as it is looked at. */
export interface OvsInterface {
  readonly id: string;
  readonly name: string;
  /** Number of the port in OpenFlow; changes when a port is taken away and added again. */
  readonly ofport?: number | undefined;
  readonly isAdminUp?: boolean | undefined;
  readonly isLinkUp?: boolean | undefined;
  readonly error?: string | undefined;
  readonly macInUse?: string | undefined;
}

/** A port of a bridge. */
export interface OvsPort {
  readonly id: string;
  readonly name: string;
  readonly tag?: number | undefined;
  readonly trunks: readonly number[];
  readonly vlanMode?: string | undefined;
  readonly isProtected: boolean;
  readonly externalIds: ReadonlyMap<string, string>;
  readonly interfaces: readonly OvsInterface[];
}

/** A bridge with its ports. */
export interface BridgeView {
  readonly bridge: string;
  readonly version?: string | undefined;
  readonly ports: ReadonlyMap<string, OvsPort>;
}

const portColumns = ['_uuid', 'name', 'tag', 'trunks', 'vlan_mode', 'protected', 'external_ids', 'interfaces'];
const interfaceColumns = ['_uuid', 'name', 'ofport', 'admin_state', 'link_state', 'error', 'mac_in_use'];

/** Reads a bridge and all its ports in two steps: which ports it has, then those. */
export async function readBridge(
  session: OvsdbSession,
  bridge: string,
  signal: AbortSignal,
): Promise<SwitchResult<BridgeView>> {
  const first = await session.transact(
    [
      { op: 'select', table: 'Open_vSwitch', where: [], columns: ['ovs_version'] },
      { op: 'select', table: 'Bridge', where: [['name', '==', bridge]], columns: ['ports'] },
      { op: 'select', table: 'Port', where: [], columns: portColumns },
      { op: 'select', table: 'Interface', where: [], columns: interfaceColumns },
    ],
    signal,
  );
  if (first.kind !== 'done') return first;
  const [root, bridges, ports, interfaces] = first.value.map((each) => each.rows ?? []);
  const row = bridges?.[0];
  if (row === undefined) return { kind: 'refused', message: `the switch has no bridge ${bridge}` };
  const version = textOf(optionalOf(root?.[0]?.ovs_version));
  const wanted = new Set(setOf(row.ports).map(uuidOf));
  const byId = new Map((interfaces ?? []).map((each) => [uuidOf(each._uuid), interfaceOf(each)]));
  const own = (ports ?? []).filter((each) => wanted.has(uuidOf(each._uuid))).map((each) => portOf(each, byId));
  return done({ bridge, version, ports: new Map(own.map((port) => [port.name, port])) });
}

function portOf(row: OvsdbRow, interfaces: ReadonlyMap<string | undefined, OvsInterface>): OvsPort {
  return {
    id: uuidOf(row._uuid) ?? '',
    name: textOf(row.name) ?? '',
    tag: numberOf(optionalOf(row.tag)),
    trunks: setOf(row.trunks).filter((id) => typeof id === 'number'),
    vlanMode: textOf(optionalOf(row.vlan_mode)),
    isProtected: row.protected === true,
    externalIds: mapOf(row.external_ids),
    interfaces: setOf(row.interfaces).flatMap((reference) => interfaces.get(uuidOf(reference)) ?? []),
  };
}

function interfaceOf(row: OvsdbRow): OvsInterface {
  const adminState = optionalOf(row.admin_state);
  const linkState = optionalOf(row.link_state);
  return {
    id: uuidOf(row._uuid) ?? '',
    name: textOf(row.name) ?? '',
    ofport: numberOf(optionalOf(row.ofport)),
    isAdminUp: adminState === undefined ? undefined : adminState === 'up',
    isLinkUp: linkState === undefined ? undefined : linkState === 'up',
    error: textOf(optionalOf(row.error)),
    macInUse: textOf(optionalOf(row.mac_in_use)),
  };
}

/** The condition that names one row. */
export function isRow(id: string): readonly unknown[] {
  return [['_uuid', '==', toUuid(id)]];
}
