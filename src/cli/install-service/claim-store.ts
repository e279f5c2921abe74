import {
  type AnyKubeObject,
  createLeaseStore,
  isAlreadyExists,
  type KubeClient,
  KubeError,
  type LeaseStore,
  systemClock,
} from '../../kube/index.ts';
import { CliError } from '../errors.ts';
import { systemNamespace } from '../plane/system-namespace.ts';

const namespace = systemNamespace;
const name = 'rackwright-engine';

/**
 * Stamps the store of the engine into the Kubernetes plane, so that one fleet is never worked on by two engines that do
 * not know of each other. Another store is refused.
 */
export async function claimStore(
  client: KubeClient,
  storeId: string,
  { installed = false }: { readonly installed?: boolean } = {},
): Promise<void> {
  if (!installed) await makeSystemNamespace(client);
  const lease = createLeaseStore(client, { namespace, name });
  const holder = (await lease.get({}))?.holder ?? (await stamp(lease, storeId));
  if (holder === storeId) return;
  const text = `the fleet of ${client.server} belongs to another store of the work engine (${holder}; this one is ${storeId}). Start with that one (--data-dir or --database-url). If it is lost for good, and nothing works on the fleet any more: rackwright adopt-fleet --yes, with the same options`;
  throw new CliError('bad-data', text);
}

/** Refuses to work on the machines of a fleet past the engine that works on them; for whoever has no store. */
export async function refuseClaimedFleet(client: KubeClient): Promise<void> {
  const holder = (await createLeaseStore(client, { namespace, name }).get({}))?.holder;
  if (holder === undefined) return;
  const text = `a work engine looks after the fleet of ${client.server} too (its store is ${holder}): name that store with --database-url, so that no machine is worked on twice at once`;
  throw new CliError('bad-data', text);
}

/** Stamps the store into the plane whatever store was there before, and says which. */
export async function adoptStore(client: KubeClient, storeId: string): Promise<string | undefined> {
  await makeSystemNamespace(client);
  const lease = createLeaseStore(client, { namespace, name });
  const before = await lease.get({});
  if (before === undefined) await stamp(lease, storeId);
  else if (before.holder !== storeId)
    await lease.update({ ...before, holder: storeId, acquireTime: systemClock.now() }, {});
  return before?.holder;
}

/** Makes the namespace that leases are kept in. */
export async function makeSystemNamespace(client: KubeClient): Promise<void> {
  const ref = { group: '', version: 'v1', resource: 'namespaces', namespaced: false, kind: 'Namespace' };
  try {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await client.resource<AnyKubeObject>(ref).create(object as unknown as AnyKubeObject);
  } catch (error) {
    // Who may not make one can still use the one that an administrator made; if there is none, the Lease says so.
    const isForbidden = error instanceof KubeError && error.reason === 'Forbidden';
    if (!isAlreadyExists(error) && !isForbidden) throw error;
  }
}

/** Gives who holds it then: another process may have been faster. */
async function stamp(lease: LeaseStore, storeId: string): Promise<string> {
  const now = systemClock.now();
  const mine = { holder: storeId, durationMs: 1000, renewTime: now, acquireTime: now, transitions: 0 };
  try {
    return (await lease.create({ ...mine, resourceVersion: undefined }, {})).holder;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return (await lease.get({}))?.holder ?? '';
  }
}
