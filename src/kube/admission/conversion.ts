import { type AnyKubeObject, parseApiVersion } from '../object.ts';
import { MalformedReview } from './review.ts';

/** Turns objects of one kind from any of its versions into any other. Pure; metadata is kept by the caller. */
export interface Conversion {
  readonly group: string;
  readonly kind: string;
  /** Gets an object and the version wanted, e.g. `v1beta2`; throws when it cannot be said in that version. */
  readonly convert: (object: AnyKubeObject, version: string) => AnyKubeObject;
}

/** A ConversionReview of apiextensions.k8s.io/v1. */
export interface ConversionReview {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'ConversionReview';
  readonly request?: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly AnyKubeObject[];
  };
  readonly response?: {
    readonly uid: string;
    readonly convertedObjects: readonly AnyKubeObject[];
    readonly result: { readonly status: 'Success' | 'Failed'; readonly message?: string };
  };
}

/** Answers a ConversionReview. One object that cannot be converted fails the whole review, as the API demands. */
export function answerConversion(conversions: readonly Conversion[], value: unknown): ConversionReview {
  const review = value as Partial<ConversionReview> | null;
  if (review?.kind !== 'ConversionReview' || review.apiVersion !== 'apiextensions.k8s.io/v1') {
    throw new MalformedReview('the body is not a ConversionReview of apiextensions.k8s.io/v1');
  }
  const request = review.request;
  if (
    typeof request?.uid !== 'string' ||
    typeof request.desiredAPIVersion !== 'string' ||
    !Array.isArray(request.objects)
  ) {
    throw new MalformedReview('the ConversionReview has no request with uid, desiredAPIVersion and objects');
  }
  const { uid, desiredAPIVersion } = request;
  const answer = (response: NonNullable<ConversionReview['response']>): ConversionReview => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    response,
  });
  try {
    const convertedObjects = request.objects.map((object: AnyKubeObject) =>
      convertOne(conversions, object, desiredAPIVersion),
    );
    return answer({ uid, convertedObjects, result: { status: 'Success' } });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return answer({ uid, convertedObjects: [], result: { status: 'Failed', message } });
  }
}

/** Only labels and annotations of metadata may change, so the rest is taken from the original. */
function convertOne(conversions: readonly Conversion[], object: AnyKubeObject, desired: string): AnyKubeObject {
  if (object.apiVersion === desired) return object;
  const { group, version } = parseApiVersion(desired);
  const conversion = conversions.find((c) => c.group === group && c.kind === object.kind);
  if (conversion === undefined) throw new Error(`there is no conversion of ${String(object.kind)} to ${desired}`);
  const converted = conversion.convert(structuredClone(object), version);
  const { labels, annotations } = converted.metadata ?? {};
  return {
    ...converted,
    apiVersion: desired,
    metadata: {
      ...object.metadata,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
  };
}
