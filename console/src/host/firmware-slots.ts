import type { KubeObject, StatusCondition } from '../api/kinds.ts';
import type { ServerFirmwareObject } from '../fleet/firmware-row.ts';

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

/** Joins what is installed, wanted and to be had, by component. */
export function firmwareSlots(
  given: FirmwareKnown & { readonly catalogue: readonly CatalogueEntry[] },
): readonly FirmwareSlot[] {
  const installed = installedFirmware(given);
  const desired = new Map<string, string>();
  const { components, server } = given;
  for (const { name, version = '' } of server?.spec?.firmwares ?? []) desired.set(name, version);
  const versionAt = new Map(given.catalogue.map(({ repository_url: url, version }) => [url, version]));
  for (const { component, url } of components?.spec?.updates ?? []) {
    desired.set(component, versionAt.get(url) ?? lastPart(url));
  }
  return [...new Set([...installed.keys(), ...desired.keys()])].sort(biosFirst).map((component) => ({
    component,
    desired: desired.get(component) ?? '',
    installed: installed.get(component) ?? '',
    available: newestFirst(imagesFor({ component, version: installed.get(component) ?? '' }, given.catalogue)),
    isAsWanted: !desired.has(component) || desired.get(component) === installed.get(component),
  }));
}

/**
 * What a live update can install: the API takes the BIOS, the BMC and network cards by their name, and of these what the
 * host has. Where it tells of no component, the first two are taken at their word.
 */
export function updatableComponents(components: ComponentsObject | undefined): readonly string[] {
  const told = (components?.status?.components ?? []).map(({ component }) => component);
  if (told.length === 0) return ['bios', 'bmc'];
  return told.filter((name) => name === 'bios' || name === 'bmc' || /^nic:.+/.test(name)).sort(biosFirst);
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

function biosFirst(a: string, b: string): number {
  const place = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length);
  return place(a) - place(b) || a.localeCompare(b);
}
