import type { ServerCore } from '../core.ts';
import { deleteObject } from '../handlers/delete.ts';
import { systemContext, systemDeletion } from '../handlers/system-context.ts';
import type { KubeObject } from '../object.ts';
import type { ServedResource } from '../served-resource.ts';
import { ApiError, qualifiedResource } from '../status.ts';
import type { Stored } from '../store/store.ts';

/** What is left in a namespace after everything in it was asked to go. */
export interface RemainingContent {
  /** `resource.group` to how many are left; the core group is the empty text after the dot. */
  readonly resources: ReadonlyMap<string, number>;
  /** How many objects wait for each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Why something could not be deleted. */
  readonly failures: readonly string[];
}

const podBucket = '/pods';
/** How many deletes are on their way to disk at once. */
const batchSize = 200;

/** Deletes everything in a namespace: pods first, and while there are pods nothing else, since they may use the rest. */
export async function deleteNamespaceContent(core: ServerCore, namespace: string): Promise<RemainingContent> {
  const all = [...core.registry.stored()].filter((served) => served.namespaced);
  const remaining = { resources: new Map(), finalizers: new Map(), failures: [] };
  const pods = all.filter(({ bucket }) => bucket === podBucket);
  for (const served of pods) await empty(core, served, namespace, remaining);
  if (remaining.resources.size > 0) return remaining;
  for (const served of all) if (served.bucket !== podBucket) await empty(core, served, namespace, remaining);
  return remaining;
}

interface Tally {
  readonly resources: Map<string, number>;
  readonly finalizers: Map<string, number>;
  readonly failures: string[];
}

async function empty(core: ServerCore, served: ServedResource, namespace: string, tally: Tally): Promise<void> {
  const found = itemsOf(core, served, namespace);
  for (let at = 0; at < found.length; at += batchSize) {
    const batch = found.slice(at, at + batchSize);
    await Promise.all(batch.map((stored) => deleteOne(core, served, stored, tally)));
  }
  const left = found.length === 0 ? [] : itemsOf(core, served, namespace);
  if (left.length === 0) return;
  tally.resources.set(`${served.resource}.${served.group}`, left.length);
  for (const { json } of left) {
    for (const finalizer of (JSON.parse(json) as KubeObject).metadata.finalizers ?? []) {
      tally.finalizers.set(finalizer, (tally.finalizers.get(finalizer) ?? 0) + 1);
    }
  }
}

function itemsOf(core: ServerCore, { bucket }: ServedResource, namespace: string): Stored[] {
  const page = core.store.list({ bucket, namespace });
  return page === 'expired' ? [] : page.items;
}

async function deleteOne(core: ServerCore, served: ServedResource, stored: Stored, tally: Tally): Promise<void> {
  const { bucket, namespace, name } = stored;
  if (isDying(stored)) return;
  const context = systemContext(core, served, { verb: 'delete', namespace, name });
  const options = systemDeletion({ propagationPolicy: 'Background' });
  try {
    await deleteObject(core, context, served, { key: { bucket, namespace, name }, options });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code !== 404) tally.failures.push(`${qualifiedResource(served)} "${name}": ${error.message}`);
  }
}

function isDying({ json }: Stored): boolean {
  if (!json.includes('"deletionTimestamp"')) return false;
  return (JSON.parse(json) as KubeObject).metadata.deletionTimestamp !== undefined;
}
