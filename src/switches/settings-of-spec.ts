import type { AclRule, SwitchPortConfigurationSpec, SwitchPortSettings } from '../api/index.ts';
import { formatPorts, parsePorts } from './acl.ts';
import { formatNetwork, parseNetwork } from './network-address.ts';
import type { AclEntry, PortSettings, PortSpan } from './port-settings.ts';
import { formatVlans, isVlanId, noVlans, parseVlans, withoutVlans } from './vlan-set.ts';

/** Settings, or what is wrong with what they were to be read from. */
export type SettingsOfSpec =
  | { readonly kind: 'settings'; readonly settings: PortSettings }
  | { readonly kind: 'bad'; readonly problems: readonly string[] };

/** Reads a SwitchPortConfiguration. The API server checks it too; this is for objects that got past it. */
export function settingsOfSpec(spec: SwitchPortConfigurationSpec): SettingsOfSpec {
  const problems: string[] = [];
  const untaggedVlan = spec.untaggedVLAN ?? undefined;
  if (untaggedVlan !== undefined && !isVlanId(untaggedVlan)) {
    problems.push(`untaggedVLAN ${untaggedVlan} is not a number from 1 to 4094`);
  }
  const tagged = spec.vlans === undefined || spec.vlans === '' ? noVlans : parseVlans(spec.vlans);
  if (tagged === undefined) problems.push(`vlans ${JSON.stringify(spec.vlans)} is not a list such as "1, 6-10"`);
  const acl = (spec.acl ?? []).flatMap((rule, index) => entryOf(rule, { at: `acl[${index}]`, problems }) ?? []);
  if (problems.length > 0 || tagged === undefined) return { kind: 'bad', problems };
  // The VLAN of untagged frames cannot be tagged on the same port too.
  const own = untaggedVlan === undefined ? noVlans : [{ first: untaggedVlan, last: untaggedVlan }];
  const taggedVlans = withoutVlans(tagged, own);
  return { kind: 'settings', settings: { isDisabled: spec.disabled === true, untaggedVlan, taggedVlans, acl } };
}

interface Complaint {
  readonly at: string;
  readonly problems: string[];
}

function entryOf(rule: AclRule, complaint: Complaint): AclEntry | undefined {
  const protocol = (rule.protocol ?? 'ALL').toLowerCase() as AclEntry['protocol'];
  const hasPorts = rule.srcPortRange !== undefined || rule.desPortRange !== undefined;
  if (hasPorts && protocol !== 'tcp' && protocol !== 'udp') {
    complaint.problems.push(`${complaint.at}: only TCP and UDP have ports`);
    return undefined;
  }
  return {
    family: rule.type,
    action: rule.action,
    protocol,
    source: networkOf(rule, { ...complaint, field: 'src' }),
    sourcePorts: portsOf(rule, { ...complaint, field: 'srcPortRange' }),
    destination: networkOf(rule, { ...complaint, field: 'des' }),
    destinationPorts: portsOf(rule, { ...complaint, field: 'desPortRange' }),
  };
}

function networkOf(rule: AclRule, where: Complaint & { readonly field: 'src' | 'des' }): string | undefined {
  const text = rule[where.field];
  if (text === undefined || text === '') return undefined;
  const network = parseNetwork(text);
  if (network?.family !== rule.type) {
    where.problems.push(`${where.at}.${where.field}: ${JSON.stringify(text)} is no ${rule.type} network`);
    return undefined;
  }
  // Everything is the same as any.
  return network.prefixLength === 0 ? undefined : formatNetwork(network);
}

function portsOf(
  rule: AclRule,
  where: Complaint & { readonly field: 'srcPortRange' | 'desPortRange' },
): readonly PortSpan[] {
  const text = rule[where.field];
  if (text === undefined || text === '') return [];
  const spans = parsePorts(text);
  if (spans === undefined) where.problems.push(`${where.at}.${where.field}: ${JSON.stringify(text)} is no port range`);
  return spans ?? [];
}

/** Writes settings the way a status records them. */
export function recordOfSettings(settings: PortSettings): SwitchPortSettings {
  const vlans = formatVlans(settings.taggedVlans);
  return {
    ...(settings.acl.length === 0 ? {} : { acl: settings.acl.map(recordOfEntry) }),
    ...(settings.untaggedVlan === undefined ? {} : { untaggedVLAN: settings.untaggedVlan }),
    ...(vlans === '' ? {} : { vlans }),
    disabled: settings.isDisabled,
  };
}

function recordOfEntry(entry: AclEntry): NonNullable<SwitchPortSettings['acl']>[number] {
  const { source, sourcePorts, destination, destinationPorts } = entry;
  return {
    type: entry.family,
    action: entry.action,
    protocol: entry.protocol.toUpperCase() as 'TCP' | 'UDP' | 'ICMP' | 'ALL',
    ...(source === undefined ? {} : { src: source }),
    ...(sourcePorts.length === 0 ? {} : { srcPortRange: formatPorts(sourcePorts) }),
    ...(destination === undefined ? {} : { des: destination }),
    ...(destinationPorts.length === 0 ? {} : { desPortRange: formatPorts(destinationPorts) }),
  };
}
