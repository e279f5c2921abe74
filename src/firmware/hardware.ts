import { createHash } from 'node:crypto';
import { readVendor } from '../versions/index.ts';

/** A manufacturer and a model, in any spelling. */
export interface Hardware {
  readonly manufacturer: string;
  readonly model: string;
}

/** Equal for two spellings of one manufacturer and model. */
export function hardwareKey({ manufacturer, model }: Hardware): string {
  return `${readVendor(manufacturer).key}/${model.trim().toLowerCase().replaceAll(/\s+/g, ' ')}`;
}

/** What is known of hardware; undefined until both are. */
export function hardwareOf(known: {
  readonly manufacturer?: string | undefined;
  readonly model?: string | undefined;
}): Hardware | undefined {
  const { manufacturer = '', model = '' } = known;
  return manufacturer.trim() === '' || model.trim() === '' ? undefined : { manufacturer, model };
}

/** What a server says of its product. */
export interface ServerProduct extends Partial<Hardware> {
  readonly sku?: string | undefined;
}

/**
 * True when hardware names a server: by its model, by its SKU or part number, or by its machine type, which is what a
 * Lenovo part number (`7X21CTO1WW`) begins with and what some model names have in brackets (`SR530 -[7X08CTO1WW]-`).
 */
export function isHardwareOf(hardware: Hardware, { manufacturer = '', model = '', sku = '' }: ServerProduct): boolean {
  if (hardwareKey(hardware) === hardwareKey({ manufacturer, model })) return true;
  if (readVendor(hardware.manufacturer).key !== readVendor(manufacturer).key) return false;
  const wanted = hardware.model.trim().toLowerCase();
  const codes = [sku, ...[...model.matchAll(/\[(\w+)\]/g)].map(([, code = '']) => code)].map((code) =>
    code.trim().toLowerCase(),
  );
  return codes.some((code) => code !== '' && (code === wanted || (isMachineType(wanted) && code.startsWith(wanted))));
}

function isMachineType(text: string): boolean {
  return /^\d[0-9a-z]{3}$/.test(text);
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
