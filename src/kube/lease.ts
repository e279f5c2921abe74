import { randomUUID } from 'node:crypto';
import type { KubeClient } from './client/client.ts';
import type { CallOptions } from './client/request.ts';
import { isNotFound } from './errors.ts';
import type { KubeObject, ResourceRef } from './object.ts';

/** Who leads, as the lease says it. */
export interface Lease {
  /** Empty when nobody holds it. */
  readonly holder: string;
  readonly durationMs: number;
  /** Wall time in milliseconds, for people to read; never compared. */
  readonly renewTime: number;
  readonly acquireTime: number;
  readonly transitions: number;
  readonly resourceVersion: string | undefined;
}

/** One lease in a store where a write based on an old version fails with a conflict. */
export interface LeaseStore {
  /** For logs and metrics. */
  readonly name: string;
  get(options: CallOptions): Promise<Lease | undefined>;
  create(lease: Lease, options: CallOptions): Promise<Lease>;
  update(lease: Lease, options: CallOptions): Promise<Lease>;
}

/** Where the Kubernetes API keeps leases. */
export const leases: ResourceRef = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  namespaced: true,
  kind: 'Lease',
};

interface LeaseObject extends KubeObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

/** The lease of a controller set; one that is limited to a namespace has a lease of its own. */
export function leaseNameOf(controllerSet: string, watchedNamespace?: string): string {
  return watchedNamespace === undefined
    ? `rackwright-${controllerSet}`
    : `rackwright-${controllerSet}-${watchedNamespace}`;
}

/** An identity that no other process has. */
export function uniqueIdentity(host: string): string {
  return `${host}_${randomUUID()}`;
}

/** A lease kept by the Kubernetes API. */
export function createLeaseStore(
  client: KubeClient,
  at: { readonly namespace: string; readonly name: string },
): LeaseStore {
  const resource = client.resource<LeaseObject>(leases);
  return {
    name: `${at.namespace}/${at.name}`,
    async get(options) {
      try {
        return decode(await resource.get(at, options));
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    create: async (lease, options) => decode(await resource.create(encode(at, lease), options)),
    update: async (lease, options) => decode(await resource.replace(encode(at, lease), options)),
  };
}

function decode(object: LeaseObject): Lease {
  const spec = object.spec ?? {};
  return {
    holder: spec.holderIdentity ?? '',
    durationMs: (spec.leaseDurationSeconds ?? 0) * 1000,
    renewTime: Date.parse(spec.renewTime ?? '') || 0,
    acquireTime: Date.parse(spec.acquireTime ?? '') || 0,
    transitions: spec.leaseTransitions ?? 0,
    resourceVersion: object.metadata?.resourceVersion,
  };
}

function encode(at: { readonly namespace: string; readonly name: string }, lease: Lease): LeaseObject {
  const { resourceVersion } = lease;
  return {
    metadata: { ...at, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    spec: {
      holderIdentity: lease.holder,
      leaseDurationSeconds: Math.max(1, Math.round(lease.durationMs / 1000)),
      acquireTime: microTime(lease.acquireTime),
      renewTime: microTime(lease.renewTime),
      leaseTransitions: lease.transitions,
    },
  };
}

/** Kubernetes MicroTime: six digits of fraction. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
