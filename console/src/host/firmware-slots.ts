import type { KubeObject, StatusCondition } from '../api/kinds.ts';
import { type PartVersion, type ProductParts, productsFor, serverMaker, versionsOf } from '../firmware/products.ts';
import { complianceOf, type ServerFirmwareObject } from '../fleet/firmware-row.ts';
import {
  type CatalogueEntry,
  catalogueWord,
  type InstalledPart,
  imagesForProduct,
  productOf,
  type ServerProducts,
  toProducts,
} from './part-images.ts';

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
  /** What the host says of its server. */
  readonly hardware?: { readonly manufacturer?: string; readonly productName?: string } | undefined;
}

/** What is installed, each version of a component and maker once. */
export function installedParts({ components, server }: FirmwareKnown): readonly InstalledPart[] {
  const parts = partsOf(server).map(({ name, version = '', manufacturer = '' }) => ({
    component: name,
    version,
    manufacturer,
  }));
  return [...new Map([...parts, ...toldParts(components)].map((part) => [JSON.stringify(part), part])).values()];
}

/** What the host itself tells to be installed. */
function toldParts(components: ComponentsObject | undefined): readonly InstalledPart[] {
  return (components?.status?.components ?? []).map(({ component, currentVersion, initialVersion }) => ({
    component,
    version: currentVersion ?? initialVersion ?? '',
  }));
}

/** The server of a host, as far as it is known. */
function serverOf({ components, server, hardware }: FirmwareKnown, parts = partsOf(server)): ServerProducts {
  return {
    manufacturer: serverMaker(parts) || (hardware?.manufacturer ?? ''),
    model: hardware?.productName ?? '',
    products: toProducts(parts, toldParts(components)),
  };
}

/** What the catalogue has for a component of a host, by the part that it is. */
export function imagesForComponent(
  component: string,
  known: FirmwareKnown,
  catalogue: readonly CatalogueEntry[],
): readonly CatalogueEntry[] {
  const server = serverOf(known);
  const product = productOf(component, server.products) ?? [{ name: catalogueWord(component) }];
  return imagesForProduct(product, server, catalogue);
}

/** Joins what is installed, wanted and to be had, by component and product. */
export function firmwareSlots({
  catalogue,
  ...known
}: FirmwareKnown & { readonly catalogue: readonly CatalogueEntry[] }): readonly FirmwareSlot[] {
  const { components } = known;
  const ofHost = new Map(toldParts(components).map(({ component, version }) => [component, version]));
  const versionAt = new Map(catalogue.map(({ repository_url: url, version }) => [url, version]));
  const desired = new Map(
    (components?.spec?.updates ?? []).map(({ component, url }) => [component, versionAt.get(url) ?? lastPart(url)]),
  );
  const names = new Set([...ofHost.keys(), ...desired.keys()]);
  const byHost = [...names].map((component): FirmwareSlot => {
    const [installed = '', wanted = ''] = [ofHost.get(component), desired.get(component)];
    const available = newestFirst(imagesForComponent(component, known, catalogue));
    return { component, desired: wanted, installed, available, isAsWanted: wanted === '' || wanted === installed };
  });
  return [...byHost, ...productSlots(known, names, catalogue)].sort(biosFirst);
}

/** The parts of a server; older scans tell of the BIOS apart. */
function partsOf(server: ServerFirmwareObject | undefined): readonly PartVersion[] {
  const { firmwares = [], bios } = server?.status ?? {};
  if (bios === undefined || firmwares.some(({ name }) => name === 'bios')) return firmwares;
  return [{ name: 'bios', ...bios }, ...firmwares];
}

/** Of a component that the host itself tells of nothing more is shown. */
function productSlots(
  known: FirmwareKnown,
  shown: ReadonlySet<string>,
  catalogue: readonly CatalogueEntry[],
): readonly FirmwareSlot[] {
  const { server } = known;
  const parts = partsOf(server);
  const whole = serverOf(known, parts);
  const products = whole.products.filter(([part]) => parts.includes(part) && !shown.has(part.name));
  const available = new Map(
    products.map((product) => [product, newestFirst(imagesForProduct(product, whole, catalogue))]),
  );
  const hasVersion = (product: ProductParts, version: string): boolean =>
    available.get(product)?.includes(version) === true || product.some((part) => part.version === version);
  const entries = server?.spec?.firmwares ?? [];
  const choice = { products, serverManufacturer: whole.manufacturer, hasVersion };
  const targets = new Map(entries.map((entry) => [entry, productsFor(entry, choice)]));
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

/**
 * What a live update can install: the API takes the BIOS, the BMC and network cards by their name, and of these what the
 * host has. Where it tells of no component, the first two are taken at their word.
 */
export function updatableComponents(components: ComponentsObject | undefined): readonly string[] {
  const told = (components?.status?.components ?? []).map(({ component }) => component);
  if (told.length === 0) return ['bios', 'bmc'];
  return told.filter((name) => name === 'bios' || name === 'bmc' || /^nic:.+/.test(name)).sort(byComponent);
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
