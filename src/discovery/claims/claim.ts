import { type KubeObject, type ObjectMeta, parseKey } from '../../kube/index.ts';
import { claimLabel } from '../resources.ts';

/** A Lease as far as claims go. */
export interface ClaimObject extends KubeObject {
  metadata: ObjectMeta;
  spec?: { holderIdentity?: string; acquireTime?: string; renewTime?: string; leaseTransitions?: number };
}

/** Which host a machine becomes: whoever creates a host writes that down first, under the name of the MAC. */
export interface Claim {
  readonly mac: string;
  /** The host, as `namespace/name`. */
  readonly host: string;
}

/** The name of the claim of a MAC. */
export function claimNameOf(mac: string): string {
  return `host-${mac.replaceAll(':', '-')}`;
}

/** What a claim says; undefined for what is none. */
export function readClaim({ metadata, spec }: ClaimObject): Claim | undefined {
  const [, dashed] = /^host-([0-9a-f]{2}(?:-[0-9a-f]{2})+)$/.exec(metadata.name ?? '') ?? [];
  const host = spec?.holderIdentity ?? '';
  if (dashed === undefined || parseKey(host).namespace === undefined) return undefined;
  return { mac: dashed.replaceAll('-', ':'), host };
}

/** A claim as an object; of one that is there, its next version. */
export function writeClaim(
  { mac, host }: Claim,
  at: { readonly namespace: string; readonly now: number; readonly before?: ClaimObject | undefined },
): ClaimObject {
  const time = new Date(at.now).toISOString().replace('Z', '000Z');
  const { before } = at;
  const isSame = before?.spec?.holderIdentity === host;
  const acquireTime = isSame ? (before.spec?.acquireTime ?? time) : time;
  const turns = (before?.spec?.leaseTransitions ?? 0) + (before === undefined || isSame ? 0 : 1);
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      namespace: at.namespace,
      name: claimNameOf(mac),
      labels: { [claimLabel.name]: claimLabel.value },
      ...(before?.metadata.resourceVersion === undefined ? {} : { resourceVersion: before.metadata.resourceVersion }),
      ...(before?.metadata.uid === undefined ? {} : { uid: before.metadata.uid }),
    },
    spec: { holderIdentity: host, acquireTime, renewTime: time, leaseTransitions: turns },
  };
}
