import type { JsonObject } from '../../engine/index.ts';

/** Whose attribute it is. */
export interface AttributeOwner {
  readonly kind: 'server' | 'component' | 'firmware-set';
  readonly id: string;
}

/** Something that was noted about a server, a component or a firmware set, under a name of its own. */
export interface Attribute {
  /** `sh.hollow.bmc_info`. */
  readonly namespace: string;
  readonly data: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** An attribute of which every version is kept. */
export interface VersionedAttribute extends Attribute {
  /** Grows by one with each version. */
  readonly version: number;
  /** How often the same data was written again. */
  readonly tally: number;
}
