import type { ServerCore } from '../core.ts';
import { deleteObject } from '../handlers/delete.ts';
import { systemContext, systemDeletion, systemWrite } from '../handlers/system-context.ts';
import { updateObject } from '../handlers/update.ts';
import type { KubeObject, OwnerReference } from '../object.ts';
import { ApiError } from '../status.ts';
import type { Key, Stored } from '../store/store.ts';

const manager = 'kube-controller-manager';

/** What the garbage collector does to objects. All of it may be done twice. */
export class CollectorWrites {
  readonly #core: ServerCore;

  constructor(core: ServerCore) {
    this.#core = core;
  }

  /** Deletes this very version of an object; false when it changed meanwhile and must be judged again. */
  async delete(stored: Stored, propagationPolicy: 'Foreground' | undefined): Promise<boolean> {
    const { bucket, namespace, name } = stored;
    const served = this.#core.registry.storage(bucket);
    if (served === undefined) return true;
    const options = systemDeletion({
      propagationPolicy: propagationPolicy ?? policyOf(stored),
      preconditions: { uid: stored.uid, resourceVersion: String(stored.revision) },
    });
    const context = systemContext(this.#core, served, { verb: 'delete', namespace, name });
    try {
      await deleteObject(this.#core, context, served, { key: { bucket, namespace, name }, options });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 409) return false;
      if (error.code !== 404) throw error;
    }
    return true;
  }

  /** Takes references to these owners off an object. */
  async removeOwners(key: Key, uids: ReadonlySet<string>): Promise<void> {
    await this.#change(key, undefined, (object) => {
      setOwners(
        object,
        (object.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid)),
      );
    });
  }

  /** Takes a finalizer off an object. */
  async removeFinalizer(stored: Stored, finalizer: string): Promise<void> {
    await this.#change(stored, stored.uid, ({ metadata }) => {
      const rest = (metadata.finalizers ?? []).filter((each) => each !== finalizer);
      if (rest.length > 0) metadata.finalizers = rest;
      else delete metadata.finalizers;
    });
  }

  async #change(at: Key, uid: string | undefined, edit: (object: KubeObject) => void): Promise<void> {
    const key = { bucket: at.bucket, namespace: at.namespace, name: at.name };
    const served = this.#core.registry.storage(key.bucket);
    if (served === undefined) return;
    const context = systemContext(this.#core, served, { verb: 'patch', namespace: key.namespace, name: key.name });
    try {
      await updateObject(this.#core, context, served, {
        key,
        subresource: '',
        options: systemWrite('PatchOptions', manager),
        isManaged: false,
        transform: (live) => {
          // Another object of the same name is none of our business.
          if (uid === undefined || live.metadata.uid === uid) edit(live);
          return live;
        },
      });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404) throw error;
    }
  }
}

function setOwners(object: KubeObject, owners: OwnerReference[]): void {
  if (owners.length > 0) object.metadata.ownerReferences = owners;
  else delete object.metadata.ownerReferences;
}

/** What was asked for when the object itself was to be deleted, if anything was. */
function policyOf(stored: Stored): 'Orphan' | 'Foreground' | 'Background' {
  const { finalizers = [] } = (JSON.parse(stored.json) as KubeObject).metadata;
  if (finalizers.includes('orphan')) return 'Orphan';
  return finalizers.includes('foregroundDeletion') ? 'Foreground' : 'Background';
}
