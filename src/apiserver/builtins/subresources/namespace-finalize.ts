import type { ServerCore } from '../../core.ts';
import { namespaceBucket } from '../../handlers/namespace-lifecycle.ts';
import { updateObject } from '../../handlers/update.ts';
import { readWriteOptions, type WriteOptions } from '../../handlers/write-options.ts';
import { asJson, asKubeObject, type KubeObject } from '../../object.ts';
import type { RequestContext } from '../../request-context.ts';
import { badRequest, notFound } from '../../status.ts';
import type { Stored } from '../../store/store.ts';
import type { SubresourceHandler } from '../../virtual-resource.ts';

/** One change of what holds a namespace. */
export interface Finalization {
  readonly name: string;
  readonly options: WriteOptions;
  /** True for a PUT, whose uid is a precondition. */
  readonly isReplacement: boolean;
  transform(live: KubeObject): KubeObject;
}

/** Changes what holds a namespace; one that is being deleted goes when nothing holds it any more. */
export async function finalizeNamespace(
  core: ServerCore,
  context: RequestContext,
  change: Finalization,
): Promise<{ stored: Stored } | { dryRun: KubeObject }> {
  const served = core.registry.storage(namespaceBucket);
  if (served === undefined) throw notFound({ group: '', resource: 'namespaces' }, change.name);
  return updateObject(core, context, served, {
    key: { bucket: namespaceBucket, namespace: '', name: change.name },
    subresource: 'finalize',
    options: change.options,
    isManaged: false,
    isReplacement: change.isReplacement,
    transform: change.transform,
  });
}

/** `namespaces/finalize`: replaces `spec.finalizers`. */
export function namespaceFinalize(core: ServerCore): SubresourceHandler {
  return {
    bucket: namespaceBucket,
    subresource: 'finalize',
    async handle(context, body) {
      const { name } = context.info;
      const served = core.registry.storage(namespaceBucket);
      if (body.metadata === undefined) body.metadata = {};
      served?.compiled.applyDefaults(body);
      const object = asKubeObject(body);
      if (object.metadata.name !== name) {
        const words = `the name of the object (${object.metadata.name ?? ''}) does not match the name on the URL (${name})`;
        throw badRequest(words);
      }
      const result = await finalizeNamespace(core, context, {
        name,
        options: readWriteOptions(context, 'UpdateOptions'),
        isReplacement: true,
        transform: () => structuredClone(object),
      });
      const json = 'stored' in result ? JSON.parse(result.stored.json) : asJson(result.dryRun);
      return { code: 200, object: json };
    },
  };
}
