import type { JsonObject } from '../../schema/index.ts';
import type { ServerCore } from '../core.ts';
import { optionsObject, readWriteOptions } from '../handlers/write-options.ts';
import { asJson, asKubeObject } from '../object.ts';
import type { RequestContext } from '../request-context.ts';
import type { AdmissionAttributes } from './admission.ts';

/**
 * Admission of an object of another kind that is posted to a subresource, such as an Eviction or a TokenRequest.
 * Resolves with the object to go on with; throws ApiError to refuse.
 */
export async function admitSubresource(
  core: ServerCore,
  context: RequestContext,
  object: JsonObject,
  kind: NonNullable<AdmissionAttributes['kind']>,
): Promise<JsonObject> {
  const { info } = context;
  const resource = core.registry.find(info.group, info.version, info.resource);
  if (resource === undefined || core.admission.isIdle(resource, 'CREATE')) return object;
  const options = readWriteOptions(context, 'CreateOptions');
  const attributes: AdmissionAttributes = {
    operation: 'CREATE',
    resource,
    subresource: info.subresource,
    kind,
    namespace: info.namespace,
    name: info.name,
    object: asKubeObject(object),
    oldObject: undefined,
    options: optionsObject(options, 'CreateOptions'),
    user: context.user,
    dryRun: options.dryRun,
    warn: (text) => context.warnings.add(text),
  };
  const admitted = await core.admission.mutate(attributes);
  await core.admission.validate({ ...attributes, object: admitted });
  return admitted === undefined ? object : asJson(admitted);
}
