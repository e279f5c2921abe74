import type { ParsedVersion } from './parse-version.ts';
import { readVendor, type Vendor } from './vendor.ts';

/** Where a version stands among those of its kind; undefined where nothing is known of an order. */
export interface OrderKey {
  /** Only keys of one class can be compared. */
  readonly kind: string;
  readonly parts: readonly OrderPart[];
}

/** A number, and the letter that some vendors put behind the last one: `4b` comes after `4a`, which comes after `4`. */
interface OrderPart {
  readonly number: number;
  readonly letter: string;
}

/** Vendors who write versions as numbers that grow from left to right. Others are compared for equality only. */
const dotted: readonly Vendor[] = [
  'dell',
  'hpe',
  'lenovo',
  'supermicro',
  'ami',
  'intel',
  'broadcom',
  'nvidia',
  'marvell',
  'microchip',
];

/** Parts whose revisions are names and not numbers: `GDC5302Q`, `ST31`, `00.1B.53`. */
const opaque: readonly string[] = ['drive', 'disk', 'ssd', 'hdd', 'nvme', 'psu', 'power-supply', 'powersupply'];

/** What a version is of, as far as that tells how versions are written. */
export interface VersionOf {
  /** Of the firmware: the maker of the server for its own firmware, else of the part; in any spelling. */
  readonly vendor: string;
  /** `bios`, `bmc`, `nic`, `drive`, ... */
  readonly component?: string | undefined;
}

const form = /^\d{1,12}[a-z]?(?:[.-]\d{1,12}[a-z]?){0,7}$/;

/** Finds where a version stands. Never guesses: a form that the vendor's scheme does not have gives undefined. */
export function orderKey({ vendor, component }: VersionOf, parsed: ParsedVersion): OrderKey | undefined {
  const known = readVendor(vendor).vendor;
  if (known === undefined || !dotted.includes(known)) return undefined;
  if (component !== undefined && opaque.includes(component.trim().toLowerCase())) return undefined;
  const text = known === 'hpe' ? parsed.version.replace(/ build (\d+)$/, '.$1') : parsed.version;
  if (!form.test(text)) return undefined;
  const texts = text.split(/[.-]/);
  if (texts.length < 2) return undefined;
  const parts = texts.map((part) => ({ number: Number.parseInt(part, 10), letter: /[a-z]$/.exec(part)?.[0] ?? '' }));
  return { kind: [known, parsed.line ?? '', shapeOf(texts)].join('/'), parts };
}

/**
 * `2.9` and `2.10`: which is newer depends on whether the vendor counts or writes decimals, so two numbers are only
 * compared when the second has as many digits. Longer versions are always counted.
 */
function shapeOf(texts: readonly string[]): string {
  const digits = texts.length === 2 ? `:${(texts[1] ?? '').replace(/[a-z]$/, '').length}` : '';
  return `${texts.length}${digits}`;
}

/** Less than, equal to or more than 0, as for sorting; of keys of one kind. */
export function compareKeys(a: OrderKey, b: OrderKey): number {
  for (const [at, part] of a.parts.entries()) {
    const other = b.parts[at];
    if (other === undefined) return 1;
    if (part.number !== other.number) return part.number - other.number;
    if (part.letter !== other.letter) return part.letter < other.letter ? -1 : 1;
  }
  return a.parts.length - b.parts.length;
}
