/** Neighbouring VLAN ids, both ends included. */
export interface VlanSpan {
  readonly first: number;
  readonly last: number;
}

/** VLAN ids as spans in ascending order that neither touch nor overlap, so that equal sets are written alike. */
export type VlanSet = readonly VlanSpan[];

/** The smallest and the largest id that a VLAN can have (802.1Q; 0 and 4095 are reserved). */
export const vlanIds = { first: 1, last: 4094 } as const;

/** No VLAN. */
export const noVlans: VlanSet = [];

/** Every VLAN. */
export const allVlans: VlanSet = [vlanIds];

/** True for a number that a VLAN can have. */
export function isVlanId(id: number): boolean {
  return Number.isInteger(id) && id >= vlanIds.first && id <= vlanIds.last;
}

/** Orders and joins spans. Ids out of range are the caller's mistake. */
export function vlanSetOf(spans: Iterable<VlanSpan | number>): VlanSet {
  const sorted = [...spans]
    .map((each) => (typeof each === 'number' ? { first: each, last: each } : each))
    .sort((a, b) => a.first - b.first);
  const joined: { first: number; last: number }[] = [];
  for (const { first, last } of sorted) {
    const previous = joined.at(-1);
    if (previous !== undefined && first <= previous.last + 1) previous.last = Math.max(previous.last, last);
    else joined.push({ first, last });
  }
  return joined;
}

/** Reads `5` or `1, 6-10`; undefined when that is no list of VLANs, such as a range that goes down or VLAN 4095. */
export function parseVlans(text: string | number): VlanSet | undefined {
  const spans: VlanSpan[] = [];
  for (const part of String(text).split(',')) {
    const [, from, to] = /^\s*(\d{1,4})(?:-(\d{1,4}))?\s*$/.exec(part) ?? [];
    if (from === undefined) return undefined;
    const span = { first: Number(from), last: Number(to ?? from) };
    if (!isVlanId(span.first) || !isVlanId(span.last) || span.first > span.last) return undefined;
    spans.push(span);
  }
  return vlanSetOf(spans);
}

/** Writes `1,6-10`; empty for no VLAN. */
export function formatVlans(vlans: VlanSet): string {
  return vlans.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

/** Every id of the set, ascending. */
export function idsOf(vlans: VlanSet): number[] {
  return vlans.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, offset) => first + offset));
}

/** How many VLANs are in the set. */
export function countVlans(vlans: VlanSet): number {
  return vlans.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

/** True when the set has that VLAN. */
export function hasVlan(vlans: VlanSet, id: number): boolean {
  return vlans.some(({ first, last }) => id >= first && id <= last);
}

/** What is in `vlans` but not in `taken`. */
export function withoutVlans(vlans: VlanSet, taken: VlanSet): VlanSet {
  let rest: VlanSpan[] = [...vlans];
  for (const { first, last } of taken) {
    rest = rest.flatMap((span) => {
      if (last < span.first || first > span.last) return [span];
      const below = { first: span.first, last: first - 1 };
      const above = { first: last + 1, last: span.last };
      return [below, above].filter((part) => part.first <= part.last);
    });
  }
  return rest;
}

/** True when both hold the same VLANs. */
export function areSameVlans(one: VlanSet, other: VlanSet): boolean {
  return formatVlans(one) === formatVlans(other);
}
