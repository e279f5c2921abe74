import { isNotFound, type KubeClient, type KubeObject, parseKey } from '../../kube/index.ts';
import { fieldManager, resources } from '../resources.ts';
import { type ClaimObject, claimNameOf } from './claim.ts';
import type { ClaimDesk, NewHost } from './claim-host.ts';

/** Claims and hosts of the Kubernetes API. */
export function createClaimDesk(
  client: KubeClient,
  options: { readonly namespace: string; readonly requestMs: number; readonly signal?: AbortSignal | undefined },
): ClaimDesk {
  const { namespace, requestMs, signal } = options;
  const claims = client.resource<ClaimObject>(resources.claims);
  const hosts = client.resource<NewHost>(resources.hosts);
  const call = { timeoutMs: requestMs, ...(signal === undefined ? {} : { signal }) };
  const write = { ...call, fieldManager };
  return {
    readClaim: (mac) => unlessMissing(claims.get({ namespace, name: claimNameOf(mac) }, call)),
    createClaim: (claim) => claims.create(claim, write),
    replaceClaim: (claim) => claims.replace(claim, write),
    async deleteClaim({ metadata }) {
      const { uid = '', resourceVersion = '', name = '' } = metadata;
      await claims.delete({ namespace, name }, { ...call, preconditions: { uid, resourceVersion } });
    },
    readHost: (key) => unlessMissing(hosts.get(parseKey(key), call)),
    createHost: (host) => hosts.create(host, write),
  };
}

async function unlessMissing<T extends KubeObject>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
