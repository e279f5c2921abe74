/** A reference to the object that owns another. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** What every Kubernetes object carries in `metadata`. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
}

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
