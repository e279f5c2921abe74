import { createHash } from 'node:crypto';
import { type Hardware, hardwareKey } from '../parts/index.ts';

/** What is known of hardware; undefined until both are. */
export function hardwareOf(known: {
  readonly manufacturer?: string | undefined;
  readonly model?: string | undefined;
}): Hardware | undefined {
  const { manufacturer = '', model = '' } = known;
  return manufacturer.trim() === '' || model.trim() === '' ? undefined : { manufacturer, model };
}

const longestName = 200;

/** Names for the object about a model, the second for when another model took the first. */
export function hardwareNames(hardware: Hardware): readonly [string, string] {
  const key = hardwareKey(hardware);
  const slug = key
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/[-.]*\.[-.]*/g, '.')
    .slice(0, longestName)
    .replaceAll(/^[-.]+|[-.]+$/g, '');
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 8);
  return slug === '' ? [`model-${hash}`, `model-${hash}`] : [slug, `${slug}-${hash}`];
}
