import type { KubeObject, StatusCondition } from '../api/kinds.ts';
import { groupByProduct, type PartVersion, type ProductParts, productsFor, versionsOf } from '../firmware/products.ts';
import { complianceOf, type ServerFirmwareObject } from '../fleet/firmware-row.ts';

/** HostFirmwareComponents as far as the console reads it. */
export interface ComponentsObject extends KubeObject {
  readonly spec?: { readonly updates?: readonly { readonly component: string; readonly url: string }[] };
  readonly status?: {
    readonly components?: readonly {
      readonly component: string;
      readonly initialVersion?: string;
      readonly currentVersion?: string;
      readonly updatedAt?: string;
    }[];
    readonly conditions?: readonly StatusCondition[];
  };
}

/** A firmware of the catalogue, as Serverservice shows it. */
export interface CatalogueEntry {
  readonly uuid: string;
  readonly component: string;
  readonly vendor: string;
  /** Of servers, or of the parts themselves: their software id or name. None means all. */
  readonly model?: readonly string[];
  readonly version: string;
  readonly repository_url: string;
}

/** A slot for firmware, such as the BIOS. */
export interface FirmwareSlot {
  readonly component: string;
  /** Which product, where the host has several of a component. */
  readonly product?: string;
  readonly desired: string;
  readonly installed: string;
  /** Newest first, as the catalogue has them. */
  readonly available: readonly string[];
  readonly isAsWanted: boolean;
}

/** What is known of the firmware of a host. */
export interface FirmwareKnown {
  readonly components: ComponentsObject | undefined;
  readonly server: ServerFirmwareObject | undefined;
}

/** The versions of each component, each once: several parts of a class may have several. */
export function installedVersions({ components, server }: FirmwareKnown): ReadonlyMap<string, readonly string[]> {
  const all = server?.status?.firmwares ?? [];
  const installed = new Map<string, readonly string[]>();
  for (const [name, parts] of Map.groupBy(all, (each) => each.name)) {
    installed.set(name, [...new Set(parts.map(({ version = '' }) => version))]);
  }
  if (server?.status?.bios?.version !== undefined) installed.set('bios', [server.status.bios.version]);
  for (const { component, currentVersion, initialVersion } of components?.status?.components ?? []) {
    installed.set(component, [currentVersion ?? initialVersion ?? '']);
  }
  return installed;
}

/** What is installed, by component. */
export function installedFirmware(known: FirmwareKnown): ReadonlyMap<string, string> {
  return new Map([...installedVersions(known)].map(([component, versions]) => [component, versions.join(', ')]));
}

/** Joins what is installed, wanted and to be had, by component and product. */
export function firmwareSlots({
  components,
  server,
  catalogue,
}: FirmwareKnown & { readonly catalogue: readonly CatalogueEntry[] }): readonly FirmwareSlot[] {
  const ofHost = new Map(
    (components?.status?.components ?? []).map((each) => [
      each.component,
      each.currentVersion ?? each.initialVersion ?? '',
    ]),
  );
  const versionAt = new Map(catalogue.map(({ repository_url: url, version }) => [url, version]));
  const desired = new Map(
    (components?.spec?.updates ?? []).map(({ component, url }) => [component, versionAt.get(url) ?? lastPart(url)]),
  );
  const parts = groupByProduct(partsOf(server).filter(({ name }) => !ofHost.has(name) && !desired.has(name)));
  const names = new Set([...ofHost.keys(), ...desired.keys()]);
  const byHost = [...names].map((component): FirmwareSlot => {
    const [installed = '', wanted = ''] = [ofHost.get(component), desired.get(component)];
    const available = newestFirst(imagesFor({ component, version: installed }, catalogue));
    return { component, desired: wanted, installed, available, isAsWanted: wanted === '' || wanted === installed };
  });
  return [...byHost, ...productSlots(server, parts, catalogue)].sort(biosFirst);
}

/** The parts of a server; older scans tell of the BIOS apart. */
function partsOf(server: ServerFirmwareObject | undefined): readonly PartVersion[] {
  const { firmwares = [], bios } = server?.status ?? {};
  if (bios === undefined || firmwares.some(({ name }) => name === 'bios')) return firmwares;
  return [{ name: 'bios', ...bios }, ...firmwares];
}

function productSlots(
  server: ServerFirmwareObject | undefined,
  products: readonly ProductParts[],
  catalogue: readonly CatalogueEntry[],
): readonly FirmwareSlot[] {
  const available = new Map(
    products.map((product) => [product, newestFirst(imagesForProduct(product, products, catalogue))]),
  );
  const hasVersion = (product: ProductParts, version: string): boolean =>
    available.get(product)?.includes(version) === true || product.some((part) => part.version === version);
  const entries = server?.spec?.firmwares ?? [];
  const targets = new Map(entries.map((entry) => [entry, productsFor(entry, products, hasVersion)]));
  const isAllAsWanted = complianceOf(server?.status?.conditions ?? []).tone === 'good';
  const slots = products.map((product): FirmwareSlot => {
    const [{ name, model = '', softwareId = '' }] = product;
    const isOnly = products.filter(([each]) => each.name === name).length === 1;
    const wanted = entries.flatMap((entry) => (targets.get(entry)?.includes(product) ? (entry.version ?? '') : []));
    const installed = versionsOf(product);
    const title = isOnly ? '' : model || softwareId;
    return {
      component: name,
      ...(title === '' ? {} : { product: title }),
      desired: [...new Set(wanted)].join(', '),
      installed: installed.join(', '),
      available: available.get(product) ?? [],
      isAsWanted: isAllAsWanted || wanted.every((version) => installed.every((each) => each === version)),
    };
  });
  const unseen = entries.flatMap((entry): FirmwareSlot[] => {
    if ((targets.get(entry) ?? []).length > 0) return [];
    const { name: component, version: desired = '' } = entry;
    return [{ component, desired, installed: '', available: [], isAsWanted: isAllAsWanted }];
  });
  return [...slots, ...unseen];
}

/** The catalogue files the firmware of parts by their software id or name; where it does not, the installed versions tell. */
function imagesForProduct(
  product: ProductParts,
  products: readonly ProductParts[],
  catalogue: readonly CatalogueEntry[],
): readonly CatalogueEntry[] {
  const [{ name, model, softwareId }] = product;
  const entries = catalogue.filter(({ component }) => component === name);
  const marks = [model, softwareId].filter((text) => (text ?? '') !== '').map((text) => text?.toLowerCase());
  const filed = entries.filter((entry) => (entry.model ?? []).some((one) => marks.includes(one.toLowerCase())));
  if (filed.length > 0) return filed;
  const isOnly = products.filter(([each]) => each.name === name).length === 1;
  return versionsOf(product).flatMap((version) => {
    // Of several products of a class nothing is offered that may be for another one.
    if (!isOnly && !entries.some((entry) => entry.version === version)) return [];
    return imagesFor({ component: name, version }, catalogue);
  });
}

/**
 * What a live update can install: the API takes the BIOS, the BMC and network cards by their name, and of these what the
 * host has. Where it tells of no component, the first two are taken at their word.
 */
export function updatableComponents(components: ComponentsObject | undefined): readonly string[] {
  const told = (components?.status?.components ?? []).map(({ component }) => component);
  if (told.length === 0) return ['bios', 'bmc'];
  return told.filter((name) => name === 'bios' || name === 'bmc' || /^nic:.+/.test(name)).sort(byComponent);
}

/** A component and the version of it that is installed; empty where that is unknown. */
export interface InstalledPart {
  readonly component: string;
  readonly version: string;
}

/** The word for a component in the catalogue; a network card is `nic` there, whatever its name. */
export function catalogueWord(component: string): string {
  return component.split(':', 1)[0] ?? component;
}

/**
 * What the catalogue has for a part: everything for the same models as the installed version. A server may have two kinds
 * of network cards, and the newest version of one is none of the other.
 */
export function imagesFor(
  { component, version }: InstalledPart,
  catalogue: readonly CatalogueEntry[],
): readonly CatalogueEntry[] {
  const word = catalogueWord(component);
  const entries = catalogue.filter((entry) => entry.component === word);
  const installed = entries.filter((entry) => entry.version === version);
  if (installed.length === 0) return entries;
  const models = new Set(installed.flatMap(({ model = [] }) => model));
  return entries.filter(({ model = [] }) => model.length === 0 || model.some((one) => models.has(one)));
}

function newestFirst(entries: readonly CatalogueEntry[]): readonly string[] {
  const order = new Intl.Collator('en', { numeric: true });
  return [...new Set(entries.map(({ version }) => version))].sort((a, b) => order.compare(b, a));
}

function lastPart(url: string): string {
  return decodeURIComponent(url.split('/').at(-1) ?? url);
}

const first = ['bios', 'bmc', 'nic'];

function biosFirst(a: FirmwareSlot, b: FirmwareSlot): number {
  return byComponent(a.component, b.component) || (a.product ?? '').localeCompare(b.product ?? '');
}

function byComponent(a: string, b: string): number {
  const place = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length);
  return place(a) - place(b) || a.localeCompare(b);
}
