import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import type { FieldValidation } from '../handlers/write-options.ts';
import { dropRepeatedOwners } from '../meta/owner-references.ts';
import { asKubeObject, type KubeObject } from '../object.ts';
import { protobufMediaType, type TypeName } from '../protobuf/index.ts';
import type { RequestContext } from '../request-context.ts';
import type { ServedResource } from '../served-resource.ts';
import { badRequest, unsupportedMediaType } from '../status.ts';
import { type EncodedBody, type ReadValue, readableTypes } from './read-value.ts';

const structType =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The media type of a body without its parameters; JSON when none is given. */
export function bodyMediaType({ request }: Pick<RequestContext, 'request'>): string {
  const header = request.headers['content-type'] ?? '';
  const type = header.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type === '' ? 'application/json' : type;
}

/** A value that was read and its text if it has one, or why there is none. */
type Parsed = (Extract<ReadValue, { value: Json }> & { readonly text: string }) | Extract<ReadValue, { error: string }>;

/** Reads a body, or says in the words of the API server why not. */
export async function parseEncoded(context: RequestContext, body: EncodedBody, expected: TypeName): Promise<Parsed> {
  const { bytes, mediaType } = body;
  if (!readableTypes.includes(mediaType)) throw unknownBodyType();
  const reading = context.work.read(body, expected);
  const read = reading instanceof Promise ? await reading : reading;
  if (!('error' in read)) return { ...read, text: mediaType === protobufMediaType ? '' : bytes.toString('utf8') };
  if (mediaType === 'application/json') return { error: `couldn't get version/kind; json parse error: ${read.error}` };
  if (mediaType === 'application/yaml') return { error: read.error.replace(/^yaml: line 1: /, 'yaml: ') };
  return read;
}

/** Throws 415 before anything of the request is read, for a body in a form that is not known. */
export function checkBodyType(context: RequestContext): void {
  if (!readableTypes.includes(bodyMediaType(context))) throw unknownBodyType();
}

function unknownBodyType(): Error {
  return unsupportedMediaType(
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  );
}

/** Parses a body that is not a stored object: reviews, scales, evictions. */
export async function parseBody(
  context: RequestContext,
  body: EncodedBody,
  expected: TypeName,
): Promise<{ value: Json }> {
  const parsed = await parseEncoded(context, body, expected);
  if (!('error' in parsed)) return parsed;
  throw body.mediaType === protobufMediaType ? unreadable(expected, parsed, body) : badRequest(parsed.error);
}

/** The 400 for a body that could not be parsed: about its type as far as that is known, otherwise about its bytes. */
function unreadable(
  { kind }: TypeName,
  fault: { error: string; type?: TypeName | undefined },
  body: EncodedBody,
): Error {
  const { error, type } = fault;
  if (type !== undefined) {
    const version = JSON.stringify(type.apiVersion.replace(/^.*\//, ''));
    return badRequest(`${type.kind} in version ${version} cannot be handled as a ${kind}: ${error}`);
  }
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${error} (${shownBytes(body)})`);
}

/** Decodes the object a create or update carries, defaulted and pruned for its version. */
export async function decodeObject(
  context: RequestContext,
  served: ServedResource,
  bytes: Buffer,
  fieldValidation: FieldValidation,
): Promise<KubeObject> {
  const body = { bytes, mediaType: bodyMediaType(context) };
  const { mediaType } = body;
  if (mediaType === protobufMediaType && served.origin === 'custom') {
    // Only compiled-in kinds have a layout in protobuf.
    throw unsupportedMediaType(
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml',
    );
  }
  const parsed = await parseEncoded(context, body, served);
  const refuse = (error: string) => unreadable(served, { error }, body);
  if ('error' in parsed) throw unreadable(served, parsed, body);
  const value = parsed.value ?? {};
  if (!isJsonObject(value)) throw refuse(typeMetaFault(value));
  const { text } = parsed;
  // Fields that a built-in kind does not know are skipped unread, whatever they hold.
  const isKept = served.origin === 'custom' && mediaType === 'application/json';
  const number = isKept ? parsed.overflow() : undefined;
  if (number !== undefined) throw refuseFields(served, overflow(number));
  checkTypeMeta(served, value, text, refuse);
  await context.work.pause();
  refuseUnknownFields(context, served, value, {
    duplicates: fieldValidation === 'Ignore' ? [] : parsed.duplicates(),
    fieldValidation,
  });
  await context.work.pause();
  const object = finishDecoding(served, value);
  dropRepeatedOwners(object.metadata, (text) => context.warnings.add(text), 'as-sent');
  return object;
}

/** What Go says of a value that should have been an object with a kind. */
export function typeMetaFault(value: Json): string {
  const why = `json: cannot unmarshal ${goKind(value)} into Go value of type ${structType}`;
  return `couldn't get version/kind; json parse error: ${why}`;
}

function overflow(number: string): string {
  return `json: cannot unmarshal number ${number} into Go value of type float64`;
}

function refuseFields(served: ServedResource, why: string): Error {
  return badRequest(`${served.kind} in version "${served.version}" cannot be handled as a ${served.kind}: ${why}`);
}

/** Turns checked JSON into an object of the served version: types decoded, defaults filled. */
export function finishDecoding(served: ServedResource, value: JsonObject): KubeObject {
  if (value.metadata === undefined || value.metadata === null) value.metadata = {};
  served.compiled.applyDefaults(value);
  return asKubeObject(value);
}

function shownBytes({ bytes, mediaType }: EncodedBody): string {
  const isYaml = mediaType === 'application/yaml';
  if (bytes.length === 0 && !isYaml) return '<empty>';
  const form = bytes[0] === 0x7b && !isYaml ? 'utf8' : 'hex';
  return bytes.length > 30 ? `${bytes.toString(form, 0, 30)} ...` : bytes.toString(form);
}

function goKind(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function checkTypeMeta(served: ServedResource, value: JsonObject, text: string, refuse: (why: string) => Error): void {
  const { apiVersion, kind } = value;
  if (apiVersion === served.apiVersion && kind === served.kind) return;
  for (const field of ['apiVersion', 'kind']) {
    const given = value[field] ?? '';
    if (typeof given === 'string') continue;
    const why = `json: cannot unmarshal ${isJsonObject(given) ? 'object' : goKind(given)} into Go struct field .${field} of type string`;
    throw refuse(`couldn't get version/kind; json parse error: ${why}`);
  }
  if (served.origin === 'builtin') {
    if ((apiVersion ?? '') === '') value.apiVersion = served.apiVersion;
    if ((kind ?? '') === '') value.kind = served.kind;
    const why = builtinTypeFault(served, value);
    const version = String(value.apiVersion).replace(/^.*\//, '');
    const head = `${String(value.kind)} in version ${JSON.stringify(version)} cannot be handled as a ${served.kind}`;
    if (why !== undefined) throw badRequest(`${head}: ${why}`);
    return;
  }
  if (typeof kind !== 'string' || kind === '') throw refuse(`Object 'Kind' is missing in '${text}'`);
  const fault = served.compiled.decodeFault(value);
  const version = String(apiVersion ?? '').replace(/^.*\//, '');
  if (fault !== undefined)
    throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${served.kind}: ${fault}`);
  checkCustomVersion(served, value);
}

/** Why an object of another type cannot stand for a built-in kind, in the words of Kubernetes' own converter. */
export function builtinTypeFault(served: ServedResource, value: JsonObject): string | undefined {
  const kind = String(value.kind ?? served.kind);
  const apiVersion = String(value.apiVersion ?? served.apiVersion);
  if (apiVersion !== served.apiVersion) {
    const what = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
    return `${what} in scheme "pkg/runtime/scheme.go:110"`;
  }
  if (kind === served.kind) return undefined;
  const internal = served.group === '' ? 'core' : (served.group.split('.')[0] ?? served.group);
  return `converting (${served.version}.${kind}) to (${internal}.${served.kind}): unknown conversion`;
}

/** Throws when an object of another version stands where a custom resource should; its kind is a matter of validation. */
export function checkCustomVersion(served: ServedResource, value: JsonObject): void {
  const apiVersion = String(value.apiVersion ?? '');
  if (apiVersion === served.apiVersion) return;
  throw badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${served.apiVersion})`,
  );
}

/** What was found in a body besides its value, and what the request wants done about it. */
export interface FieldFindings {
  readonly duplicates: string[];
  readonly fieldValidation: FieldValidation;
  /** For a patch: the 422 that names it, instead of the 400 of a whole object. */
  refuse?(why: string): Error;
}

/** Prunes what the schema does not know, and reports it as the request asked: not at all, as a warning, as a refusal. */
export function refuseUnknownFields(
  context: RequestContext,
  served: ServedResource,
  value: JsonObject,
  found: FieldFindings,
): void {
  const refuse = found.refuse ?? ((why: string) => refuseFields(served, why));
  const fault = served.compiled.decodeFault(value);
  if (fault !== undefined) throw refuse(fault);
  const pruned = served.compiled.prune(value);
  if (found.fieldValidation === 'Ignore') return;
  const unknown = isOfItsKind(served, value) ? pruned : [];
  const texts = [
    ...found.duplicates.map((f) => `duplicate field "${f}"`),
    ...unknown.map((f) => `unknown field "${f}"`),
  ];
  if (texts.length === 0) return;
  if (found.fieldValidation === 'Strict') throw refuse(`strict decoding error: ${texts.join(', ')}`);
  for (const text of texts) context.warnings.add(text);
}

/** What calls itself something else is not held to the fields of this kind: that it does is told later on. */
function isOfItsKind({ origin, group, kind }: ServedResource, value: JsonObject): boolean {
  if (origin === 'builtin') return true;
  return value.kind === kind && String(value.apiVersion ?? '').startsWith(`${group}/`);
}

/** What a patch has to be. */
interface PatchForm {
  readonly isArray: boolean;
  /** An applied configuration may be YAML. */
  readonly isYaml?: boolean;
  readonly isBare?: boolean;
}

/** The type of what has no envelope to name another. */
const noType: TypeName = { apiVersion: '', kind: '' };

/** Reads the body of a patch. */
export async function decodePatch(context: RequestContext, bytes: Buffer, form: PatchForm): Promise<Json> {
  const mediaType = form.isYaml === true ? 'application/yaml' : 'application/json';
  const reading = context.work.read({ bytes, mediaType }, noType);
  const read = reading instanceof Promise ? await reading : reading;
  if (form.isYaml === true) {
    if ('error' in read) throw badRequest(`error decoding YAML: error converting YAML to JSON: ${read.error}`);
    return read.value;
  }
  const words = form.isBare === true ? '' : 'error decoding patch: ';
  if ('error' in read) throw badRequest(`${words}${read.error}`);
  const number = read.overflow();
  if (number !== undefined) throw badRequest(`${words}${overflow(number)}`);
  const { value } = read;
  if (form.isArray && !Array.isArray(value)) throw wrongPatch(value, '[]handlers.jsonPatchOp', words);
  if (!form.isArray && !isJsonObject(value)) throw wrongPatch(value, 'map[string]interface {}', words);
  return value;
}

function wrongPatch(value: Json, type: string, words: string): Error {
  const kind = isJsonObject(value) ? 'object' : goKind(value);
  return badRequest(`${words}json: cannot unmarshal ${kind} into Go value of type ${type}`);
}
