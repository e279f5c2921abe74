import type { JsonObject } from '../../schema/index.ts';
import type { KubeObject } from '../object.ts';
import type { UserInfo } from '../resource.ts';
import type { ServedResource } from '../served-resource.ts';

/** A write on its way in, as admission sees it. */
export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: ServedResource;
  readonly subresource: string;
  /** The kind of `object` where it is not that of the resource: an Eviction posted to pods/eviction. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly namespace: string;
  readonly name: string;
  /** Absent for DELETE. */
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions. */
  readonly options: JsonObject;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Adds a `Warning:` header to the answer. */
  warn(text: string): void;
}

/** What stands between a well-formed write and the store. Both throw ApiError to refuse. */
export interface Admission {
  /** True when nothing would be called; lets the hot path skip building attributes. */
  isIdle(resource: ServedResource, operation: AdmissionAttributes['operation']): boolean;
  /** Returns the object to go on with: the same one, or a changed copy. */
  mutate(attributes: AdmissionAttributes): Promise<KubeObject | undefined>;
  validate(attributes: AdmissionAttributes): Promise<void>;
}

/** Lets everything through. */
export const openAdmission: Admission = {
  isIdle: () => true,
  mutate: async (attributes) => attributes.object,
  validate: async () => undefined,
};
