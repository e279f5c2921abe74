import { type FieldError, formatFieldError } from '../../schema/index.ts';
import { checkAnnotations, checkLabels } from '../meta/validate-metadata.ts';
import type { KubeObject, ObjectMeta } from '../object.ts';
import { plainError } from '../status.ts';

/** Says what a conversion did wrong, naming what it was about. */
export function conversionFault(from: KubeObject, what: string): Error {
  return plainError(`conversion webhook for ${from.apiVersion}, Kind=${from.kind} ${what}`);
}

/**
 * Checks that a converted object is still the same object, and gives it back its metadata: a conversion may change
 * labels and annotations, and nothing else of it.
 */
export function checkConverted(from: KubeObject, to: KubeObject, toApiVersion: string): KubeObject {
  if (to.apiVersion !== toApiVersion) {
    const why = `invalid groupVersion (expected ${toApiVersion}, received ${to.apiVersion ?? ''})`;
    throw conversionFault(from, `returned invalid object at index 0: ${why}`);
  }
  if (to.kind !== from.kind) {
    const why = `invalid kind (expected ${from.kind}, received ${to.kind ?? ''})`;
    throw conversionFault(from, `returned invalid object at index 0: ${why}`);
  }
  const was = from.metadata;
  const is: ObjectMeta = to.metadata ?? {};
  for (const [field, text] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    if ((was[field] ?? '') === (is[field] ?? '')) continue;
    const why = `must have the same ${text}: ${was[field] ?? ''} != ${is[field] ?? ''}`;
    throw conversionFault(from, `returned invalid object: ${why}`);
  }
  checkChangeable(from, is);
  const { labels: _labels, annotations: _annotations, ...metadata } = was;
  return {
    ...to,
    metadata: {
      ...metadata,
      ...(is.labels === undefined ? {} : { labels: is.labels }),
      ...(is.annotations === undefined ? {} : { annotations: is.annotations }),
    },
  };
}

/** Of what a conversion may change, all must still be valid. */
function checkChangeable(from: KubeObject, { labels, annotations }: ObjectMeta): void {
  const errors: FieldError[] = [];
  checkLabels(labels, 'metadata.labels', errors);
  checkAnnotations(annotations, errors);
  if (errors.length === 0) return;
  const texts = errors.map(formatFieldError);
  throw conversionFault(from, `returned invalid metadata: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`);
}
