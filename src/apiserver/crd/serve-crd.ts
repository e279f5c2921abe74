import { compileJsonPath, compileSchema, type JsonSchema } from '../../schema/index.ts';
import { createFieldManager } from '../field-manager/index.ts';
import { asJson, type KubeObject } from '../object.ts';
import { apiVersionOf, bucketOf, type ServedResource } from '../served-resource.ts';
import type { Stored } from '../store/store.ts';
import type { Converter } from './conversion.ts';
import type { Crd, CrdVersion } from './crd-object.ts';
import { customTable } from './table-columns.ts';

const customVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** Makes every served version of a CustomResourceDefinition servable. `epoch`: see `rawReader`. */
export function serveCrd(crd: Crd, converter: Converter, epoch: number): ServedResource[] {
  return crd.spec.versions.filter((v) => v.served || v.storage).map((v) => serveVersion(crd, v, converter, epoch));
}

function serveVersion(crd: Crd, version: CrdVersion, converter: Converter, epoch: number): ServedResource {
  const { group, names } = crd.spec;
  const apiVersion = apiVersionOf(group, version.name);
  const schema = version.schema?.openAPIV3Schema ?? {};
  const hasStatus = version.subresources?.status !== undefined;
  const scale = version.subresources?.scale;
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
    compiled: compileSchema(schema, { kind: 'custom', isRoot: true }),
    strategy: { hasGeneration: true },
    table: customTable(version.additionalPrinterColumns),
    fieldManager: createFieldManager(manager),
    selectableFields: selectable(version),
    deprecationWarning: deprecation(crd, version),
    ...codec(crd, version, schema, converter, epoch),
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

type Codec = Pick<ServedResource, 'render' | 'read' | 'toStorage'>;

/**
 * A stored text can be served as it is when it was written in this version after the schema last changed (`epoch`, a
 * revision). Older ones are pruned, defaulted and converted on every read, as kube-apiserver does; the text is kept.
 */
function codec(crd: Crd, version: CrdVersion, schema: JsonSchema, converter: Converter, epoch: number): Codec {
  const storage = crd.spec.versions.find((v) => v.storage) ?? version;
  const storageApiVersion = apiVersionOf(crd.spec.group, storage.name);
  const apiVersion = apiVersionOf(crd.spec.group, version.name);
  const storageSchema = compileSchema(storage.schema?.openAPIV3Schema ?? {}, { kind: 'custom', isRoot: true });
  const requestSchema = compileSchema(schema, { kind: 'custom', isRoot: true });
  const texts = new WeakMap<Stored, string>();
  const isRaw = (stored: Stored): boolean => apiVersion === storageApiVersion && stored.revision > epoch;

  const read = (stored: Stored): KubeObject | Promise<KubeObject> => {
    const object = JSON.parse(stored.json) as KubeObject;
    if (isRaw(stored)) return object;
    if (object.apiVersion === storageApiVersion) {
      storageSchema.prune(asJson(object));
      storageSchema.applyDefaults(asJson(object));
    }
    return convertOne(converter, object, apiVersion, (converted) => {
      requestSchema.prune(asJson(converted));
      requestSchema.applyDefaults(asJson(converted));
    });
  };
  return {
    read,
    render(stored) {
      if (isRaw(stored)) return stored.json;
      const known = texts.get(stored);
      if (known !== undefined) return known;
      const keep = (object: KubeObject): string => {
        const text = JSON.stringify(object);
        texts.set(stored, text);
        return text;
      };
      const object = read(stored);
      return object instanceof Promise ? object.then(keep) : keep(object);
    },
    toStorage: (object) =>
      convertOne(converter, object, storageApiVersion, (converted) => {
        if (storageApiVersion !== apiVersion) storageSchema.applyDefaults(asJson(converted));
      }),
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
