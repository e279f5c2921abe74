import {
  type AnyKubeObject,
  createLeaseStore,
  isAlreadyExists,
  type KubeClient,
  type LeaseStore,
  systemClock,
} from '../../kube/index.ts';
import { CliError } from '../errors.ts';

const namespace = 'rackwright-system';
const name = 'rackwright-engine';

/**
 * Stamps the store of the engine into the Kubernetes plane, so that one fleet is never worked on by two engines that do
 * not know of each other. Another store is refused.
 */
export async function claimStore(client: KubeClient, storeId: string): Promise<void> {
  await makeNamespace(client);
  const lease = createLeaseStore(client, { namespace, name });
  const holder = (await lease.get({}))?.holder ?? (await stamp(lease, storeId));
  if (holder === storeId) return;
  const text = `the fleet of ${client.server} belongs to another store of the work engine (${holder}; this one is ${storeId}). Start with that one (--data-dir or --database-url). If it is lost for good, and nothing works on the fleet any more: rackwright delete lease ${name} -n ${namespace}`;
  throw new CliError('bad-data', text);
}

async function makeNamespace(client: KubeClient): Promise<void> {
  const ref = { group: '', version: 'v1', resource: 'namespaces', namespaced: false, kind: 'Namespace' };
  try {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await client.resource<AnyKubeObject>(ref).create(object as unknown as AnyKubeObject);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
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
