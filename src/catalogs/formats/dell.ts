import { componentIn, makerIn } from '../component-words.ts';
import { checkNames, refusal } from '../reading/context.ts';
import { walkXml, type XmlListener } from '../reading/walk-xml.ts';
import { releaseDay } from '../release-day.ts';
import { asFolder, type FormatContext, type FormatReader, folderOf } from './format.ts';
import { checkHost } from './image-address.ts';

/** Reads Dell's `Catalog.xml`: one `SoftwareComponent` for each package, of which firmware and BIOS are taken. */
export const readDell: FormatReader = (text, context) => walkXml(text, createListener(context), context);

/** What is gathered of a `SoftwareComponent`. */
interface Package {
  readonly attributes: Readonly<Record<string, string>>;
  type: string;
  name: string;
  /** Words of its categories. */
  words: string;
  devices: string[];
  deviceIds: string[];
  models: string[];
  brand: string;
  /** Dell's short sign of the brand: `PE` for PowerEdge. */
  brandSign: string;
  hashes: string[];
}

function createListener(context: FormatContext): XmlListener {
  const path: string[] = [];
  let base: URL | undefined;
  let current: Package | undefined;
  let hashName = '';
  const count = (list: readonly string[]): void => checkNames(list.length + 1, context);
  return {
    open(name, attributes) {
      path.push(name);
      if (path.length === 1) base = baseOf(name, attributes, context);
      if (name === 'SoftwareComponent') current = emptyPackage(attributes);
      if (current === undefined) return;
      if (name === 'ComponentType') current.type = attributes.value ?? '';
      if (name === 'Hash') hashName = attributes.algorithm ?? '';
      if (name === 'Brand') {
        current.brand = '';
        current.brandSign = attributes.prefix?.trim() ?? '';
      }
      if (name === 'Device' && path.at(-2) === 'SupportedDevices') {
        count(current.deviceIds);
        current.deviceIds.push((attributes.componentID ?? '').trim());
      }
    },
    close(name, text) {
      path.pop();
      if (current === undefined) return;
      if (name === 'Display') {
        count(current.models);
        count(current.devices);
        takeDisplay(current, path.at(-1) ?? '', text.trim());
      }
      if (name === 'Hash') takeHash(current, hashName, text.trim());
      if (name !== 'SoftwareComponent') return;
      finish(current, base ?? folderOf(context.place), context);
      current = undefined;
    },
  };
}

function emptyPackage(attributes: Readonly<Record<string, string>>): Package {
  const lists = { devices: [], deviceIds: [], models: [], hashes: [] };
  return { attributes, type: '', name: '', words: '', brand: '', brandSign: '', ...lists };
}

/** `downloads.dell.com` with `HTTPS`, or nothing in copies of the catalogue: then images are beside it. */
function baseOf(root: string, attributes: Readonly<Record<string, string>>, context: FormatContext): URL {
  if (root !== 'Manifest') {
    throw refusal(context, 'malformed', { detail: `its root is ${root} and not Manifest` });
  }
  if (context.baseUrl !== undefined) return context.baseUrl;
  const location = (attributes.baseLocation ?? '').trim();
  if (location === '') return folderOf(context.place);
  const scheme = /^https?$/i.test(attributes.baseLocationAccessProtocols ?? '')
    ? (attributes.baseLocationAccessProtocols ?? '').toLowerCase()
    : 'https';
  const url = URL.parse(/^https?:\/\//i.test(location) ? location : `${scheme}://${location}`);
  if (url === null || url.username !== '' || url.password !== '') {
    throw refusal(context, 'malformed', { detail: 'its baseLocation is no host' });
  }
  return checkHost(asFolder(url), context, context);
}

function takeDisplay(current: Package, parent: string, text: string): void {
  if (text === '') return;
  if (parent === 'Name' && current.name === '') current.name = text;
  if (parent === 'Category' || parent === 'LUCategory') current.words += ` ${text}`;
  if (parent === 'Device') current.devices.push(text);
  if (parent === 'Brand') current.brand = text;
  if (parent === 'Model') current.models.push(...namesOf(current, text));
}

/** Newer PowerEdge servers are listed under `Enterprise Servers`, which no server calls itself. */
function namesOf({ brand, brandSign }: Package, model: string): string[] {
  const isPowerEdge = brandSign.toUpperCase() === 'PE';
  return [...new Set([withBrand(brand, model), ...(isPowerEdge ? [withBrand('PowerEdge', model)] : [])])];
}

function withBrand(brand: string, model: string): string {
  return brand === '' || model.toLowerCase().startsWith(brand.toLowerCase()) ? model : `${brand} ${model}`;
}

/** SHA-1 is neither needed, where there is SHA-256, nor trusted. */
function takeHash(current: Package, algorithm: string, hex: string): void {
  if (/^(?:md5|sha-?256|sha-?512)$/i.test(algorithm)) current.hashes.push(`${algorithm}:${hex}`);
}

function finish(current: Package, base: URL, context: FormatContext): void {
  const { attributes, name } = current;
  const version = attributes.vendorVersion?.trim() || (attributes.dellVersion?.trim() ?? '');
  if (!['FRMW', 'BIOS'].includes(current.type.toUpperCase()) || isForLinux(attributes)) {
    context.skip();
    return;
  }
  const component = current.type.toUpperCase() === 'BIOS' ? 'bios' : componentIn(`${current.words} ${name}`);
  const softwareIds = [...new Set(current.deviceIds.filter((id) => id !== '' && id !== '0'))].sort();
  const md5 = attributes.hashMD5?.trim() ?? '';
  context.add({
    component,
    name: current.devices[0] ?? name,
    manufacturer: makerIn(component, [...current.devices, name].join(' ')) ?? 'Dell',
    version,
    models: [...new Set(current.models)],
    softwareIds,
    line: softwareIds.length > 0 ? softwareIds.join(',') : withoutVersion(current.devices[0] ?? name, version),
    image: { path: attributes.path?.trim() ?? '', base },
    sizeBytes: sizeOf(attributes.size),
    digests: [...current.hashes, ...(md5 === '' ? [] : [`md5:${md5}`])],
    releaseDate: releaseDay(attributes.dateTime) ?? releaseDay(attributes.releaseDate),
    isRebootNeeded: attributes.rebootRequired === undefined ? undefined : attributes.rebootRequired === 'true',
  });
}

/**
 * Dell packs most firmware twice: for Windows (`LW64`, `LWXP`, ...: .EXE), which iDRAC takes too, and for Linux (`LLXP`,
 * ...: .BIN), which nothing but a Linux on the host takes. Where the type tells nothing the end of the name does.
 */
function isForLinux({ packageType = '', path = '' }: Readonly<Record<string, string>>): boolean {
  const [, system] = /^L([LW])/i.exec(packageType.trim()) ?? [];
  return system === undefined ? /\.bin$/i.test(path.trim()) : system.toUpperCase() === 'L';
}

function withoutVersion(name: string, version: string): string {
  return name
    .replaceAll(version === '' ? '\u0000' : version, '')
    .trim()
    .toLowerCase();
}

function sizeOf(text: string | undefined): number | undefined {
  return /^\d{1,15}$/.test(text?.trim() ?? '') ? Number(text) : undefined;
}
