import type { AdmissionRequest, AdmissionRule } from './admission-rule.ts';
import { isConcerned } from './admission-rule.ts';
import { answerConversion, type Conversion, type ConversionReview } from './conversion.ts';
import { type AdmissionResponse, askRule } from './review.ts';

/** A rule as the embedded API server calls it: without HTTPS, without a webhook configuration. */
export interface InProcessHook {
  readonly name: string;
  readonly type: AdmissionRule['type'];
  isConcerned(request: AdmissionRequest): boolean;
  /** Never throws: a rule that cannot be asked answers by its failure policy. */
  ask(request: AdmissionRequest): Promise<AdmissionResponse>;
}

/** The admission of rooms, for a server in the same process. */
export interface InProcessAdmission {
  /** Mutating rules first, each kind in the order of its names, as the API server orders webhooks. */
  readonly hooks: readonly InProcessHook[];
  convert(review: ConversionReview): ConversionReview;
}

/** The same rules and conversions that the admission server serves, called in process. */
export function inProcessAdmission(
  rules: readonly AdmissionRule[],
  conversions: readonly Conversion[] = [],
): InProcessAdmission {
  const order = (rule: AdmissionRule): string => `${rule.type === 'mutating' ? 0 : 1} ${rule.name}`;
  const sorted = rules.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  return {
    hooks: sorted.map((rule) => ({
      name: rule.name,
      type: rule.type,
      isConcerned: (request) => isConcerned(rule, request),
      ask: (request) => askByPolicy(rule, request),
    })),
    convert: (review) => answerConversion(conversions, review),
  };
}

async function askByPolicy(rule: AdmissionRule, request: AdmissionRequest): Promise<AdmissionResponse> {
  try {
    return await askRule(rule, request);
  } catch (error) {
    const message = `failed calling webhook "${rule.name}": ${error instanceof Error ? error.message : String(error)}`;
    if (rule.failurePolicy === 'Ignore') return { uid: request.uid, allowed: true, warnings: [message] };
    return { uid: request.uid, allowed: false, status: { code: 500, reason: 'InternalError', message } };
  }
}
