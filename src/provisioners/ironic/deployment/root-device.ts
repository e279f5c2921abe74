import type { RootDeviceHints } from '../../../api/index.ts';

/** Hints at a disk in the words of Ironic: an operator and a value each. */
export function rootDeviceOf(hints: RootDeviceHints | undefined): Readonly<Record<string, string>> | undefined {
  if (hints === undefined) return undefined;
  const same = (value: string | undefined) => (value === undefined || value === '' ? undefined : `s== ${value}`);
  const within = (value: string | undefined) => (value === undefined || value === '' ? undefined : `<in> ${value}`);
  const isByPath = hints.deviceName?.startsWith('/dev/disk/by-path/') === true;
  const found = {
    [isByPath ? 'by_path' : 'name']: same(hints.deviceName),
    hctl: same(hints.hctl),
    model: within(hints.model),
    vendor: within(hints.vendor),
    serial: same(hints.serialNumber),
    size: (hints.minSizeGigabytes ?? 0) > 0 ? `>= ${hints.minSizeGigabytes}` : undefined,
    wwn: same(hints.wwn),
    wwn_with_extension: same(hints.wwnWithExtension),
    wwn_vendor_extension: same(hints.wwnVendorExtension),
    rotational: hints.rotational === undefined ? undefined : String(hints.rotational),
  };
  const given = Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
