import type { CompiledSchema, JsonSchema } from '../schema/index.ts';
import type { FieldManager } from './field-manager/field-manager.ts';
import type { NameRule } from './meta/names.ts';
import type { KubeObject } from './object.ts';
import type { Strategy, TablePrinter } from './resource.ts';
import type { Stored } from './store/store.ts';

/** Where the scale subresource finds its numbers. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath: string | undefined;
}

/** A subresource beyond status and scale, as discovery lists it. */
export interface ExtraSubresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** One resource in one version, ready to be served by the generic handlers. */
export interface ServedResource {
  readonly origin: 'builtin' | 'custom';
  readonly group: string;
  readonly version: string;
  /** `version` for the core group, otherwise `group/version`. */
  readonly apiVersion: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** Where its objects are stored; several versions share one. */
  readonly bucket: string;
  readonly isStorageVersion: boolean;
  /** False for a storage version that clients may no longer use. */
  readonly isServed: boolean;
  readonly hasStatus: boolean;
  readonly scale: ScalePaths | undefined;
  readonly extraSubresources: readonly ExtraSubresource[];
  readonly nameRule: NameRule;
  /** True when a PUT without resourceVersion overwrites. */
  readonly allowsUnconditionalUpdate: boolean;
  /** True when a PUT of a missing object creates it. */
  readonly allowsCreateOnUpdate: boolean;
  readonly schema: JsonSchema;
  readonly compiled: CompiledSchema;
  readonly strategy: Strategy;
  readonly table: TablePrinter;
  readonly fieldManager: FieldManager;
  /** Fields usable in a field selector beyond metadata.name and metadata.namespace. */
  readonly selectableFields: Readonly<Record<string, (object: KubeObject) => string>>;
  /** A `Warning:` on every use of a deprecated version. */
  readonly deprecationWarning: string | undefined;
  /** The stored object as this version's JSON text. */
  render(stored: Stored): string | Promise<string>;
  /** The stored object parsed, in this version; a fresh copy each time. */
  read(stored: Stored): KubeObject | Promise<KubeObject>;
  /** True when the stored text was written by this very definition, so that writing it again would change nothing. */
  isWrittenByThis(stored: Stored): boolean;
  /** An object of this version in the version that is stored. */
  toStorage(object: KubeObject): KubeObject | Promise<KubeObject>;
}

/** Joins group and version as `apiVersion` does. */
export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The bucket of a resource. */
export function bucketOf(group: string, resource: string): string {
  return `${group}/${resource}`;
}
