import type { Attribute, VersionedAttribute } from '../attributes/attribute.ts';
import type { AttributeDraft } from '../attributes/attributes.ts';

/** A kind of part. */
export interface ComponentType {
  readonly id: string;
  readonly name: string;
  /** `storage-controller`. */
  readonly slug: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A part of a server. */
export interface ComponentRecord {
  readonly id: string;
  readonly serverId: string;
  /** The slug of its type. */
  readonly type: string;
  readonly typeName: string;
  readonly name: string;
  readonly vendor: string;
  readonly model: string;
  /** Empty where nobody knows it. */
  readonly serial: string;
  /** Where in the server it is; empty for parts that an inventory did not read. */
  readonly slot: string;
  readonly attributes: readonly Attribute[];
  readonly versionedAttributes: readonly VersionedAttribute[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A part to be written; type and slot tell parts of a server apart, or type and serial where no slot is known. */
export interface ComponentDraft {
  readonly type: string;
  readonly serial: string;
  readonly slot?: string | undefined;
  readonly name?: string | undefined;
  readonly vendor?: string | undefined;
  readonly model?: string | undefined;
  readonly attributes?: readonly AttributeDraft[] | undefined;
  readonly versionedAttributes?: readonly AttributeDraft[] | undefined;
}

/** Which parts to list. */
export interface ComponentQuery {
  readonly serverId?: string | undefined;
  readonly type?: string | undefined;
  readonly name?: string | undefined;
  readonly vendor?: string | undefined;
  readonly model?: string | undefined;
  readonly serial?: string | undefined;
}
