import type { PortWrite } from '../../device/index.ts';
import { type PortSettings, type PortState, portAspects } from '../../port-settings.ts';
import { done, type SwitchFailure, type SwitchResult } from '../../switch-result.ts';
import { formatVlans, vlanSetOf } from '../../vlan-set.ts';
import { type AnsibleSystem, printedParts, type SystemReading } from '../ansible-system.ts';
import type { RunnerTask, TaskResult } from '../runner-order.ts';
import { type AclWords, aclLines, lineCount, maxLinesPerRule, readAclLines } from './acl-lines.ts';
import { neighboursIn, neighbourTask } from './eos-neighbours.ts';
import { aclName, readBlocks, readVlans, wordsAfter } from './running-config.ts';

const reading = 'read the running configuration';
const words: AclWords = {
  icmpv6: 'icmpv6',
  discovery: ['neighbor-solicitation', 'neighbor-advertisement', 'router-solicitation'],
};
const enabled = { become: true, become_method: 'enable' } as const;

/**
 * Arista EOS. network-runner's provider for it sets VLANs only and reads nothing, so the same modules of Ansible are
 * given the whole port at once: Ansible puts it into a configuration session, which EOS commits as a whole.
 */
export function eosSystem(): AnsibleSystem {
  return {
    system: 'eos',
    writes: portAspects,
    reads: portAspects,
    canListPorts: true,
    collections: ['ansible.netcommon', 'ansible.utils', 'arista.eos'],
    vars: {
      ansible_connection: 'ansible.netcommon.network_cli',
      ansible_network_os: 'arista.eos.eos',
      ansible_network_cli_ssh_type: 'paramiko',
    },
    readTasks: () => [
      {
        name: reading,
        module: 'arista.eos.eos_command',
        args: { commands: ['show running-config'] },
        keywords: enabled,
      },
      { name: 'hang up', meta: 'reset_connection' },
    ],
    understand,
    writeTasks: (writes) => writeTasks(writes),
    neighbours: {
      tasks: () => [neighbourTask(enabled), { name: 'hang up', meta: 'reset_connection' }],
      understand: neighboursIn,
    },
    whyNot,
  };
}

function whyNot({ acl }: PortSettings): SwitchFailure | undefined {
  if (acl.every((entry) => lineCount(entry) <= maxLinesPerRule)) return undefined;
  return {
    kind: 'unsupported',
    aspects: ['acl'],
    message: `a rule with more than ${maxLinesPerRule} pairs of port ranges`,
  };
}

function writeTasks(writes: readonly PortWrite[]): RunnerTask[] {
  const vlans = formatVlans(
    vlanSetOf(
      writes.flatMap(({ wanted }) => [
        ...wanted.taggedVlans,
        ...vlanSetOf(wanted.untaggedVlan === undefined ? [] : [wanted.untaggedVlan]),
      ]),
    ),
  );
  const lines = [...(vlans === '' ? [] : [`vlan ${vlans}`]), ...writes.flatMap(portLines)];
  return [
    {
      name: 'set the ports',
      module: 'ansible.netcommon.cli_config',
      args: { config: lines.join('\n') },
      keywords: enabled,
    },
    { name: 'hang up', meta: 'reset_connection' },
  ];
}

function portLines({ port, seen, wanted }: PortWrite): string[] {
  const name = aclName(port);
  const hasAcl = wanted.acl.length > 0;
  const keywords = { ipv4: 'ip', ipv6: 'ipv6' } as const;
  const families = ['ipv4', 'ipv6'] as const;
  const hadAcl = seen.acl.length > 0 || seen.strays.length > 0;
  const lists = families.flatMap((family) => [
    ...(hadAcl ? [`no ${keywords[family]} access-list ${name}`] : []),
    ...(hasAcl ? [`${keywords[family]} access-list ${name}`, ...aclLines(wanted.acl, family, words)] : []),
  ]);
  const groups = families.flatMap((family) => {
    if (hasAcl) return [`${keywords[family]} access-group ${name} in`];
    return hadAcl ? [`no ${keywords[family]} access-group in`] : [];
  });
  return [
    ...lists,
    `interface ${port}`,
    ...vlanLines(wanted),
    ...groups,
    wanted.isDisabled ? 'shutdown' : 'no shutdown',
  ];
}

/** Every line of either mode is said, so that nothing of the other stays. */
function vlanLines({ untaggedVlan, taggedVlans }: PortSettings): string[] {
  if (untaggedVlan !== undefined && taggedVlans.length === 0) {
    return [
      'switchport',
      'switchport mode access',
      `switchport access vlan ${untaggedVlan}`,
      'no switchport trunk allowed vlan',
      'no switchport trunk native vlan',
    ];
  }
  const carried = vlanSetOf([...taggedVlans, ...(untaggedVlan === undefined ? [] : [untaggedVlan])]);
  return [
    'switchport',
    'switchport mode trunk',
    `switchport trunk native vlan ${untaggedVlan ?? 'tag'}`,
    `switchport trunk allowed vlan ${formatVlans(carried) || 'none'}`,
    'no switchport access vlan',
  ];
}

function understand(results: readonly TaskResult[]): SystemReading {
  const blocks = readBlocks(printedParts(results, reading).join('\n'));
  const portOf = (port: string): SwitchResult<PortState> => {
    const lines = blocks.get(`interface ${port}`);
    if (lines === undefined) return { kind: 'no-port', message: `the switch has no interface ${port}` };
    const vlans = readVlans(lines);
    const list = aclOn(lines, { blocks, port });
    return done({
      port,
      isDisabled: lines.includes('shutdown'),
      untaggedVlan: vlans.untaggedVlan,
      taggedVlans: vlans.taggedVlans,
      acl: list.acl,
      unread: [],
      strays: [...(lines.includes('no switchport') ? ['the port is routed'] : []), ...list.strays],
    });
  };
  const ports = [...blocks.keys()].flatMap((header) => {
    const [, port] = /^interface (Ethernet\S+)$/.exec(header) ?? [];
    return port === undefined ? [] : [{ port }];
  });
  return { portOf, ports, version: 'EOS' };
}

interface AclPlace {
  readonly blocks: ReadonlyMap<string, readonly string[]>;
  readonly port: string;
}

function aclOn(lines: readonly string[], { blocks, port }: AclPlace) {
  const names = { ipv4: wordsAfter(lines, 'ip access-group '), ipv6: wordsAfter(lines, 'ipv6 access-group ') };
  const own = `${aclName(port)} in`;
  const foreign = Object.values(names).filter((name) => name !== undefined && name !== own);
  const isHalf = (names.ipv4 === undefined) !== (names.ipv6 === undefined);
  const linesOf = (word: string, name: string | undefined) =>
    name === own ? blocks.get(`${word} access-list ${aclName(port)}`) : undefined;
  const lists = { ipv4: linesOf('ip', names.ipv4), ipv6: linesOf('ipv6', names.ipv6) };
  const read = readAclLines(lists, words);
  // A port with a list that there is none of lets everything in.
  const isGone = (['ipv4', 'ipv6'] as const).some((family) => names[family] === own && lists[family] === undefined);
  const strays = [
    ...read.strays,
    ...foreign.map((name) => `access group ${name}`),
    ...(isGone ? ['an access list that there is none of'] : []),
    ...(isHalf ? ['an access list for one address family only'] : []),
  ];
  return { acl: read.acl, strays };
}
