import type { PortWrite } from '../../device/index.ts';
import { type AclEntry, type PortSettings, type PortState, portAspects } from '../../port-settings.ts';
import { done, type SwitchFailure, type SwitchResult } from '../../switch-result.ts';
import { allVlans, formatVlans, type VlanSet, vlanSetOf, withoutVlans } from '../../vlan-set.ts';
import { type AnsibleSystem, printedParts, type SystemReading } from '../ansible-system.ts';
import type { RunnerTask, TaskResult } from '../runner-order.ts';
import { type AclWords, aclLines, lineCount, maxLinesPerRule, readAclLines } from './acl-lines.ts';
import { aclName, readBlocks, readVlans, wordsAfter } from './running-config.ts';

const reading = 'read the running configuration';
const enabled = { become: true, become_method: 'enable' } as const;
const words: AclWords = { icmpv6: 'icmp', discovery: ['nd-ns', 'nd-na', 'router-solicitation'] };
const families = ['ipv4', 'ipv6'] as const;
const lists = { ipv4: 'ip access-list', ipv6: 'ipv6 access-list' } as const;
const groups = { ipv4: 'ip port access-group', ipv6: 'ipv6 port traffic-filter' } as const;
// A line of VLANs must not be longer than the command line takes.
const spansPerLine = 40;

/** A reading that also knows which lists there are, and which are on which port. */
interface NxosReading extends SystemReading {
  readonly blocks: ReadonlyMap<string, readonly string[]>;
}

/**
 * Cisco NX-OS. network-runner's provider for it sets VLANs only and reads nothing, so `cisco.nxos` gets the lines of the whole
 * port. NX-OS takes them one by one: what shuts out comes before what lets in.
 */
export function nxosSystem(): AnsibleSystem {
  return {
    system: 'nxos',
    writes: portAspects,
    reads: portAspects,
    canListPorts: true,
    collections: ['ansible.netcommon', 'ansible.utils', 'cisco.nxos'],
    vars: {
      ansible_connection: 'ansible.netcommon.network_cli',
      ansible_network_os: 'cisco.nxos.nxos',
      ansible_network_cli_ssh_type: 'paramiko',
    },
    readTasks: () => [
      command(reading, ['show running-config', 'show running-config all | incl "system default switchport"']),
      { name: 'hang up', meta: 'reset_connection' },
    ],
    understand,
    writeTasks: (writes, seen) => {
      const { blocks } = seen as NxosReading;
      const lines = [...vlanBlocks(writes), ...writes.flatMap((write) => portLines(write, blocks))];
      return [
        command('set the ports', ['configure terminal', ...lines, 'end']),
        { name: 'hang up', meta: 'reset_connection' },
      ];
    },
    whyNot,
  };
}

function command(name: string, commands: readonly string[]): RunnerTask {
  return { name, module: 'cisco.nxos.nxos_command', args: { commands }, keywords: enabled };
}

function whyNot({ acl, untaggedVlan, taggedVlans }: PortSettings): SwitchFailure | undefined {
  if (acl.some((entry) => lineCount(entry) > maxLinesPerRule)) {
    return {
      kind: 'unsupported',
      aspects: ['acl'],
      message: `a rule with more than ${maxLinesPerRule} pairs of port ranges`,
    };
  }
  if (untaggedVlan !== undefined || nativeVlan({ untaggedVlan, taggedVlans }) !== undefined) return undefined;
  return { kind: 'unsupported', aspects: ['taggedVlans'], message: 'a trunk of all VLANs has one of them untagged' };
}

/** VLANs that do not exist carry nothing. */
function vlanBlocks(writes: readonly PortWrite[]): string[] {
  const used = vlanSetOf(writes.flatMap(({ wanted }) => carriedVlans(wanted)));
  return chunksOf(used).map((chunk) => `vlan ${formatVlans(chunk)}`);
}

function carriedVlans({ untaggedVlan, taggedVlans }: Pick<PortSettings, 'untaggedVlan' | 'taggedVlans'>): VlanSet {
  return vlanSetOf([...taggedVlans, ...(untaggedVlan === undefined ? [] : [untaggedVlan])]);
}

function chunksOf(vlans: VlanSet): VlanSet[] {
  const count = Math.ceil(vlans.length / spansPerLine);
  return Array.from({ length: count }, (_, at) => vlans.slice(at * spansPerLine, (at + 1) * spansPerLine));
}

/** The VLAN of untagged frames on a trunk: one that the trunk does not carry drops them. */
function nativeVlan({ untaggedVlan, taggedVlans }: Pick<PortSettings, 'untaggedVlan' | 'taggedVlans'>) {
  return untaggedVlan ?? withoutVlans(allVlans, taggedVlans)[0]?.first;
}

/** Lists go on before the VLANs that they guard, and off after them; a port is shut down first and opened last. */
function portLines({ port, wanted }: PortWrite, blocks: NxosReading['blocks']): string[] {
  const interfaceLine = `interface ${port}`;
  const present = blocks.get(interfaceLine) ?? [];
  const name = aclName(port);
  const hasAcl = wanted.acl.length > 0;
  const off = families.flatMap((family) => {
    const group = groupOn(present, family);
    return group === undefined || (hasAcl && group === `${name} in`) ? [] : [`no ${groups[family]} ${group}`];
  });
  const removed = families.flatMap((family) =>
    blocks.has(`${lists[family]} ${name}`) ? [`no ${lists[family]} ${name}`] : [],
  );
  const written = families.flatMap((family) => [`${lists[family]} ${name}`, ...aclLines(wanted.acl, family, words)]);
  const on = families.map((family) => `${groups[family]} ${name} in`);
  const down = wanted.isDisabled ? [interfaceLine, 'shutdown'] : [];
  const up = wanted.isDisabled ? [] : ['no shutdown'];
  return hasAcl
    ? [...down, ...removed, ...written, interfaceLine, 'switchport', ...off, ...on, ...vlanLines(wanted), ...up]
    : [...down, interfaceLine, 'switchport', ...vlanLines(wanted), ...off, ...up, ...removed];
}

/** The name and direction of the list of a family on an interface. */
function groupOn(lines: readonly string[], family: AclEntry['family']): string | undefined {
  return wordsAfter(lines, `${groups[family]} `);
}

/** Every line of either mode is said, so that nothing of the other stays. */
function vlanLines({ untaggedVlan, taggedVlans }: PortSettings): string[] {
  if (untaggedVlan !== undefined && taggedVlans.length === 0) {
    return [
      'switchport mode access',
      `switchport access vlan ${untaggedVlan}`,
      'no switchport trunk allowed vlan',
      'no switchport trunk native vlan',
    ];
  }
  const native = nativeVlan({ untaggedVlan, taggedVlans });
  const allowed = chunksOf(carriedVlans({ untaggedVlan, taggedVlans })).map(
    (chunk, at) => `switchport trunk allowed vlan ${at === 0 ? '' : 'add '}${formatVlans(chunk)}`,
  );
  return [
    // Before the mode: a port that becomes a trunk must not carry every VLAN meanwhile.
    ...(allowed.length === 0 ? ['switchport trunk allowed vlan none'] : allowed),
    `switchport trunk native vlan ${native}`,
    'switchport mode trunk',
    'no switchport access vlan',
  ];
}

function understand(results: readonly TaskResult[]): NxosReading {
  const [config = '', defaults = ''] = printedParts(results, reading);
  const blocks = readBlocks(config);
  const ports = [...blocks.keys()].flatMap((header) => {
    const [, port] = /^interface (Ethernet\S+)$/.exec(header) ?? [];
    return port === undefined || port.includes('.') ? [] : [{ port }];
  });
  if (ports.length === 0) throw new Error('there is no interface in it');
  const isDefault = (line: string): boolean => defaults.split('\n').some((each) => each.trim() === line);
  const common: Common = {
    blocks,
    isSwitched: isDefault('system default switchport'),
    isShut: isDefault('system default switchport shutdown'),
    isNativeTagged: blocks.has('vlan dot1q tag native'),
  };
  return { portOf: (port) => stateOf(port, common), ports, version: 'NX-OS', blocks };
}

/** What is the same for all ports of a switch. */
interface Common {
  readonly blocks: ReadonlyMap<string, readonly string[]>;
  /** Ports that do not say otherwise are switched, not routed. */
  readonly isSwitched: boolean;
  /** Switched ports that do not say otherwise are down. */
  readonly isShut: boolean;
  readonly isNativeTagged: boolean;
}

function stateOf(port: string, { blocks, isSwitched, isShut, isNativeTagged }: Common): SwitchResult<PortState> {
  const lines = blocks.get(`interface ${port}`);
  if (lines === undefined) return { kind: 'no-port', message: `the switch has no interface ${port}` };
  const isRouted = isSwitched ? lines.includes('no switchport') : !lines.includes('switchport');
  const { untaggedVlan, taggedVlans } = readVlans(lines);
  const mode = wordsAfter(lines, 'switchport mode ') ?? 'access';
  const list = aclOn(lines, { blocks, port });
  return done({
    port,
    isDisabled: lines.includes('shutdown') || (isShut && !isRouted && !lines.includes('no shutdown')),
    untaggedVlan,
    taggedVlans,
    acl: list.acl,
    unread: [],
    strays: [
      ...(isRouted ? ['the port is routed'] : []),
      ...(mode === 'access' || mode === 'trunk' ? [] : [`switchport mode ${mode}`]),
      ...(mode === 'trunk' && isNativeTagged && untaggedVlan !== undefined ? ['vlan dot1q tag native'] : []),
      ...lines.filter((line) => line.startsWith('switchport voice vlan ')),
      ...list.strays,
    ],
  });
}

interface AclPlace {
  readonly blocks: ReadonlyMap<string, readonly string[]>;
  readonly port: string;
}

function aclOn(lines: readonly string[], { blocks, port }: AclPlace) {
  const own = `${aclName(port)} in`;
  const names = { ipv4: groupOn(lines, 'ipv4'), ipv6: groupOn(lines, 'ipv6') };
  const listOf = (family: AclEntry['family']) =>
    names[family] === own ? blocks.get(`${lists[family]} ${aclName(port)}`) : undefined;
  const read = readAclLines({ ipv4: listOf('ipv4'), ipv6: listOf('ipv6') }, words);
  const isHalf = (names.ipv4 === undefined) !== (names.ipv6 === undefined);
  const isGone = families.some((family) => names[family] === own && listOf(family) === undefined);
  const strays = [
    ...read.strays,
    ...families.flatMap((family) => {
      const name = names[family];
      return name === undefined || name === own ? [] : [`${groups[family]} ${name}`];
    }),
    ...(isGone ? ['an access list that there is none of'] : []),
    ...(isHalf ? ['an access list for one address family only'] : []),
  ];
  return { acl: read.acl, strays };
}
