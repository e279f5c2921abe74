import type { HostIdentity } from './provisioner.ts';

/** What a BMC says of the machine that it is in. */
export interface MachineMarks {
  /** Whatever may be its serial number: vendors put it into different members. */
  readonly serialNumbers: readonly string[];
  /** In lower case. */
  readonly macs: readonly string[];
}

/**
 * Why the machine behind a BMC cannot be that of the host; undefined where it is, or where nothing can be compared. One
 * thing in common is enough, since BMCs do not tell all NICs, and not all of them the serial number of the label.
 */
export function contradictionOf(host: HostIdentity, seen: MachineMarks): string | undefined {
  const { macs = [], serialNumber } = host.marks ?? {};
  const serials = seen.serialNumbers.filter(isSerial);
  const own = isSerial(serialNumber) ? serialNumber : undefined;
  const known = [
    ...new Set([...(host.bootMacAddress === undefined ? [] : [host.bootMacAddress.toLowerCase()]), ...macs]),
  ];
  const isSerialShared = serials.some((each) => plain(each) === plain(own ?? ''));
  const isMacShared = seen.macs.some((mac) => known.includes(mac) && (!isInner(mac) || mac === known[0]));
  if (isSerialShared || isMacShared) return undefined;
  const isComparable = (own !== undefined && serials.length > 0) || (known.length > 0 && seen.macs.length > 0);
  if (!isComparable) return undefined;
  const theirs = describe(serials, seen.macs);
  const ours = describe(own === undefined ? [] : [own], known);
  return `its BMC is that of another machine: that has ${theirs}, and the machine of the host has ${ours}; correct spec.bmc`;
}

/** Some vendors give all their machines the same address inside; these say that nobody assigned them. */
function isInner(mac: string): boolean {
  return (Number.parseInt(mac.slice(0, 2), 16) & 0b10) !== 0;
}

/** Not what boards carry when nobody wrote a serial number. */
function isSerial(text: string | undefined): text is string {
  return (
    text !== undefined &&
    !/^(?:|0+|n\/?a|none|null|unknown|default string|not specified|to be filled.*|123456789\d*)$/i.test(text.trim())
  );
}

function plain(serial: string): string {
  return serial.trim().toLowerCase();
}

const mostTold = 4;

function describe(serials: readonly string[], macs: readonly string[]): string {
  const told = macs.slice(0, mostTold).join(', ');
  const more = macs.length > mostTold ? ', ...' : '';
  const parts = [
    ...(serials.length === 0 ? [] : [`serial number ${serials.join(' or ')}`]),
    ...(told === '' ? [] : [`MACs ${told}${more}`]),
  ];
  return parts.length === 0 ? 'none of both' : parts.join(' and ');
}
