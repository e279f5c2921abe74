import type { BareMetalHost } from '../../api/index.ts';
import { formatKey, isBeingDeleted, keyOf } from '../../kube/index.ts';
import type { DuplicateHost } from '../decide/seen.ts';
import { bmcAt, macOf, macsOf } from '../objects.ts';
import { blankStatus, stateOf } from '../status/host-status.ts';
import { inUseStates } from '../table/host-table.ts';

/** Where hosts are found by what two of them must not share. */
export interface HostsByMachine {
  byIndex(index: string, value: string): readonly BareMetalHost[];
}

/**
 * Another host that is the same machine and goes before this one: admission refuses what it can see, but it is not asked
 * everywhere, and two addresses of one BMC look like two machines until the hardware was read.
 */
export function findDuplicate(hosts: HostsByMachine, host: BareMetalHost): DuplicateHost | undefined {
  for (const other of sharersOf(hosts, host)) {
    const by = sharedBy(host, other);
    if (by !== undefined && goesBefore(other, host)) return { host: formatKey(keyOf(other)), by };
  }
  return undefined;
}

/** Hosts that may be the same machine: they are looked at again when this one changes. */
export function sharersOf(hosts: HostsByMachine, host: BareMetalHost): readonly BareMetalHost[] {
  const self = formatKey(keyOf(host));
  const bmc = bmcAt(host.spec?.bmc?.address)?.bmc;
  const found = [
    ...(bmc === undefined ? [] : hosts.byIndex('bmc', bmc)),
    ...macsOf(host).flatMap((mac) => hosts.byIndex('mac', mac)),
  ];
  return [...new Map(found.map((each) => [formatKey(keyOf(each)), each])).values()].filter(
    (each) => formatKey(keyOf(each)) !== self,
  );
}

function sharedBy(host: BareMetalHost, other: BareMetalHost): string | undefined {
  const [mine, theirs] = [bmcAt(host.spec?.bmc?.address), bmcAt(other.spec?.bmc?.address)];
  if (mine !== undefined && theirs !== undefined && mine.bmc === theirs.bmc) {
    // An address without a system means the only one of its BMC.
    const isOne = mine.system === theirs.system || mine.system === mine.bmc || theirs.system === theirs.bmc;
    // Two systems of one BMC are two machines, whatever MACs a maker gave them.
    return isOne ? `the BMC ${mine.bmc}` : undefined;
  }
  const boot = [macOf(host.spec?.bootMACAddress), macOf(other.spec?.bootMACAddress)];
  const shared = macsOf(host).filter((mac) => macsOf(other).includes(mac));
  const mac = shared.find((each) => boot.includes(each));
  if (mac !== undefined) return `the boot MAC address ${mac}`;
  const serial = serialOf(host);
  return shared.length > 0 && serial !== '' && serial === serialOf(other) ? `the serial number ${serial}` : undefined;
}

function serialOf({ status }: BareMetalHost): string {
  return status?.hardware?.systemVendor?.serialNumber?.trim() ?? '';
}

/** Of two hosts of one machine the one that is used, else the one that its provisioner knows, else the older one. */
function goesBefore(one: BareMetalHost, other: BareMetalHost): boolean {
  const [first, second] = [rankOf(one), rankOf(other)];
  if (first !== second) return first > second;
  return ageOf(one) < ageOf(other);
}

const usedStates: readonly unknown[] = [...inUseStates, 'provisioning', 'deprovisioning'];

function rankOf(host: BareMetalHost): number {
  if (usedStates.includes(stateOf({ ...blankStatus, ...host.status }))) return isBeingDeleted(host) ? 2 : 3;
  return (host.status?.provisioning.ID ?? '') === '' ? 0 : 1;
}

function ageOf({ metadata }: BareMetalHost): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.uid ?? ''}`;
}
