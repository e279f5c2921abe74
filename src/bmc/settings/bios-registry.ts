import type { Bmc } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import {
  asObject,
  booleanIn,
  childPath,
  lastSegment,
  linkIn,
  listPaths,
  memberIn,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
  toBmcPath,
} from '../redfish/index.ts';

/** A value of a BIOS attribute. */
export type BiosValue = string | number | boolean;

/** What a registry says of one attribute. */
export interface BiosAttribute {
  readonly name: string;
  readonly type: 'Enumeration' | 'Integer' | 'String' | 'Boolean' | 'Password' | 'Other';
  readonly displayName: string | undefined;
  readonly isReadOnly: boolean;
  readonly isResetRequired: boolean | undefined;
  /** Of an enumeration: what is sent, and what is shown for it. */
  readonly values: readonly { readonly value: string; readonly shown: string | undefined }[];
  readonly lowerBound: number | undefined;
  readonly upperBound: number | undefined;
  readonly increment: number | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: string | undefined;
  readonly default: BiosValue | undefined;
}

/** The types and bounds of a machine's BIOS attributes. */
export type BiosRegistry = ReadonlyMap<string, BiosAttribute>;

const types: ReadonlySet<string> = new Set(['Enumeration', 'Integer', 'String', 'Boolean', 'Password']);

/** The value if it is one that an attribute can have. */
export function asBiosValue(value: unknown): BiosValue | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' || typeof value === 'boolean' ? value : undefined;
}

/** The attributes in the body of an AttributeRegistry. */
export function parseRegistry(body: JsonObject): BiosRegistry {
  const found = new Map<string, BiosAttribute>();
  for (const entry of objectsIn(objectIn(body, 'RegistryEntries'), 'Attributes')) {
    const name = textIn(entry, 'AttributeName');
    if (name !== undefined) found.set(name, toAttribute(name, entry));
  }
  return found;
}

function toAttribute(name: string, entry: JsonObject): BiosAttribute {
  const type = textIn(entry, 'Type') ?? '';
  return {
    name,
    type: types.has(type) ? (type as BiosAttribute['type']) : 'Other',
    displayName: textIn(entry, 'DisplayName'),
    isReadOnly: booleanIn(entry, 'ReadOnly') === true || booleanIn(entry, 'Immutable') === true,
    isResetRequired: booleanIn(entry, 'ResetRequired'),
    values: objectsIn(entry, 'Value').flatMap((each) => {
      const value = textIn(each, 'ValueName');
      return value === undefined ? [] : [{ value, shown: textIn(each, 'ValueDisplayName') }];
    }),
    lowerBound: numberIn(entry, 'LowerBound'),
    upperBound: numberIn(entry, 'UpperBound'),
    increment: numberIn(entry, 'ScalarIncrement'),
    minLength: numberIn(entry, 'MinLength'),
    maxLength: numberIn(entry, 'MaxLength'),
    pattern: textIn(entry, 'ValueExpression'),
    default: asBiosValue(memberIn(entry, 'DefaultValue')),
  };
}

/** Finds and reads the registry that a BIOS names; undefined where there is none to be had. */
export async function readBiosRegistry(bmc: Bmc, name: string): Promise<BiosRegistry | undefined> {
  const { registries } = await bmc.root();
  if (registries === undefined) return undefined;
  const file = await readRegistryFile(bmc, registries, name);
  const location = file === undefined ? undefined : locationIn(file);
  const body = location === undefined ? undefined : await tryGet(bmc, location);
  const registry = parseRegistry(body ?? {});
  return registry.size === 0 ? undefined : registry;
}

/** Usually a file has the registry's own name; some have only the part before the version. */
async function readRegistryFile(bmc: Bmc, registries: string, name: string): Promise<JsonObject | undefined> {
  const isPlain = /^[\w.-]+$/.test(name);
  const direct = isPlain ? await tryGet(bmc, childPath(registries, name)) : undefined;
  if (direct !== undefined) return direct;
  const family = familyOf(name);
  const path = (await listPaths(bmc, registries)).find((each) => familyOf(lastSegment(each)) === family);
  return path === undefined ? undefined : tryGet(bmc, path);
}

/** `BiosAttributeRegistryU46.v1_1_20` and `BiosAttributeRegistryU46` are of one family. */
function familyOf(name: string): string {
  return name.toLowerCase().replace(/\.v?\d[\w.]*$/, '');
}

function locationIn(file: JsonObject): string | undefined {
  const places = objectsIn(file, 'Location');
  const english = places.find((place) => (textIn(place, 'Language') ?? '').toLowerCase().startsWith('en'));
  const [place = {}] = english === undefined ? places : [english];
  // Old ones give an object with a link instead of the path.
  return linkIn(place, 'Uri') ?? toBmcPath(memberIn(asObject(memberIn(place, 'Uri')), 'extref'));
}

async function tryGet(bmc: Bmc, path: string): Promise<JsonObject | undefined> {
  try {
    return (await bmc.gate.request({ method: 'GET', path })).body;
  } catch (error) {
    if (isBmcError(error, 'notFound', 'refused', 'malformed', 'unsupported')) return undefined;
    throw error;
  }
}
