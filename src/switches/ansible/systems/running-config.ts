import { allVlans, noVlans, parseVlans, type VlanSet, vlanSetOf, withoutVlans } from '../../vlan-set.ts';

/** A line without indent begins a block; the indented ones that follow are in it. */
export function readBlocks(text: string): Map<string, string[]> {
  const blocks = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of text.split('\n').map((each) => each.trimEnd())) {
    if (line === '' || line.startsWith('!')) continue;
    if (line.startsWith(' ')) lines.push(line.trim());
    else {
      lines = [];
      blocks.set(line, lines);
    }
  }
  return blocks;
}

/** What follows the words that a line begins with. */
export function wordsAfter(lines: readonly string[], start: string): string | undefined {
  return lines
    .find((line) => line.startsWith(start))
    ?.slice(start.length)
    .trim();
}

/** The name of the access list of a port: names cannot hold slashes everywhere. */
export function aclName(port: string): string {
  return `rackwright-${port.replaceAll(/[^A-Za-z0-9]/g, '-')}`;
}

/** What is not said is the default: access to VLAN 1; a trunk of all VLANs with VLAN 1 untagged. */
export function readVlans(lines: readonly string[]): {
  readonly untaggedVlan: number | undefined;
  readonly taggedVlans: VlanSet;
} {
  if (wordsAfter(lines, 'switchport mode ') !== 'trunk') {
    return { untaggedVlan: Number(wordsAfter(lines, 'switchport access vlan ') ?? 1), taggedVlans: noVlans };
  }
  const carried = readAllowed(lines);
  const native = wordsAfter(lines, 'switchport trunk native vlan ') ?? '1';
  const own = native === 'tag' ? noVlans : (parseVlans(native) ?? noVlans);
  const isPassed = own.length > 0 && withoutVlans(own, carried).length === 0;
  return {
    untaggedVlan: isPassed ? Number(native) : undefined,
    taggedVlans: isPassed ? withoutVlans(carried, own) : carried,
  };
}

/** A long list is printed on several lines, the later ones with `add`. */
function readAllowed(lines: readonly string[]): VlanSet {
  const start = 'switchport trunk allowed vlan ';
  const said = lines
    .filter((line) => line.startsWith(start))
    .map((line) => line.slice(start.length).replace(/^add /, ''));
  if (said.length === 0) return allVlans;
  return vlanSetOf(said.flatMap((list) => (list === 'none' ? noVlans : (parseVlans(list) ?? noVlans))));
}
