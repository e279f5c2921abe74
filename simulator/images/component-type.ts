/** What a piece of firmware runs on. */
export const componentTypes = [
  'bmc',
  'bios',
  'cpld',
  'nic',
  'drive',
  'storage-controller',
  'psu',
  'gpu',
  'other',
] as const;

/** What a piece of firmware runs on. */
export type ComponentType = (typeof componentTypes)[number];
