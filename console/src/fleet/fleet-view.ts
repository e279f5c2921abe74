import { noTarget } from './firmware-row.ts';
import { busyHostStates } from './host-health.gen.ts';
import type { HostRow } from './host-row.ts';
import type { FirmwareByHost } from './join-firmware.ts';

/** Which hosts to show. */
export interface FleetFilter {
  readonly text: string;
  /** A provisioning state; empty for all. */
  readonly state: string;
  readonly only: 'all' | 'trouble' | 'busy' | 'on' | 'behind';
}

/** No filter at all. */
export const everything: FleetFilter = { text: '', state: '', only: 'all' };

/** The figures over the list. */
export interface FleetSummary {
  readonly hosts: number;
  readonly trouble: number;
  readonly busy: number;
  readonly on: number;
  /** Hosts for which a version is declared and which were scanned. */
  readonly firmwareKnown: number;
  readonly firmwareAsWanted: number;
  /** Hosts for which no version is declared. */
  readonly firmwareUndeclared: number;
  readonly states: readonly (readonly [string, number])[];
}

/** Counts what the figures say. */
export function summarise(rows: readonly HostRow[], firmware: FirmwareByHost): FleetSummary {
  const states = new Map<string, number>();
  let [trouble, busy, on, known, wanted, undeclared] = [0, 0, 0, 0, 0, 0];
  for (const row of rows) {
    states.set(row.state, (states.get(row.state) ?? 0) + 1);
    if (isTrouble(row)) trouble++;
    if (isBusy(row)) busy++;
    if (row.isOn) on++;
    const { tone, word } = firmware.get(row.key) ?? {};
    if (word === noTarget) undeclared++;
    if (tone !== undefined && tone !== 'idle') known++;
    if (tone === 'good') wanted++;
  }
  const sorted = [...states].sort(([, a], [, b]) => b - a);
  return {
    ...{ hosts: rows.length, trouble, busy, on, states: sorted },
    ...{ firmwareKnown: known, firmwareAsWanted: wanted, firmwareUndeclared: undeclared },
  };
}

/** What the figure about firmware says: its value, and its title. */
export function describeFirmware({
  firmwareKnown,
  firmwareAsWanted,
  firmwareUndeclared,
}: Pick<FleetSummary, 'firmwareKnown' | 'firmwareAsWanted' | 'firmwareUndeclared'>): {
  readonly value: string;
  readonly title: string;
} {
  const behind = firmwareKnown - firmwareAsWanted;
  const title = behind > 0 ? `Firmware compliance, ${behind} behind` : 'Firmware compliance';
  if (firmwareKnown > 0) {
    const without = firmwareUndeclared > 0 ? `, ${firmwareUndeclared} without a declared target` : '';
    return { value: `${Math.floor((100 * firmwareAsWanted) / firmwareKnown)} %`, title: `${title}${without}` };
  }
  return { value: firmwareUndeclared > 0 ? 'no target declared' : 'not known', title };
}

/** Somebody should look at it. */
export function isTrouble({ health }: HostRow): boolean {
  return health.isTrouble;
}

/** Somebody works on it. */
export function isBusy({ state, health }: HostRow): boolean {
  return health.tone === 'busy' || busyHostStates.includes(state);
}

/** The rows that pass the filter, in their order. */
export function filterHosts(
  rows: readonly HostRow[],
  filter: FleetFilter,
  firmware: FirmwareByHost,
): readonly HostRow[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && filter.state === '' && filter.only === 'all') return rows;
  return rows.filter((row) => {
    if (filter.state !== '' && row.state !== filter.state) return false;
    if (!passes(row, filter.only, firmware)) return false;
    if (words.length === 0) return true;
    const text = `${row.key} ${row.rack} ${row.state} ${row.health.word} ${row.model} ${row.consumer}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function passes(row: HostRow, only: FleetFilter['only'], firmware: FirmwareByHost): boolean {
  switch (only) {
    case 'trouble':
      return isTrouble(row);
    case 'busy':
      return isBusy(row);
    case 'on':
      return row.isOn;
    case 'behind': {
      const tone = firmware.get(row.key)?.tone;
      return tone === 'warn' || tone === 'bad' || tone === 'busy';
    }
    default:
      return true;
  }
}

/** One line of what to look at first. */
export interface Trouble {
  readonly row: HostRow;
  readonly word: string;
  readonly why: string;
  readonly isBad: boolean;
}

/** The worst first; among equals those that broke last. */
export function troublesOf(rows: readonly HostRow[], firmware: FirmwareByHost): readonly Trouble[] {
  const found = rows.flatMap((row): Trouble[] => {
    if (isTrouble(row)) return [{ row, word: row.health.word, why: row.health.why, isBad: row.health.tone === 'bad' }];
    const own = firmware.get(row.key);
    return own?.tone === 'bad' ? [{ row, word: `firmware ${own.word}`, why: own.why, isBad: false }] : [];
  });
  const rank = ({ isBad, row }: Trouble) => `${isBad ? 1 : 0}${row.since ?? ''}`;
  return found.sort((a, b) => (rank(b) > rank(a) ? 1 : rank(b) < rank(a) ? -1 : 0));
}

/** A rack and what is in it. */
export interface Rack {
  readonly name: string;
  readonly hosts: readonly HostRow[];
}

/** Groups hosts by rack, racks in order of their names with numbers as numbers. */
export function racksOf(rows: readonly HostRow[]): readonly Rack[] {
  const byName = Map.groupBy(rows, ({ rack }) => rack);
  const order = new Intl.Collator('en', { numeric: true });
  return [...byName].map(([name, hosts]) => ({ name, hosts })).sort((a, b) => order.compare(a.name, b.name));
}

/** A rack as it is drawn: all of it, or a part of one that is no rack of this world. */
export interface RackFrame {
  readonly key: string;
  readonly rack: string;
  readonly hosts: readonly HostRow[];
  /** Which hosts of the rack these are; undefined where they are all. */
  readonly part: { readonly first: number; readonly last: number; readonly of: number } | undefined;
}

/** As many as the highest racks have units. */
const mostHosts = 48;

/** Hosts that nobody said a rack of stand in one of thousands: it is drawn in parts, of which only those in sight are in the page. */
export function framesOf(racks: readonly Rack[]): readonly RackFrame[] {
  return racks.flatMap(({ name, hosts }): RackFrame[] => {
    if (hosts.length <= mostHosts) return [{ key: name, rack: name, hosts, part: undefined }];
    return Array.from({ length: Math.ceil(hosts.length / mostHosts) }, (_, number) => {
      const first = number * mostHosts;
      const own = hosts.slice(first, first + mostHosts);
      const part = { first: first + 1, last: first + own.length, of: hosts.length };
      return { key: `${name} ${first}`, rack: name, hosts: own, part };
    });
  });
}
