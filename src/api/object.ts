import type { ObjectMeta } from '../schema/index.ts';

export type { ObjectMeta, OwnerReference } from '../schema/index.ts';

/** An object of a declared kind; `spec` and `status` come from its schemas. */
export interface CustomResource<ApiVersion extends string, Kind extends string, Spec, Status> {
  apiVersion: ApiVersion;
  kind: Kind;
  metadata: ObjectMeta;
  spec: Spec;
  status?: Status;
}

/** An object of a kind that does not insist on a spec, as most Metal3 kinds do not: a manifest without one is stored. */
export interface LenientResource<ApiVersion extends string, Kind extends string, Spec, Status>
  extends Omit<CustomResource<ApiVersion, Kind, Spec, Status>, 'spec'> {
  spec?: Spec;
}
