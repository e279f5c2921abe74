import type { JsonObject, JsonSchema } from '../../schema/index.ts';
import { asJson, asKubeObject, type KubeObject } from '../object.ts';
import { compileObjectType, type MergeType } from './merge-type.ts';
import { isBuiltIn } from './zero-object.ts';

/** Conversion to a kind's other versions, for owners that wrote in one of them. */
export interface OtherVersions {
  /** The schema of that version, undefined when it is not served any more; absent: all versions share one schema. */
  schemaOf?(apiVersion: string): JsonSchema | undefined;
  /** The object in another version. */
  convert(object: KubeObject, toApiVersion: string): KubeObject;
}

/** An object seen in one version. */
export interface Versioned {
  readonly apiVersion: string;
  readonly type: MergeType;
  readonly object: JsonObject;
}

/** A kind in all its versions; the one of the request is at hand, the others are made when an owner needs them. */
export class KindVersions {
  readonly own: { readonly apiVersion: string; readonly type: MergeType };
  readonly #others: OtherVersions | undefined;
  readonly #types = new Map<string, MergeType | undefined>();

  constructor(own: { apiVersion: string; schema: JsonSchema }, others: OtherVersions | undefined) {
    this.own = { apiVersion: own.apiVersion, type: compile(own) };
    this.#others = others;
    this.#types.set(own.apiVersion, this.own.type);
  }

  /** The type of that version; undefined when it is not served. */
  typeOf(apiVersion: string): MergeType | undefined {
    if (!this.#types.has(apiVersion)) {
      this.#types.set(apiVersion, this.#compile(apiVersion));
    }
    return this.#types.get(apiVersion);
  }

  #compile(apiVersion: string): MergeType | undefined {
    if (this.#others === undefined) return undefined;
    if (this.#others.schemaOf === undefined) return this.own.type;
    const schema = this.#others.schemaOf(apiVersion);
    return schema === undefined ? undefined : compile({ apiVersion, schema });
  }

  /** The object in that version; undefined when it is not served. */
  at(versioned: Versioned, apiVersion: string): Versioned | undefined {
    if (versioned.apiVersion === apiVersion) return versioned;
    const type = this.typeOf(apiVersion);
    if (type === undefined || this.#others === undefined) return undefined;
    return { apiVersion, type, object: asJson(this.#others.convert(asKubeObject(versioned.object), apiVersion)) };
  }

  /** The object in the version of the request. */
  ownVersion(object: JsonObject): Versioned {
    return { ...this.own, object };
  }
}

function compile({ apiVersion, schema }: { apiVersion: string; schema: JsonSchema }): MergeType {
  return compileObjectType(schema, { isBuiltIn: isBuiltIn(apiVersion) });
}
