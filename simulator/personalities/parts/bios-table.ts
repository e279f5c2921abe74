import type { BiosAttribute } from '../personality.ts';

/** A choice: its values, the first of which is the default. */
export function choice(name: string, displayName: string, values: readonly [string, ...string[]]): BiosAttribute {
  return { name, displayName, type: 'Enumeration', default: values[0], values };
}

/** A choice nobody may change. */
export function fixedChoice(name: string, displayName: string, values: readonly [string, ...string[]]): BiosAttribute {
  return { ...choice(name, displayName, values), isReadOnly: true };
}

/** A switch that is on out of the box. */
export function enabled(name: string, displayName: string): BiosAttribute {
  return choice(name, displayName, ['Enabled', 'Disabled']);
}

/** A switch that is off out of the box. */
export function disabled(name: string, displayName: string): BiosAttribute {
  return choice(name, displayName, ['Disabled', 'Enabled']);
}

/** A number within bounds. */
export function number(
  name: string,
  displayName: string,
  bounds: { readonly value: number; readonly from: number; readonly to: number },
): BiosAttribute {
  return { name, displayName, type: 'Integer', default: bounds.value, lowerBound: bounds.from, upperBound: bounds.to };
}

/** A text of limited length. */
export function text(
  name: string,
  displayName: string,
  limit: { readonly value?: string; readonly maxLength: number },
): BiosAttribute {
  return { name, displayName, type: 'String', default: limit.value ?? '', maxLength: limit.maxLength };
}

/** A text nobody may change. */
export function fixedText(name: string, displayName: string, value: string): BiosAttribute {
  return { name, displayName, type: 'String', default: value, maxLength: 64, isReadOnly: true };
}
