import type { TSchema } from 'typebox';
import type { JsonObject, ValidationRule } from '../schema/index.ts';

/** A printer column of a kind, as `kubectl get` shows it. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  /** 1: only with `-o wide`. */
  readonly priority?: number;
}

/** One served version of a kind. */
export interface KindVersion<Spec extends TSchema = TSchema, Status extends TSchema = TSchema> {
  readonly version: string;
  readonly storage: boolean;
  readonly served?: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly spec?: Spec;
  readonly status?: Status;
  /** Schema parts at the root that are neither spec nor status (e.g. `data`). */
  readonly extra?: Readonly<Record<string, TSchema>>;
  /** Which of the root properties must be there: `['spec']`. */
  readonly required?: readonly string[];
  /** CEL rules on the whole object. */
  readonly rules?: readonly ValidationRule[];
  readonly hasStatusSubresource: boolean;
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath?: string;
  };
  readonly columns: readonly PrinterColumn[];
  /** JSON paths that field selectors may name; the server takes at most 8. */
  readonly selectableFields?: readonly string[];
}

/** A kind, declared once: type, validator, CRD and reference page come from this value. */
export interface KindDeclaration {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly description: string;
  /** Labels of the CRD itself, such as the Cluster API contract labels. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly versions: readonly KindVersion[];
  /** One object a reader may copy; shown on the reference page and checked by the tests. */
  readonly example?: Readonly<Record<string, unknown>>;
}

/** Keeps the literal types of a declaration while checking its shape. */
export function declareKind<const K extends KindDeclaration>(kind: K): K {
  return kind;
}

/** The column every kind ends with. */
export const ageColumn: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since the object was created.',
};

/** `group/version`, as objects carry it in `apiVersion`. */
export function apiVersionOf(kind: KindDeclaration, version: KindVersion): string {
  return `${kind.group}/${version.version}`;
}

/** The version objects are stored in; every declaration has exactly one. */
export function storageVersionOf(kind: KindDeclaration): KindVersion {
  const stored = kind.versions.filter((version) => version.storage);
  const [only] = stored;
  if (only === undefined || stored.length > 1) {
    throw new Error(`${kind.kind} must have exactly one storage version, it has ${stored.length}`);
  }
  return only;
}

/** A declared example, seen as JSON. */
export function exampleOf(kind: KindDeclaration): JsonObject | undefined {
  return kind.example as JsonObject | undefined;
}

export {
  AnyObject,
  describe,
  Flag,
  IntOrString,
  List,
  ListMap,
  ListSet,
  MapOf,
  Nullable,
  Real,
  type SchemaOptions,
  StringEnum,
  Struct,
  Text,
  Time,
  Whole,
} from './shapes.ts';
