import type { KubeObject, StatusCondition } from '../api/kinds.ts';
import type { Tone } from '../parts/tone.tsx';
import { plainNumbers } from './number-list.ts';

/** Settings of a port, wanted or read from the switch. */
export interface PortSettings {
  readonly untaggedVLAN?: number;
  readonly vlans?: string;
  readonly disabled?: boolean;
  readonly acl?: readonly AclRule[];
}

interface AclRule {
  readonly type: string;
  readonly action: string;
  readonly protocol?: string;
  readonly src?: string;
  readonly srcPortRange?: string | number;
  readonly des?: string;
  readonly desPortRange?: string | number;
}

interface Reference {
  readonly name: string;
  readonly namespace?: string;
}

/** A SwitchPort, as far as the pages go. */
export interface SwitchPort extends KubeObject {
  readonly metadata: KubeObject['metadata'] & {
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  readonly spec?: { readonly configuration?: Reference };
  readonly status?: {
    readonly state?: string;
    readonly physicalPortName?: string;
    readonly configurationRef?: Reference;
    readonly configuration?: PortSettings;
    readonly observed?: PortSettings;
    readonly lastReadTime?: string;
    readonly hostRef?: { readonly name: string; readonly namespace: string };
    readonly error?: { readonly reason?: string; readonly message?: string };
    readonly conditions?: readonly StatusCondition[];
  };
}

/** A SwitchPortConfiguration. */
export interface PortConfiguration extends KubeObject {
  readonly spec?: PortSettings;
}

/** A port of a faceplate. */
export interface PortRow {
  readonly namespace: string;
  readonly name: string;
  readonly switchName: string;
  /** As the switch calls it, such as `Ethernet1/13`. */
  readonly socket: string;
  readonly state: string;
  readonly error: string;
  readonly untagged: number | undefined;
  readonly tagged: string;
  readonly isDown: boolean;
  readonly configuration: string;
  readonly host: string;
}

/** A SwitchPort as a faceplate shows it. */
export function toPortRow(object: KubeObject): PortRow {
  const { metadata, spec = {}, status = {} } = object as SwitchPort;
  const { observed = {}, error } = status;
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    switchName: metadata.ownerReferences?.find(({ kind }) => kind === 'Switch')?.name ?? '',
    socket: status.physicalPortName ?? metadata.name,
    state: status.state ?? '',
    error: error === undefined ? '' : `${error.reason ?? 'Error'}: ${error.message ?? ''}`,
    untagged: observed.untaggedVLAN,
    tagged: observed.vlans ?? '',
    isDown: observed.disabled === true,
    configuration: spec.configuration?.name ?? '',
    host: status.hostRef === undefined ? '' : `${status.hostRef.namespace}/${status.hostRef.name}`,
  };
}

/** A switch with its ports, in the order of their sockets. */
export interface Faceplate {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly ports: readonly PortRow[];
}

/** Ports by the switch they are of; `Ethernet1/2` comes before `Ethernet1/10`. */
export function faceplatesOf(ports: readonly PortRow[]): Faceplate[] {
  const groups = Object.groupBy(ports, ({ namespace, switchName }) => `${namespace}/${switchName}`);
  return Object.entries(groups).map(([key, members = []]) => ({
    key,
    namespace: members[0]?.namespace ?? '',
    name: members[0]?.switchName ?? '',
    ports: members.toSorted((a, b) => a.socket.localeCompare(b.socket, 'en', { numeric: true })),
  }));
}

/** The number on the socket: the last one in its name. */
export function socketNumber({ socket }: Pick<PortRow, 'socket'>): string {
  return /(\d+)\D*$/.exec(socket)?.[1] ?? socket;
}

/** Where a socket is on the front: odd numbers above even ones. */
export interface SocketPlace {
  readonly gridRow: number;
  readonly gridColumn: number;
}

/** More than that in one row would be no switch. */
const maxColumns = 64;

/** The place of each socket by the name of its port; empty where numbers say nothing, as with several modules. */
export function placesOf(ports: readonly PortRow[]): ReadonlyMap<string, SocketPlace> {
  const numbers = ports.map((port) => Number(socketNumber(port)));
  const isPlain = numbers.every((number) => Number.isInteger(number) && number >= 1 && number <= 2 * maxColumns);
  if (!isPlain || new Set(numbers).size !== numbers.length) return new Map();
  return new Map(
    ports.map(({ name }, at) => {
      const number = numbers[at] ?? 1;
      return [name, { gridRow: number % 2 === 1 ? 1 : 2, gridColumn: Math.ceil(number / 2) }];
    }),
  );
}

/** How many colours VLANs have; two VLANs may share one, which is why each port has its number, too. */
export const vlanColours = 12;

/** The colour of a VLAN: the same on every page and in every session. */
export function vlanColour(vlan: number | undefined): number | undefined {
  // Neighbouring ids, which people give to neighbouring things, get colours that are far apart.
  return vlan === undefined ? undefined : (vlan * 7) % vlanColours;
}

/** How a port is, for its frame. */
export function portTone({ error, state }: Pick<PortRow, 'error' | 'state'>): Tone {
  if (error !== '') return 'bad';
  if (state === 'Configuring' || state === 'Cleaning' || state === 'Deleting') return 'busy';
  return state === 'Active' ? 'good' : 'idle';
}

/** A port in words, for whoever does not see its colour. */
export function portText(port: PortRow): string {
  const vlan = port.untagged === undefined ? 'no VLAN' : `VLAN ${port.untagged}`;
  return [
    port.socket,
    port.isDown ? 'down' : vlan,
    port.tagged === '' ? '' : `tagged ${port.tagged}`,
    port.state,
    port.host === '' ? '' : `host ${port.host}`,
    port.error,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** Which VLANs there are, with how many ports each. */
export function vlanCounts(ports: readonly PortRow[]): readonly (readonly [number, number])[] {
  const counts = new Map<number, number>();
  for (const { untagged } of ports) if (untagged !== undefined) counts.set(untagged, (counts.get(untagged) ?? 0) + 1);
  return [...counts].toSorted(([a], [b]) => a - b);
}

/** One setting of a port, on the switch and as it would be. */
export interface SettingLine {
  readonly name: string;
  readonly actual: string;
  readonly wanted: string;
  /** Undefined where nobody here knows what it would be. */
  readonly isSame: boolean | undefined;
}

/** What is known of the Switch of a port; undefined while it was not read, or may not be. */
export type Parking = { readonly parkingVLAN?: number | undefined } | undefined;

/** What is on the switch beside a clean port, which is put into the parking VLAN of its switch, if that has one. */
export function compareCleaned(actual: PortSettings | undefined, parking: Parking): SettingLine[] {
  const { parkingVLAN } = parking ?? {};
  return compareSettings(actual, parkingVLAN === undefined ? {} : { untaggedVLAN: parkingVLAN }).map((line) =>
    line.name === untaggedLine && parking === undefined
      ? { ...line, wanted: 'the parking VLAN of the switch, if it has one', isSame: undefined }
      : line,
  );
}

const untaggedLine = 'Untagged VLAN';

/** What is on the switch beside what is wanted. */
export function compareSettings(actual: PortSettings | undefined, wanted: PortSettings | undefined): SettingLine[] {
  const lines: readonly (readonly [string, (settings: PortSettings) => string])[] = [
    ['Link', ({ disabled }) => (disabled === true ? 'down' : 'up')],
    [untaggedLine, ({ untaggedVLAN }) => (untaggedVLAN === undefined ? 'none' : String(untaggedVLAN))],
    // The VLAN of untagged frames is not tagged on the same port too, whatever a configuration lists.
    ['Tagged VLANs', ({ vlans = '', untaggedVLAN }) => plainNumbers(vlans, { without: untaggedVLAN }) || 'none'],
    ['Access list', ({ acl = [] }) => acl.map(aclText).join('; ') || 'none'],
  ];
  return lines.map(([name, show]) => {
    const now = actual === undefined ? 'not read yet' : show(actual);
    const then = show(wanted ?? {});
    return { name, actual: now, wanted: then, isSame: now === then };
  });
}

function aclText({ type, action, protocol = 'ALL', src, srcPortRange, des, desPortRange }: AclRule): string {
  const side = (word: string, net: string | undefined, ports: string | number | undefined): string =>
    net === undefined && ports === undefined
      ? ''
      : `${word} ${[net, ports === undefined ? undefined : plainNumbers(ports)].filter((part) => part !== undefined).join(' port ')}`;
  return [action, type, protocol, side('from', src, srcPortRange), side('to', des, desPortRange)]
    .filter((part) => part !== '')
    .join(' ');
}
