import type { AclRule } from '../switches/access-list.ts';
import type { Fabric, PortName } from '../switches/fabric.ts';
import { type PortSettings, parkedPort } from '../switches/switch-port.ts';

/** Settings of a port as they were asked for, and what is wrong with the request. */
export interface ParsedSettings {
  readonly settings: PortSettings;
  readonly problems: readonly string[];
}

/** Reads settings in the words of SwitchPortConfiguration: untaggedVLAN, vlans, disabled, acl. */
export function parsePortSettings(body: unknown): ParsedSettings {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { settings: parkedPort, problems: ['the body must be an object'] };
  }
  const { untaggedVLAN, vlans, disabled = false, acl = [], ...unknown } = body as Record<string, unknown>;
  const ranges = parseVlans(vlans);
  const problems = [
    ...Object.keys(unknown).map((name) => `${name} is not known; there are untaggedVLAN, vlans, disabled and acl`),
    ...(untaggedVLAN === undefined || typeof untaggedVLAN === 'number' ? [] : ['untaggedVLAN must be a number']),
    ...(ranges === undefined ? [`vlans "${String(vlans)}" is not a list of VLANs such as 2-10, 20`] : []),
    ...(typeof disabled === 'boolean' ? [] : ['disabled must be true or false']),
    ...(Array.isArray(acl) && acl.every(isRule) ? [] : ['acl must be a list of rules with type and action']),
  ];
  const settings: PortSettings = {
    isDisabled: disabled === true,
    untaggedVlan: typeof untaggedVLAN === 'number' ? untaggedVLAN : undefined,
    taggedVlans: ranges ?? [],
    acl: Array.isArray(acl) ? (acl as AclRule[]) : [],
    isLldpOn: true,
  };
  return { settings, problems };
}

/** A port in the same words, with what is plugged in. */
export function showPort(fabric: Fabric, name: PortName): object {
  const port = fabric.port(name);
  if (port === undefined) return { name: name.port };
  const { untaggedVlan, taggedVlans, isDisabled, acl } = port.settings;
  return {
    name: name.port,
    ...(untaggedVlan === undefined ? {} : { untaggedVLAN: untaggedVlan }),
    vlans: taggedVlans.join(','),
    disabled: isDisabled,
    acl,
    lldp: fabric.heardOn(name) ?? null,
  };
}

function parseVlans(value: unknown): number[] | undefined {
  if (value === undefined || value === '') return [];
  if (typeof value === 'number') return [value];
  if (typeof value !== 'string' || value.length > 1000) return undefined;
  const vlans: number[] = [];
  for (const part of value.split(',')) {
    const match = /^\s*(\d{1,4})(?:\s*-\s*(\d{1,4}))?\s*$/.exec(part);
    if (match === null) return undefined;
    const from = Number(match[1]);
    const to = Number(match[2] ?? match[1]);
    if (from > to) return undefined;
    for (let vlan = from; vlan <= to; vlan++) vlans.push(vlan);
  }
  return vlans;
}

function isRule(value: unknown): value is AclRule {
  if (typeof value !== 'object' || value === null) return false;
  const { type, action } = value as Record<string, unknown>;
  return (type === 'ipv4' || type === 'ipv6') && (action === 'allow' || action === 'deny');
}
