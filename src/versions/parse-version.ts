import type { Vendor } from './vendor.ts';
import { readVendor } from './vendor.ts';

/** A version taken apart: what it is a version of, where the vendor writes that into it, and the version itself. */
export interface ParsedVersion {
  /** HPE ROM family (`u46`), Lenovo build (`afbt24n`); versions of two of them are never the same. */
  readonly family: string | undefined;
  /** What versions must agree in to be ordered at all: an HPE ROM family, a Lenovo product code. */
  readonly line: string | undefined;
  /** Without what is written around it, small letters; empty where only a family is told. */
  readonly version: string;
}

type Parser = (text: string) => ParsedVersion;

const plain: Parser = (text) => ({
  family: undefined,
  line: undefined,
  version: text.replace(/^(?:version|ver\.?|v)\s*(?=\d)/, ''),
});

/** `U46 v2.10 (05/17/2023)`, `iLO 5 v2.72`, `2.72 Sep 04 2022`, `2.68_07-14-2022`: family, version, date. */
const hpe: Parser = (text) => {
  const undated = text
    .replace(/\s*\([^)]*\)\s*$/, '')
    .replace(/\s+[a-z]{3} \d{1,2},? \d{4}$/, '')
    .replace(/_\d{2}[-_]\d{2}[-_]\d{4}$/, '');
  const rom = /^([a-z]\d{2})\s+v?(\d.*)$/.exec(undated);
  if (rom !== null) return { family: rom[1], line: rom[1], version: rom[2] ?? '' };
  return plain(undated.replace(/^ilo \d+\s+/, ''));
};

/**
 * `AFBT24N-2.40`, `AFBT24N 2.40 2022-03-28`, `2.40`, `AFBT24N`: build, version, date. A build is seven characters, the
 * first three of which name the product.
 */
const lenovo: Parser = (text) => {
  const undated = text.replace(/\s+\(?\d{4}-\d{2}-\d{2}\)?$/, '').replace(/\s*\([^)]*\)$/, '');
  const both = /^((?=[a-z]*\d)[a-z][0-9a-z]{6})(?:[\s_-]+v?(\d[0-9a-z.]*))?$/.exec(undated);
  if (both === null) return plain(undated);
  return { family: both[1], line: both[1]?.slice(0, 3), version: both[2] ?? '' };
};

/** `BIOS Date: 02/02/2023 Ver 1.4b`, `01.01.10`: Supermicro pads its numbers in one place and not in the other. */
const supermicro: Parser = (text) => {
  const last = /.*\b(?:ver|rev|version|revision)[.:]?\s*(\S+)$/.exec(text)?.[1] ?? text;
  const { version } = plain(last);
  return { family: undefined, line: undefined, version: version.replaceAll(/(^|\.)0+(?=\d)/g, '$1') };
};

/**
 * `16.35.2000` of the card is `16.35.20.00` in the inventory of a Dell server. The first number names the generation of
 * cards, whose firmware does not fit another one.
 */
const nvidia: Parser = (text) => {
  const { version } = plain(text);
  const whole = version.replace(/^(\d{2}\.\d{2})\.(\d{2})\.(\d{2})$/, '$1.$2$3');
  return { family: undefined, line: /^\d+/.exec(whole)?.[0], version: whole };
};

/** `9.20 0x8000d95e 22.0.9`: version of the flash, its checksum-like id, version of what is packed with it. */
const intel: Parser = (text) => {
  const nvm = /^(\d+\.\d+)\s+(0x[0-9a-f]{8})(?:\s+[\d.]+)?$/.exec(text);
  if (nvm === null) return plain(text);
  return { family: nvm[2], line: undefined, version: nvm[1] ?? '' };
};

const parsers: Partial<Record<Vendor, Parser>> = { hpe, lenovo, supermicro, ami: supermicro, nvidia, intel };

/** Texts that are longer name no version that anybody has written. */
const longestVersion = 200;

/** Takes a version apart as its vendor writes it; of an unknown vendor only case, spaces and a leading `v` go. */
export function parseVersion(vendor: string, text: string): ParsedVersion {
  const clean = text.slice(0, longestVersion).trim().toLowerCase().replaceAll(/\s+/g, ' ');
  const known = readVendor(vendor).vendor;
  return ((known === undefined ? undefined : parsers[known]) ?? plain)(clean);
}

/** A version without what vendors write around it: `U46 v2.10 (05/17/2023)` is `2.10`. For showing and sorting. */
export function normaliseVersion(vendor: string, text: string): string {
  const { family, version } = parseVersion(vendor, text);
  return version === '' ? (family ?? '') : version;
}

/**
 * True when both texts name one version. What only one of them says (family, build, date) is not compared; what both
 * say must agree. Nothing is equal to an empty text.
 */
export function isSameVersion(vendor: string, one: string, other: string): boolean {
  return areSame(parseVersion(vendor, one), parseVersion(vendor, other));
}

/** As `isSameVersion`, of versions that were taken apart before. */
export function areSame(a: ParsedVersion, b: ParsedVersion): boolean {
  const hasFamilies = a.family !== undefined && b.family !== undefined;
  const hasVersions = a.version !== '' && b.version !== '';
  if (!hasFamilies && !hasVersions) return false;
  return (!hasFamilies || a.family === b.family) && (!hasVersions || a.version === b.version);
}
