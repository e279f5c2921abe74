import type { AnyKubeObject } from '../../../src/kube/index.ts';
import type { FakeBmc, FakeIronic } from '../../../src/provisioners/ironic/testing/index.ts';
import type { ClusterObjects, ObjectName } from './cluster-objects.ts';

/** Where kinds of Metal3 are. */
export const metal3 = 'metal3.io/v1alpha1';
/** Where Clusters and Machines are. */
export const core = 'cluster.x-k8s.io/v1beta2';

/** The namespace in which all of it happens where there are no tenants. */
export const fleet = 'metal';

/** What a life is lived with. */
export interface Living {
  readonly objects: ClusterObjects;
  readonly ironic: FakeIronic;
  readonly bmcs: readonly FakeBmc[];
  /** A machine that nobody has registered. */
  readonly newcomer: FakeBmc;
  /** Where the switches are, if not where the hosts are: machines ask for networks there. */
  readonly switchesIn?: string;
}

/** A host by its name. */
export const host = (name: string): ObjectName => [metal3, 'BareMetalHost', name];

/** How far a host is. */
export function stateOf(object: AnyKubeObject | undefined): string | undefined {
  return (object?.status as { provisioning?: { state?: string } } | undefined)?.provisioning?.state;
}
