import { type FieldError, fieldErrorBody, formatFieldError, type JsonObject } from '../schema/index.ts';

/** The Kubernetes `Status` object, as every error answer carries it. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: JsonObject;
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code: number;
}

/** What a Status says about the object it speaks of. */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: { reason?: string; message?: string; field?: string }[];
  retryAfterSeconds?: number;
}

/** Group and plural resource name, printed as `widgets.example.com`. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** Prints `pods` or `widgets.example.com`. */
export function qualifiedResource(gr: GroupResource): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`;
}

/** Thrown by anything in this room that must answer a request with a Status. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: Status;
  readonly headers: Record<string, string>;
  constructor(
    status: Omit<Status, 'kind' | 'apiVersion' | 'metadata' | 'status'>,
    headers: Record<string, string> = {},
  ) {
    super(status.message ?? status.reason ?? 'API error');
    this.status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...status };
    const wait = status.details?.retryAfterSeconds;
    this.headers = wait === undefined ? headers : { 'Retry-After': String(wait), ...headers };
  }
  get code(): number {
    return this.status.code;
  }
}

function details(gr: GroupResource, name?: string, extra: Partial<StatusDetails> = {}): StatusDetails {
  return {
    ...(name === undefined || name === '' ? {} : { name }),
    ...(gr.group === '' ? {} : { group: gr.group }),
    kind: gr.resource,
    ...extra,
  };
}

/** 404: the object does not exist. */
export function notFound(gr: GroupResource, name: string): ApiError {
  const message = `${qualifiedResource(gr)} "${name}" not found`;
  return new ApiError({ code: 404, reason: 'NotFound', message, details: details(gr, name) });
}

/** 409: an object of that name exists already. */
export function alreadyExists(gr: GroupResource, name: string): ApiError {
  const message = `${qualifiedResource(gr)} "${name}" already exists`;
  return new ApiError({ code: 409, reason: 'AlreadyExists', message, details: details(gr, name) });
}

/** 409: the write was based on an old version, or a precondition failed. */
export function conflict(gr: GroupResource, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualifiedResource(gr)} "${name}": ${why}`;
  return new ApiError({ code: 409, reason: 'Conflict', message, details: details(gr, name) });
}

/** The reason text of a stale resourceVersion. */
export const staleWrite = 'the object has been modified; please apply your changes to the latest version and try again';

/** 400: the request itself is wrong. */
export function badRequest(message: string): ApiError {
  return new ApiError({ code: 400, reason: 'BadRequest', message });
}

/** 403: RBAC or admission says no. */
export function forbidden(gr: GroupResource, name: string, why: string): ApiError {
  const subject =
    name === '' ? `${qualifiedResource(gr)} is forbidden` : `${qualifiedResource(gr)} "${name}" is forbidden`;
  return new ApiError({ code: 403, reason: 'Forbidden', message: `${subject}: ${why}`, details: details(gr, name) });
}

/** So many mistakes are told; an object of a megabyte can have a hundred thousand, and each text repeats a part of it. */
export const mostCauses = 500;

/** 422: the object breaks its schema or a validation rule. */
export function invalid(gk: { group: string; kind: string }, name: string, errors: FieldError[]): ApiError {
  const qualified = gk.group === '' ? gk.kind : `${gk.kind}.${gk.group}`;
  const shown = errors.slice(0, mostCauses);
  const texts = [...new Set(shown.map(formatFieldError))];
  if (errors.length > shown.length) texts.push(`and ${errors.length - shown.length} more`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new ApiError({
    code: 422,
    reason: 'Invalid',
    message: `${qualified} "${name}" is invalid${texts.length === 0 ? '' : `: ${list}`}`,
    details: {
      ...(name === '' ? {} : { name }),
      ...(gk.group === '' ? {} : { group: gk.group }),
      ...(gk.kind === '' ? {} : { kind: gk.kind }),
      causes: shown.map((e) => ({
        reason: e.reason,
        message: fieldErrorBody(e),
        field: e.field === '' ? '<nil>' : e.field,
      })),
    },
  });
}

/** 500 without a reason: how kube-apiserver answers errors it does not expect from a client. */
export function plainError(message: string): ApiError {
  return new ApiError({ code: 500, message });
}

/** 404: the path names nothing the server knows. */
export function unknownResource(): ApiError {
  const message = 'the server could not find the requested resource';
  return new ApiError({ code: 404, reason: 'NotFound', message, details: {} });
}

/** 405: the path is known, the method is not one of its own. */
export function methodNotAllowed(): ApiError {
  const message = 'the server does not allow this method on the requested resource';
  return new ApiError({ code: 405, reason: 'MethodNotAllowed', message, details: {} });
}

/** 422: the options of a request (its query, or a DeleteOptions body) are wrong. */
export function invalidOptions(kind: string, ...errors: FieldError[]): ApiError {
  return invalid({ group: 'meta.k8s.io', kind }, '', errors);
}

/** 405: the resource does not serve this verb. */
export function methodNotSupported(gr: GroupResource, verb: string): ApiError {
  return new ApiError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: `${verb} is not supported on resources of kind "${qualifiedResource(gr)}"`,
    details: details(gr),
  });
}

/** 410: the resourceVersion or continue token is too old. */
export function expired(message: string): ApiError {
  return new ApiError({ code: 410, reason: 'Expired', message });
}

/** 413: the body is larger than the server takes. */
export function tooLarge(message: string): ApiError {
  return new ApiError({ code: 413, reason: 'RequestEntityTooLarge', message });
}

/** 415: the body's media type is not understood. */
export function unsupportedMediaType(message: string, about?: StatusDetails): ApiError {
  return new ApiError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message,
    ...(about === undefined ? {} : { details: about }),
  });
}

/** 406: none of the media types asked for can be written. */
export function notAcceptable(message: string): ApiError {
  return new ApiError({ code: 406, reason: 'NotAcceptable', message });
}

/** 507: there is no room for what is to be stored. */
export function diskFull(message: string): ApiError {
  return new ApiError({ code: 507, reason: 'DiskFull', message });
}

/** 500: something that is the server's own fault. */
export function internalError(message: string): ApiError {
  return new ApiError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
}
