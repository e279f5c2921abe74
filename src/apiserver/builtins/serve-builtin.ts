import { type CompiledSchema, compileSchema } from '../../schema/index.ts';
import { createFieldManager } from '../field-manager/index.ts';
import { asJson, asKubeObject, type KubeObject } from '../object.ts';
import type { BuiltinResource } from '../resource.ts';
import { apiVersionOf, bucketOf, type ServedResource } from '../served-resource.ts';
import type { Stored } from '../store/store.ts';
import { dropEmpty, writeNulls } from './drop-empty.ts';

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** Makes a compiled-in kind servable by the generic handlers. */
export function serveBuiltin(builtin: BuiltinResource): ServedResource {
  const { group, version, schema, kind } = builtin;
  const apiVersion = apiVersionOf(group, version);
  const manager = { schema, apiVersion, kind, hasStatusSubresource: builtin.hasStatus };
  return {
    origin: 'builtin',
    group,
    version,
    apiVersion,
    resource: builtin.resource,
    singular: builtin.singular,
    kind,
    listKind: `${kind}List`,
    namespaced: builtin.namespaced,
    shortNames: builtin.shortNames ?? [],
    categories: builtin.categories ?? [],
    verbs: builtin.verbs ?? allVerbs,
    bucket: builtin.aliasOf?.bucket ?? bucketOf(group, builtin.resource),
    isStorageVersion: builtin.aliasOf === undefined,
    isServed: true,
    hasStatus: builtin.hasStatus,
    scale: undefined,
    extraSubresources: builtin.extraSubresources ?? [],
    nameRule: builtin.nameRule ?? 'dns-subdomain',
    allowsUnconditionalUpdate: builtin.allowsUnconditionalUpdate ?? true,
    allowsCreateOnUpdate: builtin.allowsCreateOnUpdate ?? false,
    schema,
    compiled: compileBuiltin(builtin),
    strategy: builtin.strategy,
    table: builtin.table,
    fieldManager: createFieldManager(manager),
    selectableFields: builtin.strategy.selectableFields ?? {},
    deprecationWarning: undefined,
    ...codecOf(builtin),
  };
}

/** Defaults of built-in kinds come from their schemas and from code, and leave the object as Go would write it. */
function compileBuiltin({ schema, strategy, compiled: own }: BuiltinResource): CompiledSchema {
  const compiled = own ?? compileSchema(schema, { kind: 'builtin', isRoot: true });
  return {
    ...compiled,
    fillDefaults(object) {
      this.applyDefaults(object);
    },
    applyDefaults(object) {
      dropEmpty(object, schema);
      compiled.applyDefaults(object);
      strategy.applyDefaults?.(asKubeObject(object));
      writeNulls(object, schema);
    },
  };
}

type Codec = Pick<ServedResource, 'render' | 'read' | 'toStorage' | 'isWrittenByThis'>;

function codecOf({ aliasOf, strategy }: BuiltinResource): Codec {
  const present = strategy.present?.bind(strategy);
  const read = (stored: Stored): KubeObject => {
    const json = JSON.parse(stored.json);
    return aliasOf === undefined ? json : asKubeObject(aliasOf.fromStored(json));
  };
  const rewrite = (stored: Stored): string => {
    const object = read(stored);
    present?.(object);
    return JSON.stringify(object);
  };
  return {
    read,
    isWrittenByThis: () => true,
    render: aliasOf === undefined && present === undefined ? (stored) => stored.json : rewrite,
    toStorage: (object) => (aliasOf === undefined ? object : asKubeObject(aliasOf.toStored(asJson(object)))),
  };
}
