import { findDuplicateFields, goJsonSyntaxError, isJsonObject, type Json, type JsonObject, parseYamlStrict } from '../../schema/index.ts';
import type { FieldValidation } from '../handlers/write-options.ts';
import { asKubeObject, type KubeObject } from '../object.ts';
import type { RequestContext } from '../request-context.ts';
import type { ServedResource } from '../served-resource.ts';
import { ApiError, badRequest, unsupportedMediaType } from '../status.ts';

/** The media type of a body without its parameters; JSON when none is given. */
export function bodyMediaType(context: RequestContext): string {
  const header = context.request.headers['content-type'] ?? '';
  const type = header.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type === '' ? 'application/json' : type;
}

/** Parses a request body as JSON or YAML, with the keys that stand twice. */
export function parseBody(text: string, mediaType: string): { value: Json; duplicates: () => string[] } {
  if (mediaType === 'application/json') return { value: parseJson(text), duplicates: () => findDuplicateFields(text) };
  if (mediaType === 'application/yaml') {
    const parsed = parseYamlStrict(text);
    if ('error' in parsed) throw badRequest(`error converting YAML to JSON: ${parsed.error}`);
    return { value: parsed.value, duplicates: () => parsed.duplicates };
  }
  throw unsupportedMediaType(
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  );
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw Object.assign(badRequest(goJsonSyntaxError(text)), { cause });
  }
}

/** Decodes the object a create or update carries, defaulted and pruned for its version. */
export function decodeObject(
  context: RequestContext,
  served: ServedResource,
  text: string,
  fieldValidation: FieldValidation,
): KubeObject {
  const { value, duplicates } = parseDecodable(context, served, text);
  checkTypeMeta(served, value, text);
  if (!isJsonObject(value.metadata)) value.metadata = {};
  refuseUnknownFields(context, served, value, {
    duplicates: fieldValidation === 'Ignore' ? [] : duplicates(),
    fieldValidation,
  });
  served.compiled.applyDefaults(value);
  const object = asKubeObject(value);
  served.strategy.applyDefaults?.(object);
  return object;
}

function parseDecodable(
  context: RequestContext,
  served: ServedResource,
  text: string,
): { value: JsonObject; duplicates: () => string[] } {
  const mediaType = bodyMediaType(context);
  try {
    const { value, duplicates } = parseBody(text, mediaType);
    if (isJsonObject(value)) return { value, duplicates };
    throw badRequest(`json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 400) throw error;
    throw Object.assign(badRequest(unrecognized(served, error.message, text)), { cause: error });
  }
}

function goKind(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value;
}

function unrecognized(served: ServedResource, why: string, text: string): string {
  return `the object provided is unrecognized (must be of type ${served.kind}): couldn't get version/kind; json parse error: ${why} (${shownBytes(text)})`;
}

/** kube-apiserver shows up to 128 bytes of what it could not read, in hexadecimal. */
function shownBytes(text: string): string {
  const bytes = Buffer.from(text);
  const hex = bytes.subarray(0, 128).toString('hex');
  return bytes.length > 128 ? `${hex} ...` : hex;
}

function checkTypeMeta(served: ServedResource, value: JsonObject, text: string): void {
  const { apiVersion, kind } = value;
  if (apiVersion === served.apiVersion && kind === served.kind) return;
  const isPartial = served.origin === 'builtin' && (apiVersion ?? '') === '' && (kind ?? '') === '';
  if (isPartial) {
    value.apiVersion = served.apiVersion;
    value.kind = served.kind;
    return;
  }
  if (typeof kind !== 'string' || kind === '') throw badRequest(`Object 'Kind' is missing in '${text}'`);
  if (typeof apiVersion !== 'string' || apiVersion === '') throw badRequest(`Object 'apiVersion' is missing in '${text}'`);
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  if (kind === served.kind) {
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${served.apiVersion})`);
  }
  const head = `${kind} in version "${version ?? ''}" cannot be handled as a ${served.kind}`;
  throw badRequest(`${head}: no kind "${kind}" is registered for version "${group === '' ? version : apiVersion}"`);
}

/** Prunes what the schema does not know, and reports it as the request asked: not at all, as a warning, as a 400. */
export function refuseUnknownFields(
  context: RequestContext,
  served: ServedResource,
  value: JsonObject,
  found: { duplicates: string[]; fieldValidation: FieldValidation },
): void {
  const unknown = served.compiled.prune(value);
  if (found.fieldValidation === 'Ignore') return;
  const texts = [...found.duplicates.map((f) => `duplicate field "${f}"`), ...unknown.map((f) => `unknown field "${f}"`)];
  if (texts.length === 0) return;
  if (found.fieldValidation === 'Warn') {
    for (const text of texts) context.warnings.add(text);
    return;
  }
  const list = texts.join(', ');
  const head = `${served.kind} in version "${served.version}" cannot be handled as a ${served.kind}`;
  throw badRequest(`${head}: strict decoding error: ${list}`);
}

/** Parses a patch body; an applied configuration may be YAML. */
export function decodePatch(text: string, form: { isArray: boolean; isYaml?: boolean }): Json {
  if (form.isYaml === true) {
    const parsed = parseYamlStrict(text);
    if ('error' in parsed) throw badRequest(`error decoding YAML: ${parsed.error}`);
    return parsed.value;
  }
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (cause) {
    throw Object.assign(badRequest(`error decoding patch: ${goJsonSyntaxError(text)}`), { cause });
  }
  if (form.isArray && !Array.isArray(value)) {
    throw badRequest('error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  }
  return value;
}
