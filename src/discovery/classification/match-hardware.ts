import type { HardwareCharacteristics, HardwareDetails } from '../../api/index.ts';
import { compareVersions } from '../../versions/index.ts';

type Asked<K extends keyof HardwareCharacteristics> = NonNullable<HardwareCharacteristics[K]>;
type Disk = NonNullable<HardwareDetails['storage']>[number];

/** Why hardware is not as asked for, in a few words; undefined when it is. What was not told is not there. Pure. */
export function matchHardware(asked: HardwareCharacteristics, hardware: HardwareDetails): string | undefined {
  return (
    (asked.cpu && matchCpu(asked.cpu, hardware.cpu ?? {})) ??
    (asked.ram && matchRam(asked.ram, hardware.ramMebibytes)) ??
    (asked.disk && matchDisks(asked.disk, hardware.storage ?? [])) ??
    (asked.nic && matchNics(asked.nic, hardware)) ??
    (asked.systemVendor && matchVendor(asked.systemVendor, hardware)) ??
    (asked.firmware?.bios && matchBios(asked.firmware.bios, hardware))
  );
}

/** True when something is asked for at all. */
export function asksForAnything(asked: HardwareCharacteristics): boolean {
  return Object.values(asked).some((part) => Object.keys(part ?? {}).length > 0);
}

interface Range {
  readonly least?: number | undefined;
  readonly most?: number | undefined;
}

function outside(value: number | undefined, { least, most }: Range): boolean {
  if (least === undefined && most === undefined) return false;
  return value === undefined || value < (least ?? value) || value > (most ?? value);
}

function matchCpu(asked: Asked<'cpu'>, cpu: NonNullable<HardwareDetails['cpu']>): string | undefined {
  const { architecture, minimumCount, maximumCount, minimumSpeedMHz, maximumSpeedMHz } = asked;
  if (architecture !== undefined && family(architecture) !== family(cpu.arch ?? '')) return 'CPU architecture';
  if (outside(cpu.count, { least: minimumCount, most: maximumCount })) return 'number of CPUs';
  if (outside(cpu.clockMegahertz, { least: minimumSpeedMHz, most: maximumSpeedMHz })) return 'speed of CPUs';
  return undefined;
}

function family(architecture: string): string {
  const name = architecture.toLowerCase();
  return ['x86', 'x86_64', 'amd64', 'ias'].includes(name) ? 'x86' : name === 'arm64' ? 'aarch64' : name;
}

function matchRam({ minimumSizeGB, maximumSizeGB }: Asked<'ram'>, mebibytes: number | undefined): string | undefined {
  const size = mebibytes === undefined ? undefined : Math.floor(mebibytes / 1024);
  return outside(size, { least: minimumSizeGB, most: maximumSizeGB }) ? 'size of memory' : undefined;
}

function matchDisks(asked: Asked<'disk'>, disks: readonly Disk[]): string | undefined {
  const { diskSelector = [] } = asked;
  const selected = disks.filter(
    (disk) => diskSelector.length === 0 || diskSelector.some((each) => selects(each, disk)),
  );
  if (diskSelector.some((each) => !disks.some((disk) => selects(each, disk)))) return 'kind of disks';
  if (outside(selected.length, { least: asked.minimumCount, most: asked.maximumCount })) return 'number of disks';
  const range = { least: asked.minimumIndividualSizeGB, most: asked.maximumIndividualSizeGB };
  const isOff = ({ sizeBytes }: Disk): boolean =>
    outside(sizeBytes === undefined ? undefined : Math.floor(sizeBytes / 2 ** 30), range);
  const hasRange = range.least !== undefined || range.most !== undefined;
  return hasRange && (selected.length === 0 || selected.some(isOff)) ? 'size of disks' : undefined;
}

function selects({ hctl, rotational, type }: NonNullable<Asked<'disk'>['diskSelector']>[number], disk: Disk): boolean {
  if (type !== undefined && disk.type !== type) return false;
  // Of a disk that tells its kind, that says whether it spins.
  const spins = disk.type === undefined ? disk.rotational : disk.type === 'HDD';
  if (rotational !== undefined && spins !== rotational) return false;
  if (hctl === undefined) return true;
  const parts = disk.hctl?.split(':') ?? [];
  const wanted = hctl.split(':');
  return parts.length === wanted.length && wanted.every((part, index) => part === 'N' || part === parts[index]);
}

function matchNics(asked: Asked<'nic'>, { nics = [] }: HardwareDetails): string | undefined {
  const vendors = asked.nicSelector?.vendor?.map((each) => each.toLowerCase()) ?? [];
  const speed = asked.minimumSpeedGbps ?? 0;
  const counted = nics.filter(
    ({ model = '', speedGbps = 0 }) =>
      speedGbps >= speed && (vendors.length === 0 || vendors.some((vendor) => model.toLowerCase().startsWith(vendor))),
  );
  // One that has two addresses is listed twice.
  const count = new Set(counted.map(({ mac, name }) => mac ?? name)).size;
  const isSelective = vendors.length > 0 || speed > 0;
  const least = asked.minimumCount ?? (isSelective ? 1 : undefined);
  return outside(count, { least, most: asked.maximumCount }) ? 'number of NICs' : undefined;
}

function matchVendor(
  { manufacturer, productName }: Asked<'systemVendor'>,
  { systemVendor = {} }: HardwareDetails,
): string | undefined {
  if (manufacturer !== undefined && !isSameText(manufacturer, systemVendor.manufacturer)) return 'manufacturer';
  if (productName !== undefined && !isSameText(productName, systemVendor.productName)) return 'product';
  return undefined;
}

function matchBios(
  { vendor, minorVersion, majorVersion }: NonNullable<Asked<'firmware'>['bios']>,
  { firmware, systemVendor }: HardwareDetails,
): string | undefined {
  const bios = firmware?.bios ?? {};
  if (vendor !== undefined && !isSameText(vendor, bios.vendor)) return 'vendor of the BIOS';
  if (minorVersion === undefined && majorVersion === undefined) return undefined;
  const { version } = bios;
  if (version === undefined) return 'version of the BIOS';
  const of = { vendor: systemVendor?.manufacturer ?? bios.vendor ?? '', component: 'bios', version };
  if (minorVersion !== undefined && !['same', 'newer'].includes(compareVersions({ ...of, than: minorVersion })))
    return 'version of the BIOS';
  if (majorVersion !== undefined && !['same', 'older'].includes(compareVersions({ ...of, than: majorVersion })))
    return 'version of the BIOS';
  return undefined;
}

function isSameText(one: string, other: string | undefined): boolean {
  return one.trim().toLowerCase() === other?.trim().toLowerCase();
}
