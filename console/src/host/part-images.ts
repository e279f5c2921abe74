import { getProductsOf, isPartOfServer, isSelected, type Product, partName } from '../firmware/parts.ts';
import { groupByProduct, type PartVersion, type ProductParts, versionsOf, withMaker } from '../firmware/products.ts';

/** A firmware of the catalogue, as Serverservice shows it. */
export interface CatalogueEntry {
  readonly uuid: string;
  readonly component: string;
  readonly vendor: string;
  /** Of servers, of parts or both; a part may also go by its software id. None means all. */
  readonly model?: readonly string[];
  /** The vendor's ids of what it is for; none where the catalogue does not tell. */
  readonly software_ids?: readonly string[];
  readonly version: string;
  readonly repository_url: string;
}

/** A server as far as images are chosen for its parts. */
export interface ServerProducts {
  /** Empty where it is not known, as is the model. */
  readonly manufacturer: string;
  readonly model: string;
  readonly products: readonly ProductParts[];
}

/**
 * What the catalogue has for a product of a server. Discovery writes the model of the server into all that it finds, so
 * that name says nothing of a part: the software id counts, else the name of the part. What names only servers is for a
 * part when the server has one product that it could be for. Where all that tells nothing, the catalogue's entry of an
 * installed version leads to others of its kind.
 */
export function imagesForProduct(
  product: ProductParts,
  server: ServerProducts,
  catalogue: readonly CatalogueEntry[],
): readonly CatalogueEntry[] {
  const [part] = product;
  const entries = catalogue.filter(({ component }) => partName(component) === partName(part.name));
  if (isOneOfServer(part.name)) return entries.filter((entry) => isForServer(entry, part, server));
  const ofServers = serverNames(server, catalogue);
  const images = entries.map((entry) => ({
    entry,
    names: (entry.model ?? []).filter((name) => !ofServers.has(fold(name))),
  }));
  const identified = findIdentified(images, part, server);
  const sole = images.filter((image) => !isNarrowed(image) && isForOneProduct(image, product, server));
  if (identified.length + sole.length > 0) return [...identified, ...sole].map(({ entry }) => entry);
  const others = server.products.filter((each) => each !== product && partName(each[0].name) === partName(part.name));
  const taken = others.flatMap(([other]) => findIdentified(images, other, server));
  const free = images.filter((image) => !taken.includes(image) && !isOfOtherId(image, part));
  return versionsOf(product).flatMap((version) => findKin(free, version).map(({ entry }) => entry));
}

/** The products of a server, and what a host tells of by itself, such as `nic:NIC.Slot.1`. */
export function toProducts(parts: readonly PartVersion[], told: readonly InstalledPart[]): readonly ProductParts[] {
  const unknown = told.filter(({ component }) => !parts.some((part) => isComponent(part, component)));
  return [
    ...groupByProduct(parts),
    ...unknown.map(({ component, version }): ProductParts => [{ ...readComponent(component), version }]),
  ];
}

/** The product that a component of a host is of. */
export function productOf(component: string, products: readonly ProductParts[]): ProductParts | undefined {
  return products.find((parts) => parts.some((part) => isComponent(part, component)));
}

/** A component and the version of it that is installed; empty where that is unknown. */
export interface InstalledPart {
  readonly component: string;
  readonly version: string;
  /** Of the part, where it is known. */
  readonly manufacturer?: string;
}

/** The word for a component in the catalogue; a network card is `nic` there, whatever its name. */
export function catalogueWord(component: string): string {
  return readComponent(component).name;
}

function readComponent(component: string): { readonly name: string; readonly slot: string } {
  const at = component.indexOf(':');
  return at === -1 ? { name: component, slot: '' } : { name: component.slice(0, at), slot: component.slice(at + 1) };
}

/** Hosts name a network card by its adapter, or by one of its ports (`NIC.Slot.1-1-1`), as inventories do. */
function isComponent(part: PartVersion, component: string): boolean {
  const { name, slot } = readComponent(component);
  if (isSelected({ name, manufacturer: '', slot }, withMaker(part), '')) return true;
  const place = (part.slot ?? '').toLowerCase();
  return partName(name) === partName(part.name) && slot !== '' && place.startsWith(`${slot.toLowerCase()}-`);
}

/** An image, and which of its models are names of parts. */
interface Image {
  readonly entry: CatalogueEntry;
  readonly names: readonly string[];
}

/** Every server has one BIOS and one BMC, whose firmware goes by its model. */
function isOneOfServer(component: string): boolean {
  return isPartOfServer(partName(component)) && partName(component) !== 'cpld';
}

function isForServer(entry: CatalogueEntry, part: PartVersion, { manufacturer, model }: ServerProducts): boolean {
  const { component, vendor, model: models = [], software_ids: softwareIds = [] } = entry;
  const isModel = models.length === 0 || model === '' || models.some((each) => isSameText(each, model));
  const product = { name: component, manufacturer: vendor, softwareIds };
  return isModel && getProductsOf([product], withMaker(part), manufacturer || vendor).length > 0;
}

/** Names of servers among the models: that of this one, what BIOSes and BMCs are for, and what several classes have. */
function serverNames({ model }: ServerProducts, catalogue: readonly CatalogueEntry[]): ReadonlySet<string> {
  const classes = new Map<string, Set<string>>();
  for (const { component, model: models = [] } of catalogue) {
    for (const name of models.map(fold)) classes.set(name, (classes.get(name) ?? new Set()).add(partName(component)));
  }
  const found = [...classes].filter(([, of]) => of.size > 1 || [...of].some(isOneOfServer)).map(([name]) => name);
  return new Set([...found, fold(model), '*', '']);
}

/** The images that are for a part by its software id, or else by its name; the maker alone does not tell. */
function findIdentified(images: readonly Image[], part: PartVersion, { manufacturer }: ServerProducts): Image[] {
  const { model = '', softwareId = '' } = part;
  const known = images.flatMap((image) => {
    const ids = idsOf(image, part);
    const product = { name: image.entry.component, manufacturer: image.entry.vendor, softwareIds: ids, image };
    if (ids.length > 0 && softwareId !== '') return [product];
    return model === '' ? [] : image.names.map((name) => ({ ...product, model: name }));
  });
  const fitting = getProductsOf<Product & { readonly image: Image }>(known, withMaker(part), manufacturer);
  return [...new Set(fitting.map(({ image }) => image))];
}

/** Catalogues without a field for software ids have them among the models. */
function idsOf(
  { entry: { software_ids: ids = [] }, names }: Image,
  { softwareId = '' }: PartVersion,
): readonly string[] {
  return ids.length > 0 ? ids : names.filter((name) => isSameText(name, softwareId));
}

function isNarrowed({ entry, names }: Image): boolean {
  return names.length > 0 || (entry.software_ids ?? []).length > 0;
}

function isForOneProduct({ entry }: Image, product: ProductParts, server: ServerProducts): boolean {
  const published = { name: entry.component, manufacturer: entry.vendor };
  const possible = server.products.filter(
    ([part]) => getProductsOf([published], withMaker(part), server.manufacturer).length > 0,
  );
  return possible.length === 1 && possible.includes(product);
}

function isOfOtherId({ entry: { software_ids: ids = [] } }: Image, { softwareId = '' }: PartVersion): boolean {
  return ids.length > 0 && softwareId !== '' && !ids.some((id) => isSameText(id, softwareId));
}

/** The images of the kind of which a version is; none where products of several kinds have that version. */
function findKin(images: readonly Image[], version: string): readonly Image[] {
  const same = images.filter(({ entry }) => entry.version === version);
  return same.length === 0 ? [] : images.filter((image) => same.every((each) => isKin(image, each)));
}

function isKin(one: Image, other: Image): boolean {
  const [ids = [], otherIds = []] = [one.entry.software_ids, other.entry.software_ids];
  if (ids.length > 0 && otherIds.length > 0) return ids.some((id) => otherIds.some((each) => isSameText(id, each)));
  return one.names.some((name) => other.names.some((each) => isSameText(name, each)));
}

function isSameText(one: string, other: string): boolean {
  return fold(one) === fold(other);
}

function fold(text: string): string {
  return text.trim().toLowerCase();
}
