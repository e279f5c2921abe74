import { type CompiledSchema, compileJsonPath, compileSchema, type JsonSchema } from '../../schema/index.ts';
import { createFieldManager } from '../field-manager/index.ts';
import { asJson, copyObject, type KubeObject } from '../object.ts';
import { apiVersionOf, bucketOf, type ServedResource } from '../served-resource.ts';
import type { Stored } from '../store/store.ts';
import type { Converter } from './conversion.ts';
import type { Crd, CrdVersion } from './crd-object.ts';
import { customTable } from './table-columns.ts';

const customVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/**
 * The revisions that were written by one definition, whose texts therefore need no second look. `until` is open while
 * that definition is the one in use.
 */
export interface Era {
  readonly after: number;
  until: number;
}

/** Finds the compiled schema of a version by its apiVersion; undefined for versions the definition does not have. */
type SchemaFinder = (apiVersion: string) => CompiledSchema | undefined;

/** Makes every served version of a CustomResourceDefinition servable. */
export function serveCrd(crd: Crd, converter: Converter, era: Era): ServedResource[] {
  const schemaOf = compileOnce(crd);
  const versions = crd.spec.versions.filter((v) => v.served || v.storage);
  return versions.map((version) => serveVersion(crd, version, { converter, era, schemaOf }));
}

/** Each version's schema is compiled when it is first needed, and then shared by all that read or write it. */
function compileOnce(crd: Crd): SchemaFinder {
  const compiled = new Map<string, CompiledSchema>();
  return (apiVersion) => {
    const known = compiled.get(apiVersion);
    if (known !== undefined) return known;
    const version = crd.spec.versions.find((v) => apiVersionOf(crd.spec.group, v.name) === apiVersion);
    if (version === undefined) return undefined;
    const made = compileSchema(version.schema?.openAPIV3Schema ?? {}, { kind: 'custom', isRoot: true });
    compiled.set(apiVersion, made);
    return made;
  };
}

interface Serving {
  readonly converter: Converter;
  readonly era: Era;
  readonly schemaOf: SchemaFinder;
}

function serveVersion(crd: Crd, version: CrdVersion, serving: Serving): ServedResource {
  const { converter } = serving;
  const { group, names } = crd.spec;
  const apiVersion = apiVersionOf(group, version.name);
  const schema = version.schema?.openAPIV3Schema ?? {};
  const hasStatus = version.subresources?.status !== undefined;
  const scale = version.subresources?.scale;
  const compiled = compiledOf(serving, apiVersion);
  const manager = {
    schema,
    apiVersion,
    kind: names.kind,
    hasStatusSubresource: hasStatus,
    convert: (object: KubeObject, toApiVersion: string) => convertNow(converter, object, toApiVersion),
    schemaOf: (other: string) => schemaOfVersion(crd, other),
  };
  return {
    origin: 'custom',
    group,
    version: version.name,
    apiVersion,
    resource: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    namespaced: crd.spec.scope === 'Namespaced',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: customVerbs,
    bucket: bucketOf(group, names.plural),
    isStorageVersion: version.storage,
    isServed: version.served,
    hasStatus,
    scale: scale === undefined ? undefined : { labelSelectorPath: undefined, ...scale },
    extraSubresources: [],
    nameRule: 'dns-subdomain',
    allowsUnconditionalUpdate: false,
    allowsCreateOnUpdate: false,
    schema,
    compiled,
    strategy: { hasGeneration: true },
    table: customTable(version.additionalPrinterColumns),
    fieldManager: createFieldManager(manager),
    selectableFields: selectable(version),
    deprecationWarning: deprecation(crd, version),
    ...codec(crd, apiVersion, serving),
  };
}

function schemaOfVersion(crd: Crd, apiVersion: string): JsonSchema | undefined {
  const found = crd.spec.versions.find((v) => v.served && apiVersionOf(crd.spec.group, v.name) === apiVersion);
  return found === undefined ? undefined : (found.schema?.openAPIV3Schema ?? {});
}

/** Field managers need the converted object at once; see PendingConversion for webhooks, which need time. */
function convertNow(converter: Converter, object: KubeObject, toApiVersion: string): KubeObject {
  if (converter.convertNow !== undefined) return converter.convertNow(object, toApiVersion);
  const converted = converter.convert([object], toApiVersion);
  return Array.isArray(converted) ? (converted[0] ?? object) : { ...object, apiVersion: toApiVersion };
}

function selectable(version: CrdVersion): Record<string, (object: KubeObject) => string> {
  const fields: Record<string, (object: KubeObject) => string> = {};
  for (const { jsonPath } of version.selectableFields ?? []) {
    const path = compileJsonPath(jsonPath);
    if ('error' in path) continue; // the CustomResourceDefinition was refused with this path
    fields[jsonPath.replace(/^\./, '')] = (object) => {
      const value = path.find(asJson(object))[0];
      return value === undefined || value === null ? '' : String(value);
    };
  }
  return fields;
}

function deprecation(crd: Crd, version: CrdVersion): string | undefined {
  if (version.deprecated !== true) return undefined;
  const { group, names } = crd.spec;
  return version.deprecationWarning ?? `${group}/${version.name} ${names.kind} is deprecated`;
}

function compiledOf({ schemaOf }: Serving, apiVersion: string): CompiledSchema {
  const compiled = schemaOf(apiVersion);
  if (compiled === undefined) throw new Error(`${apiVersion} is not a version of this definition`);
  return compiled;
}

type Codec = Pick<ServedResource, 'render' | 'read' | 'toStorage' | 'isWrittenByThis'>;

/**
 * A stored text can be served as it is when it is of this version and was written by this very definition. All others
 * are pruned, defaulted and converted on every read, as kube-apiserver does; the text is kept.
 */
function codec(crd: Crd, apiVersion: string, serving: Serving): Codec {
  const { converter, era, schemaOf } = serving;
  const storage = crd.spec.versions.find((v) => v.storage);
  const storageApiVersion = storage === undefined ? apiVersion : apiVersionOf(crd.spec.group, storage.name);
  const isWrittenByThis = ({ revision }: Stored): boolean => revision > era.after && revision <= era.until;
  const isRaw = (stored: Stored): boolean => apiVersion === storageApiVersion && isWrittenByThis(stored);

  const read = (stored: Stored): KubeObject | Promise<KubeObject> => {
    const object = JSON.parse(stored.json) as KubeObject;
    if (isRaw(stored)) return object;
    if (object.apiVersion !== apiVersion) fit(schemaOf(object.apiVersion), object);
    return convertOne(converter, object, apiVersion, (converted) => fit(schemaOf(apiVersion), converted));
  };
  return {
    isWrittenByThis,
    read,
    render: renderer(isRaw, read),
    toStorage: (object) => {
      if (storageApiVersion === object.apiVersion) return object;
      // A copy: what the storage version cannot hold is still the caller's to look at.
      return convertOne(converter, copyObject(object), storageApiVersion, (converted) =>
        fit(schemaOf(storageApiVersion), converted),
      );
    },
  };
}

/** Takes out what a version does not know, and fills in what it always has. */
function fit(schema: CompiledSchema | undefined, object: KubeObject): void {
  schema?.prune(asJson(object));
  schema?.applyDefaults(asJson(object));
}

/** Texts that had to be made are kept for as long as the stored version is. */
function renderer(isRaw: (stored: Stored) => boolean, read: Codec['read']): Codec['render'] {
  const texts = new WeakMap<Stored, string>();
  return (stored) => {
    if (isRaw(stored)) return stored.json;
    const known = texts.get(stored);
    if (known !== undefined) return known;
    const keep = (object: KubeObject): string => {
      const text = JSON.stringify(object);
      // Mostly nothing had to be changed; then the text that is in memory already is the one to keep.
      const kept = text === stored.json ? stored.json : text;
      texts.set(stored, kept);
      return kept;
    };
    const object = read(stored);
    return object instanceof Promise ? object.then(keep) : keep(object);
  };
}

function convertOne(
  converter: Converter,
  object: KubeObject,
  toApiVersion: string,
  finish: (object: KubeObject) => void,
): KubeObject | Promise<KubeObject> {
  const done = (converted: KubeObject): KubeObject => {
    finish(converted);
    return converted;
  };
  if (object.apiVersion === toApiVersion) return done(object);
  const converted = converter.convert([object], toApiVersion);
  if (converted instanceof Promise) return converted.then((list) => done(list[0] ?? object));
  return done(converted[0] ?? object);
}
