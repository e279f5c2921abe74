import type { FirmwareSettingSchema } from '../../provisioners/index.ts';

/** Names of settings with passwords: these are neither kept nor set here. */
export function isPasswordName(name: string): boolean {
  return name.includes('Password');
}

/** What is wrong with a value for a setting; undefined when nothing is. */
export function settingFault(
  name: string,
  value: string | number,
  schema: FirmwareSettingSchema | undefined,
): string | undefined {
  if (schema === undefined) return undefined;
  if (schema.read_only === true) return `it is invalid to set the read-only setting ${name}`;
  switch (schema.attribute_type) {
    case 'Enumeration': {
      const values = schema.allowable_values ?? [];
      return values.includes(String(value))
        ? undefined
        : `setting ${name} has the unknown value ${value}; it takes ${values.join(', ')}`;
    }
    case 'Integer':
      return integerFault(name, value, schema);
    case 'String':
      return lengthFault(name, value, schema);
    case 'Boolean':
      return ['true', 'false'].includes(String(value))
        ? undefined
        : `setting ${name} is ${value}, which is neither true nor false`;
    case 'Password':
      return `setting ${name} is a password and cannot be set here`;
    default:
      return undefined;
  }
}

function integerFault(
  name: string,
  value: string | number,
  { lower_bound, upper_bound }: FirmwareSettingSchema,
): string | undefined {
  const number = typeof value === 'number' ? value : /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isInteger(number)) return `setting ${name} is ${value}, which is no whole number`;
  if (lower_bound !== undefined && number < lower_bound) return `setting ${name} is ${value}, below ${lower_bound}`;
  if (upper_bound !== undefined && number > upper_bound) return `setting ${name} is ${value}, above ${upper_bound}`;
  return undefined;
}

function lengthFault(
  name: string,
  value: string | number,
  { min_length, max_length }: FirmwareSettingSchema,
): string | undefined {
  const { length } = String(value);
  if (min_length !== undefined && length < min_length) return `setting ${name} is shorter than ${min_length}`;
  if (max_length !== undefined && length > max_length) return `setting ${name} is longer than ${max_length}`;
  return undefined;
}
