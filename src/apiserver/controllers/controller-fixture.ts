import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { openAdmission } from '../admission/admission.ts';
import { ensure } from '../bootstrap.ts';
import { builtinResources } from '../builtins/index.ts';
import { loadBuiltinSchemas } from '../builtins/schemas.ts';
import { serveBuiltin } from '../builtins/serve-builtin.ts';
import type { ServerCore } from '../core.ts';
import { createObject } from '../handlers/create.ts';
import { type DeleteResult, deleteObject } from '../handlers/delete.ts';
import type { DeleteOptions } from '../handlers/delete-options.ts';
import { EventBytes } from '../handlers/event-bytes.ts';
import { systemContext, systemDeletion, systemWrite } from '../handlers/system-context.ts';
import { updateObject } from '../handlers/update.ts';
import { asJson, type KubeObject } from '../object.ts';
import { usualLimits } from '../overload/limits.ts';
import { WatchGuard } from '../overload/watch-guard.ts';
import { ResourceRegistry } from '../registry.ts';
import { openStore } from '../store/open-store.ts';
import type { Key, ObjectStore, Stored } from '../store/store.ts';

const builtins = builtinResources(loadBuiltinSchemas()).map(serveBuiltin);

/** For tests: the parts of a server without its front door, on a store in this directory. */
export async function openCore(directory: string, now: () => Date = () => new Date()): Promise<ServerCore> {
  const store = await openStore({ directory });
  return coreOn(store, now);
}

/** For tests: the same on a store that is open already. */
export function coreOn(store: ObjectStore, now: () => Date = () => new Date()): ServerCore {
  const registry = new ResourceRegistry();
  for (const served of builtins) registry.add(served);
  return {
    store,
    registry,
    admission: openAdmission,
    events: new EventBytes(),
    watches: new WatchGuard(usualLimits.watch, { onCutOff: () => undefined }),
    now,
    newUid: randomUUID,
    newSuffix: () => 'abcde',
  };
}

/** For tests: makes namespaces. */
export async function makeNamespaces(core: ServerCore, ...names: string[]): Promise<void> {
  for (const name of names)
    await ensure(core, '/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

/** For tests: creates an object as a client would. */
export async function makeObject(core: ServerCore, bucket: string, object: KubeObject): Promise<Stored> {
  const served = servedAt(core, bucket);
  const { name = '', namespace = '' } = object.metadata;
  const context = systemContext(core, served, { verb: 'create', namespace, name });
  served.compiled.applyDefaults(asJson(object));
  const result = await createObject(core, context, served, object, systemWrite('CreateOptions', 'test'));
  if (!('stored' in result)) throw new Error('a dry run was not asked for');
  return result.stored;
}

/** For tests: deletes an object as a client would. */
export function removeObject(core: ServerCore, key: Key, asked: Partial<DeleteOptions> = {}): Promise<DeleteResult> {
  const served = servedAt(core, key.bucket);
  const context = systemContext(core, served, { verb: 'delete', namespace: key.namespace, name: key.name });
  return deleteObject(core, context, served, { key, options: systemDeletion(asked) });
}

/** For tests: changes an object, or a subresource of it, as a client would. */
export async function changeObject(
  core: ServerCore,
  key: Key,
  change: { subresource?: string; edit(object: KubeObject): KubeObject },
): Promise<void> {
  const served = servedAt(core, key.bucket);
  const context = systemContext(core, served, { verb: 'update', namespace: key.namespace, name: key.name });
  await updateObject(core, context, served, {
    key,
    subresource: change.subresource ?? '',
    options: systemWrite('UpdateOptions', 'test'),
    isManaged: false,
    transform: change.edit,
  });
}

/** For tests: the object at a key, undefined when there is none. */
export function objectAt(core: ServerCore, key: Key): KubeObject | undefined {
  const stored = core.store.get(key);
  return stored === undefined ? undefined : (JSON.parse(stored.json) as KubeObject);
}

/** For tests: waits until something holds; the test's own time limit ends a wait in vain. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setImmediate();
}

function servedAt(core: ServerCore, bucket: string) {
  const served = core.registry.storage(bucket);
  if (served === undefined) throw new Error(`${bucket} is not served`);
  return served;
}
