import { readVendor, type Vendor } from '../versions/index.ts';

/** Words that tell what a firmware is for; the first row that fits counts, so the special ones come first. */
const rows: readonly (readonly [RegExp, string])[] = [
  [/\bcpld\b|programmable logic/, 'cpld'],
  [/\btpm\b|trusted platform/, 'tpm'],
  [/backplane|expander|\benclosure\b/, 'backplane'],
  [/power suppl|\bpsu\b|psu firmware/, 'psu'],
  [
    /\bidrac|remote access controller|lifecycle controller|\bilo\b|\bilo ?\d|integrated lights|\bxcc\d?\b|xclarity controller|\bbmc\b|\bimm2?\b/,
    'bmc',
  ],
  [/\bgpu\b|graphics|accelerator/, 'gpu'],
  [
    /\bperc\b|\braid\b|\bhba\b|\bboss\b|smart ?array|storage controller|megaraid|host bus adapter|\bs(?:as|ata) controller/,
    'storage-controller',
  ],
  [/network|ethernet|\bnic\b|infiniband|fibre channel|connectx|\blan\b|flexfabric|adapter/, 'nic'],
  [/\bdrives?\b|\bssd\b|\bhdd\b|\bnvme\b|hard disk|solid state|\bdisk\b|\bserial ata\b|\bsata\b/, 'drive'],
  [/\bbios\b|\buefi\b|system rom|rom flash/, 'bios'],
];

/** What a firmware is for, from the words that a catalogue uses of it; `other` where none is known. */
export function componentIn(text: string): string {
  const plain = text.toLowerCase();
  return rows.find(([words]) => words.test(plain))?.[1] ?? 'other';
}

const ownByServer: readonly string[] = ['bios', 'bmc', 'cpld'];

const partMakers: readonly Vendor[] = [
  'intel',
  'solidigm',
  'broadcom',
  'nvidia',
  'marvell',
  'microchip',
  'amd',
  'samsung',
  'micron',
  'kioxia',
  'seagate',
  'western-digital',
  'sk-hynix',
  'delta',
  'liteon',
];

/** The maker of a part from the words of its name, as they are written there; undefined where none is named. */
export function makerIn(component: string, text: string): string | undefined {
  if (ownByServer.includes(component)) return undefined;
  const words = text
    .split(/[\s,/()[\]-]+/)
    .filter((word) => word !== '')
    .slice(0, 60);
  for (const [at] of words.entries()) {
    for (const length of [3, 2, 1]) {
      const phrase = words.slice(at, at + length).join(' ');
      const { vendor } = readVendor(phrase);
      if (vendor !== undefined && partMakers.includes(vendor)) return phrase;
    }
  }
  return undefined;
}
