import type { HostPort, Nic } from '../../api/index.ts';
import { type ConditionDraft, formatKey, type KubeObject } from '../../kube/index.ts';
import { fullReference, namespaceOf } from '../fabric/references.ts';
import { ownerOf } from '../port/read-port.ts';
import type { HostNetworkSeen } from './plan-host-network.ts';

type Cabling = Omit<HostNetworkSeen, 'phase'>;

/** Whether the interfaces of a host are where its `ports` say, by what inspection found; undefined before that. */
export function describeCabling(seen: Cabling): ConditionDraft | undefined {
  const nics = seen.nics ?? seen.host.status?.hardware?.nics;
  if (nics === undefined || nics.length === 0) return undefined;
  const type = 'NetworkCabling';
  const entries = seen.host.spec?.ports ?? [];
  const strange = entries.filter(({ mac }) => nicsOf(nics, mac).length === 0).map(({ mac }) => mac);
  if (strange.length > 0) {
    const message = `Inspection found no interface ${strange.join(', ')}; correct the mac in spec.ports.`;
    return { type, status: 'False', reason: 'InterfaceNotFound', message };
  }
  const wrong = entries.flatMap((entry) => mismatchOf(seen, entry, nicsOf(nics, entry.mac)));
  if (wrong.length > 0) {
    return {
      type,
      status: 'False',
      reason: 'LLDPMismatch',
      message: `${wrong.join('; ')}. Replug it, or correct spec.ports.`,
    };
  }
  const told = entries.filter(({ mac }) => nicsOf(nics, mac).some(({ lldp }) => lldp !== undefined)).length;
  const message = `Inspection found all interfaces of spec.ports; ${told} of ${entries.length} heard their switch by LLDP.`;
  return { type, status: 'True', reason: 'AsListed', message };
}

function nicsOf(nics: readonly Nic[], mac: string): Nic[] {
  return nics.filter((nic) => nic.mac?.toLowerCase() === mac.toLowerCase());
}

/** What an interface heard by LLDP that is not what is listed. What a switch does not say is no mismatch. */
function mismatchOf({ host, tables }: Cabling, entry: HostPort, nics: readonly Nic[]): string[] {
  const reference = fullReference(entry.port, namespaceOf(host as KubeObject));
  const port = tables.ports.get(formatKey(reference));
  const owner = port === undefined ? undefined : ownerOf(tables, port);
  const heard = nics.flatMap(({ lldp }) => lldp ?? [])[0];
  if (heard === undefined || owner === undefined) return [];
  const listed = owner.spec.ports?.[reference.name]?.name;
  const { macAddress } = owner.spec;
  const problems: string[] = [];
  if (macAddress !== undefined && isMac(heard.switchID) && plainMac(heard.switchID) !== plainMac(macAddress)) {
    problems.push(`${entry.mac} hears the switch ${heard.switchID}, not ${macAddress} (${owner.metadata.name})`);
  }
  // Some switches send a MAC address or a number of their own for a port, which says nothing about its name.
  const isName = heard.portID !== undefined && !isMac(heard.portID) && /[a-z]/i.test(heard.portID);
  if (listed !== undefined && isName && !isSamePortName(heard.portID ?? '', listed)) {
    problems.push(`${entry.mac} hears the port ${heard.portID}, not ${listed} (${formatKey(reference)})`);
  }
  return problems;
}

function isMac(text: string | undefined): text is string {
  return text !== undefined && /^([0-9a-f]{2}[:.-]?){5}[0-9a-f]{2}$/i.test(text);
}

function plainMac(text: string): string {
  return text.toLowerCase().replaceAll(/[^0-9a-f]/g, '');
}

/** True when both name one port: `Eth1/7` and `Ethernet1/7` do. */
export function isSamePortName(one: string, other: string): boolean {
  const [left, right] = [one, other].map((name) => {
    const [, letters = '', rest = ''] = /^\s*([a-z-]*)\s*(.*?)\s*$/.exec(name.toLowerCase()) ?? [];
    return { letters: letters.replaceAll('-', ''), rest };
  });
  if (left === undefined || right === undefined || left.rest !== right.rest) return false;
  return left.letters.startsWith(right.letters) || right.letters.startsWith(left.letters);
}
