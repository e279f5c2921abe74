import { IntOrString, type SchemaOptions, Whole } from '../shapes.ts';

const vlan = '([1-9][0-9]{0,2}|[1-3][0-9]{3}|40[0-8][0-9]|409[0-4])';
const tcpPort = '(0|[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';

function listOfRanges(number: string): string {
  const range = `${number}(-${number})?`;
  return `^${range}( *, *${range})*$`;
}

/** `1, 6-10`: VLAN ids and ranges of them, each from 1 to 4094. */
export const vlanRangePattern = listOfRanges(vlan);

/** `22, 22-30`: port numbers and ranges of them. */
export const portRangePattern = listOfRanges(tcpPort);

// A lone number may come unquoted from YAML, hence the integer; patterns cannot compare the two ends of a range.
const ascending = [
  {
    rule: "type(self) == int || string(self).replace(' ', '').split(',').map(r, r.split('-')).all(p, int(p[0]) <= int(p[size(p) - 1]))",
    message: 'a range must go from its smaller to its larger number',
  },
];

/** One VLAN id. */
export function VlanId(description: string, options: SchemaOptions = {}) {
  return Whole(description, { minimum: 1, maximum: 4094, ...options });
}

/** VLAN ids and ranges of them: `5`, `1, 6-10`. */
export function VlanRange(description: string, options: SchemaOptions = {}) {
  return IntOrString({
    description,
    minimum: 1,
    maximum: 4094,
    maxLength: 256,
    pattern: vlanRangePattern,
    'x-kubernetes-validations': ascending,
    ...options,
  });
}

/** TCP or UDP ports and ranges of them: `22`, `22-30`. */
export function PortRange(description: string, options: SchemaOptions = {}) {
  return IntOrString({
    description,
    minimum: 0,
    maximum: 65535,
    maxLength: 128,
    pattern: portRangePattern,
    'x-kubernetes-validations': ascending,
    ...options,
  });
}
