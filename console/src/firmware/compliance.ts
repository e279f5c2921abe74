import type { KubeObject, StatusCondition } from '../api/kinds.ts';
import { workerLost } from '../fleet/firmware-row.ts';
import type { Tone } from '../parts/tone.tsx';
import type { Selected } from './offers.ts';
import { partName } from './parts.ts';
import {
  groupByProduct,
  type PartVersion,
  type ProductChoice,
  type ProductParts,
  productsFor,
  serverMaker,
} from './products.ts';

interface Entry extends Selected {
  readonly version: string;
}

interface ServerFirmware extends KubeObject {
  readonly spec?: {
    readonly bios?: { readonly version?: string };
    readonly firmwares?: readonly Entry[];
  };
  readonly status?: {
    readonly bios?: { readonly version?: string };
    readonly firmwares?: readonly (PartVersion & { readonly version: string })[];
    readonly lastScanTime?: string;
    readonly conditions?: readonly StatusCondition[];
  };
}

/** One component of one machine. */
export interface Cell {
  readonly installed: string;
  /** Undefined where nobody wants a version; entries for several products of a class are all told. */
  readonly wanted: string | undefined;
  /** True where every part has the version of the entry for it, or the server's own verdict is that all is as wanted. */
  readonly isAsWanted?: true;
}

/** A machine of the matrix. */
export interface MachineRow {
  readonly name: string;
  /** The group whose entries it has. */
  readonly group: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly cells: Readonly<Record<string, Cell>>;
  readonly standing: Standing;
  readonly why: string;
  readonly lastScanTime: string | undefined;
}

/** How a machine stands to what is wanted. */
export type Standing = 'as wanted' | 'differs' | 'updating' | 'stalled' | 'no target' | 'not known';

/** The colour of each. */
export const standingTones: Readonly<Record<Standing, Tone>> = {
  'as wanted': 'good',
  differs: 'warn',
  updating: 'busy',
  stalled: 'bad',
  'no target': 'idle',
  'not known': 'idle',
};

/** A ServerFirmware as a row of the matrix. */
export function toMachineRow(object: KubeObject): MachineRow {
  const { metadata, spec = {}, status = {} } = object as ServerFirmware;
  const cells: Record<string, Cell> = {};
  if (status.bios?.version !== undefined) {
    // Until somebody owns the wish it follows what is there, and says nothing.
    const wanted = spec.bios?.version === status.bios.version ? undefined : spec.bios?.version;
    cells.bios = { installed: status.bios.version, wanted };
  }
  for (const { name: spelling, version } of status.firmwares ?? []) {
    const name = partName(spelling);
    const before = cells[name];
    // The BIOS has a field of its own, which says what is desired too.
    if (name === 'bios' && before !== undefined) continue;
    cells[name] = { installed: before === undefined ? version : both(before.installed, version), wanted: undefined };
  }
  const verdict = standingOf(status.conditions ?? []);
  const isAllAsWanted = verdict.standing === 'as wanted';
  const hasVersion = (product: ProductParts, version: string) => product.some((part) => part.version === version);
  const parts = status.firmwares ?? [];
  const choice = { products: groupByProduct(parts), serverManufacturer: serverMaker(parts), hasVersion };
  for (const [name, entries] of Map.groupBy(spec.firmwares ?? [], (entry) => partName(entry.name))) {
    const wanted = [...new Set(entries.map(({ version }) => version))].join(', ');
    const isAsWanted = isAllAsWanted || entries.every((entry) => isInstalled(entry, choice));
    const installed = cells[name]?.installed ?? (isAllAsWanted ? wanted : '');
    cells[name] = { installed, wanted, ...(isAsWanted ? { isAsWanted } : {}) };
  }
  return {
    name: metadata.name,
    group: metadata.annotations?.['metal.ironcore.dev/firmware-group'] ?? '',
    labels: metadata.labels ?? {},
    cells,
    ...verdict,
    lastScanTime: status.lastScanTime,
  };
}

/** Whether the parts that an entry is for have its version. */
function isInstalled({ slot = '', ...entry }: Entry, choice: ProductChoice): boolean {
  const parts = productsFor({ ...entry, slot }, choice).flat();
  const meant = slot === '' ? parts : parts.filter((part) => part.slot === slot);
  return meant.length > 0 && meant.every(({ version }) => version === entry.version);
}

/** Several drives may have several versions; each is told once. */
function both(before: string, version: string): string {
  return before.split(', ').includes(version) ? before : `${before}, ${version}`;
}

function standingOf(conditions: readonly StatusCondition[]): { readonly standing: Standing; readonly why: string } {
  const find = (type: string) => conditions.find((each) => each.type === type);
  const upToDate = find('UpToDate');
  const stalled = find('Stalled');
  const progressing = find('Progressing');
  const why = upToDate?.message ?? '';
  if (stalled?.status === 'True') return { standing: 'stalled', why: stalled.message ?? why };
  const isUpdating = progressing?.status === 'True' && progressing.reason === 'UpdateRequested';
  if (isUpdating || upToDate?.reason === workerLost) {
    return { standing: 'updating', why: progressing?.message ?? why };
  }
  if (upToDate?.status === 'True') return { standing: 'as wanted', why };
  if (upToDate?.reason === 'NoTarget') return { standing: 'no target', why };
  return { standing: upToDate?.status === 'False' ? 'differs' : 'not known', why };
}

/** Components in the order in which people think of them; others after them. */
const usualOrder = ['bios', 'bmc', 'nic', 'storage-controller', 'drive', 'cpld', 'psu', 'tpm'];

/** The columns of the matrix: those that somebody wants something of come first. */
export function componentsOf(rows: readonly MachineRow[]): string[] {
  const names = new Set<string>();
  const wished = new Set<string>();
  for (const { cells } of rows) {
    for (const [name, { wanted }] of Object.entries(cells)) {
      names.add(name);
      if (wanted !== undefined) wished.add(name);
    }
  }
  const rank = (name: string): number => {
    const at = usualOrder.indexOf(name);
    return at === -1 ? usualOrder.length : at;
  };
  return [...names].toSorted(
    (a, b) => Number(wished.has(b)) - Number(wished.has(a)) || rank(a) - rank(b) || (a < b ? -1 : 1),
  );
}

/** Whether a wish is met: the server's own verdict is that it is, or it is written like what is there. */
export function isMet({ installed, wanted, isAsWanted }: Cell): boolean {
  return isAsWanted === true || wanted === undefined || installed.split(', ').every((version) => version === wanted);
}

/** What of the matrix is shown. */
export interface MatrixFilter {
  readonly text: string;
  readonly group: string;
  readonly standing: string;
}

/** The rows that fit. */
export function filterMachines(rows: readonly MachineRow[], { text, group, standing }: MatrixFilter): MachineRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    if (group !== '' && row.group !== group) return false;
    if (standing !== '' && row.standing !== standing) return false;
    const labels = Object.entries(row.labels).map(([key, value]) => `${key}=${value}`);
    const versions = Object.entries(row.cells).map(([name, cell]) => `${name} ${cell.installed}`);
    const hay = [row.name, row.group, ...labels, ...versions].join(' ').toLowerCase();
    return words.every((word) => hay.includes(word));
  });
}

/** The head of the page: how many machines there are, and how many are not as declared. */
export function describeCompliance(rows: readonly Pick<MachineRow, 'standing'>[]): string {
  const count = (...standings: Standing[]) => rows.filter(({ standing }) => standings.includes(standing)).length;
  const wrong = count('differs', 'stalled');
  const undeclared = count('no target');
  const machines = `${rows.length} ${rows.length === 1 ? 'machine' : 'machines'}`;
  if (rows.length > 0 && undeclared === rows.length) return `${machines}, no target declared`;
  const without = undeclared === 0 ? '' : `, ${undeclared} without a declared target`;
  if (wrong === 0) return `${machines}, none differs from what is declared${without}`;
  return `${machines}, ${wrong} ${wrong === 1 ? 'differs' : 'differ'} from what is declared${without}`;
}
