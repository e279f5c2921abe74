import { type AdmissionRequest, type AdmissionRule, isConcerned } from './admission-rule.ts';
import type { Verdict } from './verdict.ts';

/** The answer of admission, as `admission.k8s.io/v1` says it. */
export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: {
    readonly code: number;
    readonly reason: string;
    readonly message: string;
    readonly details?: { readonly causes: readonly { readonly message: string; readonly field?: string }[] };
  };
  readonly patchType?: 'JSONPatch';
  /** Base64 of a JSON patch. */
  readonly patch?: string;
  readonly warnings?: readonly string[];
}

/** A question or an answer on the wire. */
export interface AdmissionReview {
  readonly apiVersion: 'admission.k8s.io/v1';
  readonly kind: 'AdmissionReview';
  readonly request?: AdmissionRequest;
  readonly response?: AdmissionResponse;
}

/** A message that is not what its kind promises; the caller answers 400. */
export class MalformedReview extends Error {
  override readonly name = 'MalformedReview';
}

/** Reads the question out of an AdmissionReview. */
export function decodeAdmissionReview(value: unknown): AdmissionRequest {
  const review = value as Partial<AdmissionReview> | null;
  if (review?.kind !== 'AdmissionReview' || review.apiVersion !== 'admission.k8s.io/v1') {
    throw new MalformedReview('the body is not an AdmissionReview of admission.k8s.io/v1');
  }
  const request = review.request;
  if (typeof request?.uid !== 'string' || request.resource === undefined || request.kind === undefined) {
    throw new MalformedReview('the AdmissionReview has no request with uid, kind and resource');
  }
  return { ...request, userInfo: request.userInfo ?? {} };
}

/** Wraps an answer. */
export function encodeAdmissionReview(response: AdmissionResponse): AdmissionReview {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}

/** Asks a rule. Throws what its reading throws: the server then follows the failure policy. */
export async function askRule(rule: AdmissionRule, request: AdmissionRequest): Promise<AdmissionResponse> {
  if (!isConcerned(rule, request)) return { uid: request.uid, allowed: true };
  const verdict = rule.admit(request, await rule.read(request));
  if (verdict.kind === 'patched' && rule.type === 'validating') {
    throw new TypeError(`the validating rule "${rule.name}" wants to change the object`);
  }
  return respond(request.uid, verdict);
}

function respond(uid: string, verdict: Verdict): AdmissionResponse {
  const warnings =
    verdict.warnings === undefined || verdict.warnings.length === 0 ? {} : { warnings: verdict.warnings };
  switch (verdict.kind) {
    case 'allowed':
      return { uid, allowed: true, ...warnings };
    case 'patched': {
      const patch = Buffer.from(JSON.stringify(verdict.patch)).toString('base64');
      return { uid, allowed: true, patchType: 'JSONPatch', patch, ...warnings };
    }
    case 'denied':
      return { uid, allowed: false, status: refusal(verdict), ...warnings };
  }
}

function refusal(verdict: Extract<Verdict, { kind: 'denied' }>): NonNullable<AdmissionResponse['status']> {
  const texts = verdict.reasons.map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`));
  const causes = verdict.reasons.map(({ field, message }) => ({ message, ...(field === undefined ? {} : { field }) }));
  return { code: 403, reason: 'Forbidden', message: texts.join('; '), details: { causes } };
}
