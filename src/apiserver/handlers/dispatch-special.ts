import { isJsonObject, type JsonObject } from '../../schema/index.ts';
import { readBody } from '../http/body.ts';
import { bodyMediaType, parseBody } from '../http/decode.ts';
import type { TypeName } from '../protobuf/index.ts';
import type { Answer, RequestContext } from '../request-context.ts';
import { apiVersionOf, type ServedResource } from '../served-resource.ts';
import { badRequest, methodNotAllowed, methodNotSupported } from '../status.ts';
import type { SubresourceHandler, VirtualResource } from '../virtual-resource.ts';

/** Answers a POST to a resource that is asked, not stored. */
export async function dispatchVirtual(context: RequestContext, virtual: VirtualResource): Promise<Answer> {
  if (context.info.verb !== 'create' || context.info.name !== '') throw methodNotAllowed();
  const apiVersion = `${virtual.group}/${virtual.version}`;
  const object = await readObject(context, { apiVersion, kind: virtual.kind });
  if (object.kind === undefined) object.kind = virtual.kind;
  if (object.apiVersion === undefined) object.apiVersion = apiVersion;
  if (object.kind !== virtual.kind || object.apiVersion !== apiVersion) {
    const version = String(object.apiVersion).replace(/^.*\//, '');
    const internal = virtual.group.split('.')[0] ?? '';
    const head = `${String(object.kind)} in version ${JSON.stringify(version)} cannot be handled as a ${virtual.kind}`;
    const why = `converting (${version}.${String(object.kind)}) to (${internal}.${virtual.kind}): unknown conversion`;
    throw badRequest(`${head}: ${why}`);
  }
  return { code: 201, json: JSON.stringify(await virtual.create(context, object)) };
}

/** Answers a request to a subresource with behaviour of its own. */
export async function dispatchSubresource(
  context: RequestContext,
  handler: SubresourceHandler,
  served: ServedResource,
): Promise<Answer> {
  if (context.info.verb !== 'create' && context.info.verb !== 'update')
    throw served.origin === 'builtin' ? methodNotAllowed() : methodNotSupported(served, context.info.verb);
  const { code, object } = await handler.handle(context, await readObject(context, typeOf(handler, served)));
  return { code, json: JSON.stringify(object) };
}

/** What the body of a subresource should be: discovery names it where it is not the resource's own kind. */
function typeOf(handler: SubresourceHandler, served: ServedResource): TypeName {
  const listed = served.extraSubresources.find(({ name }) => name === handler.subresource);
  if (listed === undefined) return served;
  const apiVersion = listed.version === '' ? served.apiVersion : apiVersionOf(listed.group, listed.version);
  return { apiVersion, kind: listed.kind };
}

async function readObject(context: RequestContext, expected: TypeName): Promise<JsonObject> {
  const body = { bytes: await readBody(context.request), mediaType: bodyMediaType(context) };
  const { value } = await parseBody(context, body, expected);
  if (!isJsonObject(value)) throw badRequest('the request body must be an object');
  return value;
}
