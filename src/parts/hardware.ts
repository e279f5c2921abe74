import { readVendor } from '../versions/index.ts';

/** A manufacturer and a model, in any spelling. */
export interface Hardware {
  readonly manufacturer: string;
  readonly model: string;
}

/** What a server says of its product. */
export interface ServerProduct extends Partial<Hardware> {
  readonly sku?: string | undefined;
}

/** Equal for two spellings of one manufacturer and model. */
export function hardwareKey({ manufacturer, model }: Hardware): string {
  return toKey(readVendor(manufacturer).key, model);
}

/**
 * The keys of all hardware that names a server, the narrowest first: its SKU or part number, its machine type, which is
 * what a Lenovo part number (`7X21CTO1WW`) begins with and what some model names have in brackets
 * (`SR530 -[7X08CTO1WW]-`), and its model.
 */
export function hardwareKeys({ manufacturer = '', model = '', sku = '' }: ServerProduct): readonly string[] {
  const maker = readVendor(manufacturer).key;
  const codes = productCodes({ model, sku });
  const types = codes.flatMap((code) => machineType.exec(code)?.[0] ?? []);
  return [...new Set([...codes, ...types, model].map((name) => toKey(maker, name)))];
}

/** The SKU of a server, and what its model has in brackets. */
export function productCodes({ model = '', sku = '' }: ServerProduct): readonly string[] {
  const bracketed = [...model.matchAll(/\[(\w+)\]/g)].map(([, code = '']) => code);
  return [sku, ...bracketed].map((code) => code.trim()).filter((code) => code !== '');
}

/** True when hardware names a server: by its model, its SKU or part number, or its machine type. */
export function isHardwareOf(hardware: Hardware, server: ServerProduct): boolean {
  return hardwareKeys(server).includes(hardwareKey(hardware));
}

const machineType = /^\d[0-9a-z]{3}/i;

function toKey(maker: string, model: string): string {
  return `${maker}/${model.trim().toLowerCase().replaceAll(/\s+/g, ' ')}`;
}
