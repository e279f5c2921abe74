import { resolve } from 'node:path';
import { parseHostRule } from '../egress/index.ts';
import { parseDurationMs } from './duration.ts';
import { usageError } from './errors.ts';
import type { Given } from './setting.ts';

/** A path, taken from where the command was typed. */
export function parsePath(text: string, { as, cwd }: Given): string {
  if (text.trim() === '') throw usageError(`${as}: a path is needed`);
  return resolve(cwd, text);
}

/** An address or a host name; brackets around an IPv6 address are taken off. */
export function parseHost(text: string, { as }: Given): string {
  const host = text.replace(/^\[(.*)\]$/, '$1');
  if (!/^[0-9A-Za-z.:-]+$/.test(host)) throw usageError(`${as}: not an address or host name`);
  return host;
}

/** A port that leaves room for the two after it. */
export function parsePort(text: string, { as }: Given): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_533) throw usageError(`${as}: a port is a number from 0 to 65533`);
  return port;
}

/** An https URL without a slash at its end. */
export function parseHttpsUrl(text: string, { as }: Given): string {
  return plainUrl(text, { as, schemes: ['https:'] });
}

/** An https or http URL without a slash at its end. */
export function parseHttpUrl(text: string, { as }: Given): string {
  return plainUrl(text, { as, schemes: ['https:', 'http:'] });
}

/** What is wrong is said without a value that has, or could have, a log-in in it. */
function plainUrl(text: string, { as, schemes }: { readonly as: string; readonly schemes: readonly string[] }): string {
  const url = URL.parse(text);
  const shown = text.includes('@') ? as.replace(text, '...') : as;
  if (url === null || !schemes.includes(url.protocol)) throw usageError(`${shown}: not a URL like https://host:port`);
  if (url.username !== '' || url.password !== '')
    throw usageError(`${shown}: a URL without a log-in is needed; it would be seen on command lines and in logs`);
  return url.href.replace(/\/$/, '');
}

/** URLs of these may carry passwords: what is wrong is said without the value, and with one they are not to be typed. */
export function parseUrlOf(...schemes: readonly [string, ...string[]]): (text: string, given: Given) => string {
  return (text, { as, variable }) => {
    const known = schemes.map((scheme) => `${scheme}:`);
    const option = as.replace(text, '...');
    const url = URL.parse(text);
    if (url === null || !known.includes(url.protocol))
      throw usageError(`${option}: not a URL like ${schemes[0]}://host`);
    if (variable !== undefined && (url.password !== '' || url.searchParams.has('password'))) {
      const instead = `set ${variable}, or keep it in a file: the options that end in -file are for that`;
      throw usageError(`${option}: whoever lists processes reads a password on a command line; ${instead}`);
    }
    return text;
  };
}

/** Names of facilities, separated by commas. */
export function parseFacilities(text: string, { as }: Given): readonly [string, ...string[]] {
  const [first = '', ...more] = text.split(',').map((each) => each.trim());
  const isGood = [first, ...more].every((name) => /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(name));
  if (!isGood) throw usageError(`${as}: a facility has letters, digits, - and _; several are separated by commas`);
  return [first, ...more];
}

/** A whole number in a range. */
export function parseCount({ least, most }: { readonly least: number; readonly most: number }) {
  return (text: string, { as }: Given): number => {
    const count = Number(text);
    if (!/^\d+$/.test(text) || count < least || count > most) {
      throw usageError(`${as}: a whole number from ${least} to ${most} is needed`);
    }
    return count;
  };
}

/** A factor above zero. */
export function parseSpeed(text: string, { as }: Given): number {
  const speed = Number(text);
  if (!(speed > 0 && speed <= 1_000_000)) throw usageError(`${as}: a factor above 0 and up to 1000000 is needed`);
  return speed;
}

/** Yes or no. */
export function parseYesNo(text: string, { as }: Given): boolean {
  if (text !== 'yes' && text !== 'no') throw usageError(`${as}: yes or no is needed`);
  return text === 'yes';
}

/** An address that only this machine reaches. */
export function parseLoopback(text: string, given: Given): string {
  const host = parseHost(text, given);
  if (host !== '::1' && !/^127\.\d+\.\d+\.\d+$/.test(host)) {
    throw usageError(`${given.as}: simulated BMCs listen on loopback only, such as 127.0.0.1 or ::1`);
  }
  return host;
}

/** A duration in milliseconds, such as 30s or 1h30m. */
export function parseDuration(text: string, { as }: Given): number {
  const ms = parseDurationMs(text, as.slice(0, as.length - text.length).trimEnd());
  if (ms < 1) throw usageError(`${as}: a duration above zero is needed`);
  return ms;
}

const unitBytes: Readonly<Record<string, number>> = { MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 };

/** A size in bytes, such as 20GiB. */
export function parseSize(text: string, { as }: Given): number {
  const [, count = '', unit = ''] = /^(\d+)(MiB|GiB|TiB)$/.exec(text) ?? [];
  const bytes = Number(count) * (unitBytes[unit] ?? 0);
  if (!(bytes > 0)) throw usageError(`${as}: a size like 500MiB or 20GiB is needed`);
  return bytes;
}

/** One of some words. */
export function parseOneOf<const W extends string>(...words: readonly W[]): (text: string, given: Given) => W {
  return (text, { as }) => {
    const found = words.find((word) => word === text);
    if (found === undefined) throw usageError(`${as}: one of ${words.join(', ')} is needed`);
    return found;
  };
}

/** Hosts that may be connected to, separated by commas. */
export function parseHostRules(text: string, { as }: Given): readonly string[] {
  const rules = text.split(',').map((each) => each.trim());
  const bad = rules.find((each) => parseHostRule(each) === undefined);
  if (bad === undefined) return rules;
  throw usageError(`${as}: ${JSON.stringify(bad)} is neither a name, *.domain, an address nor a network`);
}

/** `https`, `http` or both. */
export function parseEgressSchemes(text: string, { as }: Given): readonly string[] {
  const schemes = text.split(',').map((each) => each.trim().toLowerCase());
  if (schemes.every((each) => each === 'https' || each === 'http')) return schemes;
  throw usageError(`${as}: these are https and http, separated by a comma`);
}
