import type { NetworkPlan, PortPlanned } from '../../network/index.ts';
import { grid } from '../firmware/format-plan.ts';

const aspects: Readonly<Record<string, string>> = {
  disabled: 'port',
  untaggedVlan: 'untagged VLAN',
  taggedVlans: 'tagged VLANs',
  acl: 'access list',
};

/** A plan as text: hosts that wait, then each port as a diff, then everything added up. */
export function formatNetworkPlan(plan: NetworkPlan, { isAll }: { readonly isAll: boolean }): string {
  const shown = plan.ports.filter(({ outcome }) => isAll || outcome !== 'settled');
  const waiting = plan.hosts.filter(({ verdict }) => isAll || verdict !== 'ready');
  const parts = [
    grid(
      ['HOST', 'NEEDS', 'STATE', 'MESSAGE'],
      waiting.map(({ host, phase, verdict, message }) => [host, phase, verdict, message]),
    ),
    ...shown.map(portText),
    totalsText(plan),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function portText(port: PortPlanned): string {
  const where =
    port.socket === undefined
      ? 'no switch'
      : port.switch === undefined
        ? port.socket
        : `${port.socket} of ${port.switch}`;
  const host = port.host === undefined ? '' : `, host ${port.host}`;
  const lines = [
    `SwitchPort ${port.port} (${where}${host}): ${port.outcome}`,
    ...linkLines(port),
    ...(port.isClearedFirst ? ['  what is there is cleared first'] : []),
    ...port.differences.flatMap(({ aspect, seen, wanted }) => [
      ...sideLines('-', aspect, seen),
      ...sideLines('+', aspect, wanted),
    ]),
    ...(port.reason === undefined ? [] : [`  ${port.reason.code}: ${port.reason.message}`]),
    ...(port.lastRead === undefined ? [] : [`  the switch was last read at ${port.lastRead}`]),
  ];
  // Texts that devices gave must not reach the terminal as they are.
  return `${lines.map((line) => line.replaceAll(/\p{Cc}+/gu, ' ')).join('\n')}\n`;
}

function linkLines({ linked, wouldLink }: PortPlanned): string[] {
  if (linked === wouldLink) return linked === undefined ? [] : [`  configuration ${linked}`];
  return [
    ...(linked === undefined ? [] : [`- configuration ${linked}`]),
    ...(wouldLink === undefined ? [] : [`+ configuration ${wouldLink}`]),
  ];
}

function sideLines(sign: '-' | '+', aspect: string, text: string): string[] {
  if (text === 'none') return [];
  return text.split('; ').map((part) => `${sign} ${aspects[aspect] ?? aspect} ${part}`);
}

function totalsText({ ports, hosts, madeAt }: NetworkPlan): string {
  const counts = (['change', 'clean', 'blocked', 'unread', 'settled'] as const)
    .map((outcome) => ({ outcome, count: ports.filter((port) => port.outcome === outcome).length }))
    .filter(({ count }) => count > 0)
    .map(({ outcome, count }) => `${count} ${outcome}`);
  const waiting = hosts.filter(({ verdict }) => verdict !== 'ready').length;
  const tail = waiting === 0 ? '' : ` ${waiting} ${waiting === 1 ? 'host waits' : 'hosts wait'} for ports.`;
  const what = counts.length === 0 ? '' : `: ${counts.join(', ')}`;
  return `${ports.length} ${ports.length === 1 ? 'port' : 'ports'} at ${madeAt}${what}.${tail}\n`;
}
