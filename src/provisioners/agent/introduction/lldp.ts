/** What a port heard from its switch. */
export interface HeardSwitch {
  readonly switch_chassis_id?: string;
  readonly switch_port_id?: string;
  readonly switch_system_name?: string;
}

const chassisId = 1;
const portId = 2;
const systemName = 5;
/** Subtypes of chassis and port ids that are MAC addresses. */
const macSubtypes: Readonly<Record<number, number>> = { [chassisId]: 4, [portId]: 3 };

/** Reads the TLVs of an LLDP frame, each its type and its value in hex. What is not understood is left out. */
export function readLldp(tlvs: unknown): HeardSwitch {
  const pairs = Array.isArray(tlvs) ? tlvs : [];
  const bytesOf = (type: number): Buffer | undefined => {
    const found = pairs.find((each): each is [number, string] => Array.isArray(each) && each[0] === type);
    return typeof found?.[1] === 'string' ? Buffer.from(found[1], 'hex') : undefined;
  };
  return {
    ...named('switch_chassis_id', idIn(chassisId, bytesOf(chassisId))),
    ...named('switch_port_id', idIn(portId, bytesOf(portId))),
    ...named('switch_system_name', textIn(bytesOf(systemName))),
  };
}

function named<Name extends string>(name: Name, value: string | undefined): { readonly [Key in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [Key in Name]?: string });
}

function idIn(type: number, value: Buffer | undefined): string | undefined {
  if (value === undefined || value.length < 2) return undefined;
  const rest = value.subarray(1);
  if (value[0] !== macSubtypes[type]) return textIn(rest);
  return [...rest].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

function textIn(value: Buffer | undefined): string | undefined {
  const text = value?.toString('utf8').replaceAll(/[^\x20-\x7e]/g, '');
  return text === undefined || text === '' ? undefined : text;
}
