import type { BareMetalHost, HostPort, NetworkConfiguration, Nic, NicHint } from '../../api/index.ts';

/** One network configuration that a machine needs. */
export type NetworkNeed = NetworkConfiguration[number];

/** Whether the port of an interface could get the configuration that is needed there. */
export type CanTake = (entry: HostPort, need: NetworkNeed) => boolean;

/** PCI ids (vendor, product) of interfaces that bring a computer of their own; without products all of the vendor do. */
const smartDevices: readonly { readonly vendor: string; readonly products?: readonly string[] }[] = [
  { vendor: '0x1dd8' },
  { vendor: '0x15b3', products: ['0xa2d2', '0xa2d3', '0xa2d6', '0xa2da', '0xa2dc', '0xa2df'] },
  { vendor: '0x8086', products: ['0x1452'] },
];

/** True for an interface on a smart NIC, by its PCI ids or by the name of its model. */
export function isSmartNic({ model = '' }: Nic): boolean {
  const [vendor = '', product = ''] = model.toLowerCase().split(/\s+/);
  const isKnown = smartDevices.some((each) => each.vendor === vendor && (each.products?.includes(product) ?? true));
  return isKnown || /bluefield|pensando|smart ?nic|\bdpu\b|\bipu\b/i.test(model);
}

/**
 * Finds an interface for every need, each its own: those of `ports` that inspection found, that the hint means and whose
 * port can take it. What has been found before stays. Undefined when there are not enough.
 */
export function matchNics(
  host: BareMetalHost,
  needs: readonly NetworkNeed[],
  canTake: CanTake = () => true,
): ReadonlyMap<NetworkNeed, HostPort> | undefined {
  const ports = host.spec?.ports ?? [];
  const nics = host.status?.hardware?.nics ?? [];
  const fits = (need: NetworkNeed, entry: HostPort): boolean =>
    nics.some((nic) => isSameMac(nic.mac, entry.mac) && isMeant(nic, need.nicHint)) && canTake(entry, need);
  const isThere = (need: NetworkNeed): boolean => ports.some((entry) => hasIt(entry, need));
  const needOf = new Map<HostPort, NetworkNeed>();
  // As it is already comes first, so that a second look finds the same.
  for (const need of needs.toSorted((one, other) => Number(isThere(other)) - Number(isThere(one)))) {
    const ordered = ports.toSorted((one, other) => Number(hasIt(other, need)) - Number(hasIt(one, need)));
    const candidates = (each: NetworkNeed): readonly HostPort[] =>
      (each === need ? ordered : ports).filter((entry) => fits(each, entry));
    if (!place(need, { needOf, candidates, tried: new Set() })) return undefined;
  }
  return new Map([...needOf].map(([entry, need]) => [need, entry]));
}

interface Placing {
  readonly needOf: Map<HostPort, NetworkNeed>;
  readonly candidates: (need: NetworkNeed) => readonly HostPort[];
  readonly tried: Set<HostPort>;
}

/** Gives a need a free interface, or one whose need can move to another. */
function place(need: NetworkNeed, placing: Placing): boolean {
  const { needOf, candidates, tried } = placing;
  for (const entry of candidates(need).filter((each) => !tried.has(each))) {
    tried.add(entry);
    const holder = needOf.get(entry);
    if (holder !== undefined && !place(holder, placing)) continue;
    needOf.set(entry, need);
    return true;
  }
  return false;
}

/** True for an interface that a hint means. */
export function isMeant(nic: Nic, { name, smartNIC }: NicHint = {}): boolean {
  return (name === undefined || name === '' || nic.name === name) && (smartNIC !== true || isSmartNic(nic));
}

/** True for one address in any spelling. */
export function isSameMac(one: string | undefined, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}

function hasIt({ configuration }: HostPort, { ConfigurationRef: wanted }: NetworkNeed): boolean {
  return configuration?.name === wanted.name;
}
