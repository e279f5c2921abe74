import { readVendor } from '../versions/index.ts';

/** What firmware can be for, in the order in which it is installed. */
export const firmwareComponents = [
  'bmc',
  'bios',
  'cpld',
  'drive',
  'backplane',
  'storage-controller',
  'nic',
  'psu',
  'tpm',
  'gpu',
  'cpu',
  'other',
] as const;

/** What firmware can be for. */
export type FirmwareComponent = (typeof firmwareComponents)[number];

const otherNames: Readonly<Record<string, FirmwareComponent>> = {
  uefi: 'bios',
  systemrom: 'bios',
  idrac: 'bmc',
  ilo: 'bmc',
  xcc: 'bmc',
  disk: 'drive',
  ssd: 'drive',
  backplaneexpander: 'backplane',
  expander: 'backplane',
  storagecontroller: 'storage-controller',
  storagecontrollers: 'storage-controller',
  raid: 'storage-controller',
  hba: 'storage-controller',
  network: 'nic',
  networkadapter: 'nic',
  powersupply: 'psu',
};

/** The component that a catalogue's word means, in any spelling in use; undefined for words that nobody knows. */
export function toComponent(word: string): FirmwareComponent | undefined {
  const plain = word.trim().toLowerCase();
  const known = firmwareComponents.find((each) => each === plain);
  const bare = plain.replaceAll(/[\s_-]/g, '');
  return known ?? (Object.hasOwn(otherNames, bare) ? otherNames[bare] : undefined);
}

/** Every word in use for a component, its own first. */
export function wordsOf(component: FirmwareComponent): readonly string[] {
  const others = Object.entries(otherNames).flatMap(([word, meant]) => (meant === component ? [word] : []));
  return [component, ...others.filter((word) => word !== component)];
}

/** A component and who makes it, as somebody wrote them. */
export interface PartSpelling {
  readonly name: string;
  readonly manufacturer: string;
}

/** What a part is called among us: the component that the name means, or the name where nobody knows it. */
export function partName(name: string): string {
  return toComponent(name) ?? name.trim().toLowerCase();
}

/** Equal for all spellings of one component of one maker: `ssd` of `ACME Corp.` is `drive` of `Acme`. */
export function partKey({ name, manufacturer }: PartSpelling): string {
  return `${partName(name)}/${readVendor(manufacturer).key}`;
}

/** Parts that every server has, made by the maker of the server whatever an inventory says. */
const partsOfServer: readonly FirmwareComponent[] = ['bmc', 'bios', 'cpld'];

/** True for parts whose firmware is made by the maker of the server. */
export function isPartOfServer(component: string): boolean {
  return partsOfServer.some((each) => each === component);
}
