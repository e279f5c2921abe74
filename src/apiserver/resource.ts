import type { CompiledSchema, FieldError, JsonObject, JsonSchema } from '../schema/index.ts';
import type { NameRule } from './meta/names.ts';
import type { KubeObject } from './object.ts';
import type { ExtraSubresource } from './served-resource.ts';
import type { ObjectStore } from './store/store.ts';

/** Who makes a request. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What a strategy may look at while it prepares or checks an object. */
export interface StrategyContext {
  readonly now: Date;
  readonly user: UserInfo;
  readonly store: ObjectStore;
  /** Adds a `Warning:` header to the answer. */
  warn(text: string): void;
}

/** A column of Table output. */
export interface TableColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** Above 0: only with `-o wide`. */
  readonly priority?: number;
}

/** How a kind is shown as a table. */
export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  row(object: KubeObject, now: Date): unknown[];
  /** What else is to be said of a row, as conditions. */
  conditions?(object: KubeObject): JsonObject[] | undefined;
  /** A kind without a table of its own; an empty list of those has no rows at all, not a list of none. */
  readonly isPlain?: boolean;
}

/** A delete as a kind sees it. */
export interface DeletionRequest {
  readonly now: Date;
  readonly gracePeriodSeconds: number | undefined;
  /** Undefined: the request left it to the kind. */
  readonly propagationPolicy: 'Orphan' | 'Foreground' | 'Background' | undefined;
  /** Adds a `Warning:` header to the answer. */
  warn(text: string): void;
}

/** How an object goes. */
export interface DeletionPlan {
  /** It stays, marked, until somebody frees it. */
  readonly isHeld: boolean;
  /** How long it may take to stop: its deletionTimestamp is that far away. Undefined: the kind knows no such time. */
  readonly graceSeconds: number | undefined;
  /** Its last state carries a deletionTimestamp even when it goes at once. */
  readonly isMarked?: boolean;
}

/** What is special about a built-in kind. Every function mutates or judges the object it is given. */
export interface Strategy {
  /** True when `metadata.generation` counts changes outside metadata and status. */
  readonly hasGeneration?: boolean;
  /** Defaults and computed fields, on every write and before validation. */
  applyDefaults?(object: KubeObject): void;
  prepareForCreate?(object: KubeObject, context: StrategyContext): void;
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: StrategyContext): void;
  /** The same for a write of the status subresource, after everything but status came from the old object. */
  prepareForStatusUpdate?(object: KubeObject, old: KubeObject, context: StrategyContext): void;
  validate?(object: KubeObject, context: StrategyContext): FieldError[];
  validateUpdate?(object: KubeObject, old: KubeObject, context: StrategyContext): FieldError[];
  /** Checks of a status write; the status subresource keeps everything else from the old object. */
  validateStatusUpdate?(object: KubeObject, old: KubeObject, context: StrategyContext): FieldError[];
  /** Prepares the object for deletion in place, and says how it goes. */
  prepareForDelete?(object: KubeObject, request: DeletionRequest): DeletionPlan;
  /** True when the answer to a delete is the object that is gone, not a Status. */
  readonly returnsDeleted?: boolean;
  /** The propagation policy of a delete that names none; Background unless told. */
  readonly defaultPropagation?: 'Orphan' | 'Background';
  /** True when something in the object itself holds a deleted object that has no finalizers (Namespace). */
  isHeldWhenDeleted?(object: KubeObject): boolean;
  /** Field selectors beyond metadata.name and metadata.namespace, e.g. `{ 'spec.nodeName': o => o.spec?.nodeName }`. */
  readonly selectableFields?: Readonly<Record<string, (object: KubeObject) => string>>;
  /** How the object is changed before a client gets it (never stored). */
  present?(object: KubeObject): void;
}

/** A resource compiled into the server: everything the generic handlers need to serve it. */
export interface BuiltinResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs?: readonly string[];
  /** `status` served as a subresource. */
  readonly hasStatus: boolean;
  /** Default: dns-subdomain. */
  readonly nameRule?: NameRule;
  /** True when a PUT of a missing object creates it (Lease, RBAC kinds...). */
  readonly allowsCreateOnUpdate?: boolean;
  /** Default true; false where a PUT must carry a resourceVersion (CustomResourceDefinition...). */
  readonly allowsUnconditionalUpdate?: boolean;
  readonly extraSubresources?: readonly ExtraSubresource[];
  /** The whole object's schema, `$ref`-free, with list types and patch strategies. */
  readonly schema: JsonSchema;
  /** Decodes and checks the object where its schema cannot say how; compiled from the schema unless given. */
  readonly compiled?: CompiledSchema;
  readonly strategy: Strategy;
  readonly table: TablePrinter;
  /** Other group/versions that serve the same stored objects (events.k8s.io/v1 beside v1). */
  readonly aliasOf?: {
    readonly bucket: string;
    toStored(object: JsonObject): JsonObject;
    fromStored(object: JsonObject): JsonObject;
  };
}
