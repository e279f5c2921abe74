import { isJsonObject, type Json, type JsonObject, parseJson } from '../../schema/index.ts';
import { ApiError, internalError, type StatusDetails } from '../status.ts';

/** A webhook's answer was not one; what happens next is up to its failure policy. */
export class InvalidResponse extends Error {
  override readonly name = 'InvalidResponse';
}

/** A webhook's answer, checked. */
export interface CheckedResponse {
  readonly isAllowed: boolean;
  readonly status: JsonObject | undefined;
  /** The operations of a JSON patch; undefined when there is none. */
  readonly patch: Json[] | undefined;
  readonly warnings: readonly string[];
}

/** Checks the shape of an AdmissionReview that came back. Throws InvalidResponse. */
export function checkReview(review: JsonObject, expected: { uid: string; isMutating: boolean }): CheckedResponse {
  checkKind(review);
  const { response } = review;
  if (!isJsonObject(response)) throw refused('webhook response was absent');
  if (response.uid !== expected.uid) {
    throw refused(`expected response.uid=${JSON.stringify(expected.uid)}, got ${JSON.stringify(response.uid ?? '')}`);
  }
  if (review.apiVersion !== 'admission.k8s.io/v1' || review.kind !== 'AdmissionReview') {
    const got = `${String(review.apiVersion ?? '')}, Kind=${String(review.kind ?? '')}`;
    throw refused(`expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${got}`);
  }
  return checkResponse(response, expected.isMutating);
}

/** Checks a response that needs no envelope, because it came from this process. */
export function checkResponse(response: JsonObject, isMutating: boolean): CheckedResponse {
  checkPatchFields(response, isMutating);
  return {
    isAllowed: response.allowed === true,
    status: isJsonObject(response.status) ? response.status : undefined,
    patch: readPatch(response),
    warnings: (Array.isArray(response.warnings) ? response.warnings : []).filter((w) => typeof w === 'string'),
  };
}

function refused(why: string): InvalidResponse {
  return new InvalidResponse(`received invalid webhook response: ${why}`);
}

/** An answer that names another kind cannot even be decoded. */
function checkKind(review: JsonObject): void {
  const { apiVersion = '', kind = '' } = review;
  if (apiVersion === '' || kind === '') return;
  const version = String(apiVersion);
  if (version === 'admission.k8s.io/v1beta1') {
    throw new InvalidResponse(
      'failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion',
    );
  }
  if (version === 'admission.k8s.io/v1' && kind === 'AdmissionReview') return;
  const what = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)}`;
  throw new InvalidResponse(`failed to call webhook: ${what} in scheme "pkg/runtime/scheme.go:110"`);
}

function checkPatchFields({ patch, patchType }: JsonObject, isMutating: boolean): void {
  const hasPatch = typeof patch === 'string' && patch !== '';
  const hasType = patchType !== undefined && patchType !== null;
  if (!isMutating) {
    if (hasPatch) throw refused('validating webhook may not return response.patch');
    if (hasType) throw refused('validating webhook may not return response.patchType');
    return;
  }
  if (hasPatch && !hasType) throw refused('webhook returned response.patch but not response.patchType');
  if (!hasPatch && hasType) throw refused('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw refused('webhook returned invalid response.patchType of ""');
}

function readPatch({ patch, patchType }: JsonObject): Json[] | undefined {
  if (typeof patch !== 'string' || patch === '') return undefined;
  if (!/^[A-Za-z0-9+/\r\n]*=*[\r\n]*$/.test(patch)) {
    throw new InvalidResponse('failed to call webhook: illegal base64 data at input byte 0');
  }
  const parsed = parseJson(Buffer.from(patch, 'base64').toString('utf8'));
  if ('error' in parsed) {
    throw new InvalidResponse(`received undecodable patch in webhook response: ${parsed.error}`);
  }
  const { value } = parsed;
  if (value === null) return [];
  if (!Array.isArray(value)) {
    const kind = isJsonObject(value) ? 'object' : typeof value;
    throw undecodable(kind, 'jsonpatch.Patch');
  }
  const odd = value.find((each) => !isJsonObject(each));
  if (odd !== undefined) throw undecodable(Array.isArray(odd) ? 'array' : typeof odd, 'jsonpatch.Operation');
  if (value.length > 0 && patchType !== 'JSONPatch') {
    throw new InvalidResponse(`unsupported patch type ${JSON.stringify(patchType)}`);
  }
  return value;
}

function undecodable(kind: string, type: string): InvalidResponse {
  const why = `json: cannot unmarshal ${kind} into Go value of type ${type}`;
  return new InvalidResponse(`received undecodable patch in webhook response: ${why}`);
}

/** 4xx or 5xx with the webhook's own words, or with what the server says when it has none. */
export function denial(name: string, status: JsonObject = {}): ApiError {
  const by = `admission webhook ${JSON.stringify(name)} denied the request`;
  const why = text(status.message) || text(status.reason);
  const code = typeof status.code === 'number' && status.code >= 400 ? status.code : 400;
  const reason = text(status.reason);
  return new ApiError({
    code,
    message: why === '' ? `${by} without explanation` : `${by}: ${why}`,
    ...(reason === '' ? {} : { reason }),
    ...(isJsonObject(status.details) ? { details: status.details as StatusDetails } : {}),
  });
}

/** 500: the webhook had to be asked and could not be. */
export function callFailure(name: string, why: string): ApiError {
  return internalError(`failed calling webhook ${JSON.stringify(name)}: ${why}`);
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
