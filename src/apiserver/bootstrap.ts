import type { ServerCore } from './core.ts';
import { createObject } from './handlers/create.ts';
import { systemContext, systemWrite } from './handlers/system-context.ts';
import { asJson, type KubeObject } from './object.ts';

const namespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** Makes what every cluster has from the start, where it is missing. */
export async function bootstrap(core: ServerCore): Promise<void> {
  await Promise.all(
    namespaces.map((name) => ensure(core, '/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
  );
}

/** Creates an object unless one of its name is there. */
export async function ensure(core: ServerCore, bucket: string, object: KubeObject): Promise<void> {
  const served = core.registry.storage(bucket);
  if (served === undefined) throw new Error(`${bucket} is not served`);
  const { name = '', namespace = '' } = object.metadata;
  if (core.store.head({ bucket, namespace, name }) !== undefined) return;
  const context = systemContext(core, served, { verb: 'create', namespace, name });
  served.compiled.applyDefaults(asJson(object));
  await createObject(core, context, served, object, systemWrite('CreateOptions', 'kube-apiserver'));
}
