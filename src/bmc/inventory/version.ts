import type { VendorName } from '../bmc.ts';

/** A version taken apart: what it is a version of, where the vendor writes that into it, and the version itself. */
interface Parsed {
  /** HPE ROM family (`U46`), Lenovo build (`AFBT24N`). */
  readonly family: string | undefined;
  readonly version: string;
}

type Parser = (text: string) => Parsed;

const plain: Parser = (text) => ({ family: undefined, version: text.replace(/^(?:version|ver\.?|v)\s*(?=\d)/, '') });

/** `U46 v2.10 (05/17/2023)`, `iLO 5 v2.72`, `2.72 Sep 04 2022`: family, version, date. */
const hpe: Parser = (text) => {
  const undated = text.replace(/\s*\([^)]*\)\s*$/, '').replace(/\s+[a-z]{3} \d{1,2},? \d{4}$/, '');
  const rom = /^([a-z]\d{2})\s+v?(\d.*)$/.exec(undated);
  if (rom !== null) return { family: rom[1], version: rom[2] ?? '' };
  return plain(undated.replace(/^ilo \d+\s+/, ''));
};

/** `AFBT24N-2.40`, `AFBT24N 2.40 2022-03-28`, `2.40`, `AFBT24N`: build, version, date. */
const lenovo: Parser = (text) => {
  const undated = text.replace(/\s+\(?\d{4}-\d{2}-\d{2}\)?$/, '').replace(/\s*\([^)]*\)$/, '');
  const both = /^([a-z]{3,4}\d[0-9a-z]{2,3})(?:[\s_-]+v?(\d[0-9a-z.]*))?$/.exec(undated);
  return both === null ? plain(undated) : { family: both[1], version: both[2] ?? '' };
};

/** `BIOS Date: 02/02/2023 Ver 1.4b`, `01.01.10`: Supermicro pads its numbers in one place and not in the other. */
const supermicro: Parser = (text) => {
  const last = /.*\b(?:ver|rev|version|revision)[.:]?\s*(\S+)$/.exec(text)?.[1] ?? text;
  return { family: undefined, version: plain(last).version.replaceAll(/(^|\.)0+(?=\d)/g, '$1') };
};

const parsers: Partial<Record<VendorName, Parser>> = { hpe, lenovo, supermicro, ami: supermicro };

function parse(vendor: VendorName, text: string): Parsed {
  const clean = text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  return (parsers[vendor] ?? plain)(clean);
}

/** A version without what vendors write around it: `U46 v2.10 (05/17/2023)` is `2.10`. For showing and sorting. */
export function normaliseVersion(vendor: VendorName, text: string): string {
  const { family, version } = parse(vendor, text);
  return version === '' ? (family ?? '') : version;
}

/**
 * True when both texts name one version. What only one of them says (family, build, date) is not compared; what both
 * say must agree. Nothing is equal to an empty text.
 */
export function isSameVersion(vendor: VendorName, one: string, other: string): boolean {
  const [a, b] = [parse(vendor, one), parse(vendor, other)];
  const hasFamilies = a.family !== undefined && b.family !== undefined;
  const hasVersions = a.version !== '' && b.version !== '';
  if (!hasFamilies && !hasVersions) return false;
  return (!hasFamilies || a.family === b.family) && (!hasVersions || a.version === b.version);
}
