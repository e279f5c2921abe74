import { IntOrString, type SchemaOptions, Whole } from '../shapes.ts';

const vlan = '([1-9][0-9]{0,2}|[1-3][0-9]{3}|40[0-8][0-9]|409[0-4])';
const tcpPort = '(0|[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';

function listOfRanges(number: string): string {
  const range = `${number}(-${number})?`;
  return `^${range}( *, *${range})*$`;
}

/** `1, 6-10`: VLAN ids and ranges of them, each from 1 to 4094. */
const vlanRangePattern = listOfRanges(vlan);

/** `22, 22-30`: port numbers and ranges of them. */
const portRangePattern = listOfRanges(tcpPort);

// A lone number may come unquoted from YAML, hence the integer. Rules and no pattern: people read what they say.
function rangeRules(pattern: string, what: string) {
  const isList = `string(self).matches('${pattern}')`;
  const ends = "string(self).replace(' ', '').split(',').map(r, r.split('-'))";
  return [
    { rule: `type(self) == int || ${isList}`, message: `must be ${what}` },
    {
      rule: `type(self) == int || !${isList} || ${ends}.all(p, int(p[0]) <= int(p[size(p) - 1]))`,
      message: 'a range must go from its smaller to its larger number',
    },
  ];
}

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
    'x-kubernetes-validations': rangeRules(
      vlanRangePattern,
      'a list of VLANs and ranges of them, each from 1 to 4094, such as 1, 6-10',
    ),
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
    'x-kubernetes-validations': rangeRules(
      portRangePattern,
      'a list of ports and ranges of them, each from 0 to 65535, such as 22, 8000-8080',
    ),
    ...options,
  });
}
