import type { PortWrite } from '../../device/index.ts';
import { aclOfFlows, flowsOfAcl, ownCookie, ownCookieMask } from '../../ovs/openflow/index.ts';
import {
  columnsOfSettings,
  numberOf,
  type OvsPort,
  optionalOf,
  setOf,
  textOf,
  vlansOfColumns,
} from '../../ovs/ovsdb/index.ts';
import { type PortState, portAspects } from '../../port-settings.ts';
import { done, type SwitchResult } from '../../switch-result.ts';
import { type AnsibleSystem, printedParts, type SystemReading } from '../ansible-system.ts';
import type { RunnerTask, TaskResult } from '../runner-order.ts';
import { flowText, parseFlowLine } from './flow-text.ts';

const portColumns = ['name', 'tag', 'trunks', 'vlan_mode', 'protected'] as const;
const ownFlows = `cookie=0x${ownCookie.toString(16)}/0x${ownCookieMask.toString(16)}`;
const reading = 'read ports and access lists';
const columns = `--columns=${portColumns.join(',')}`;
const ofctl = ['ovs-ofctl', '-OOpenFlow14'] as const;

/** Words of a command, and what it reads. */
interface Command {
  readonly argv: readonly string[];
  readonly stdin?: string;
}

/**
 * Commands on the switch, in one go. Their words go to the programs as they are: there is no shell in between.
 * network-runner's own provider is not used here: it leaves a trunk's VLANs on an access port, takes ports off the
 * bridge to clean them, and knows no access lists.
 */
function commands(name: string, list: readonly Command[]): RunnerTask {
  return { name, module: 'rackwright_commands', args: { commands: list }, keywords: { become: true } };
}

/** Open vSwitch by its own programs over SSH, for one bridge. */
export function openvswitchSystem(bridge: string): AnsibleSystem {
  return {
    system: 'openvswitch',
    writes: portAspects,
    reads: portAspects,
    canListPorts: true,
    vars: { ansible_connection: 'ssh', ansible_become_method: 'sudo', ansible_python_interpreter: '/usr/bin/python3' },
    collections: [],
    readTasks: () => [
      commands(reading, [
        { argv: ['ovs-vsctl', '--timeout=20', '--format=json', 'list-ports', bridge, '--', columns, 'list', 'Port'] },
        { argv: [...ofctl, '--names', 'dump-ports-desc', bridge] },
        { argv: [...ofctl, '--no-names', 'dump-flows', bridge, ownFlows] },
      ]),
    ],
    understand: (results) => understand(bridge, results),
    writeTasks: (writes, reading) => writeTasks(bridge, writes, reading as OvsReading),
  };
}

/** A reading that also knows the numbers that flows go by. */
interface OvsReading extends SystemReading {
  readonly numbers: ReadonlyMap<string, NumberedPort>;
}

interface NumberedPort {
  readonly ofport: number;
  readonly isDown: boolean;
  readonly isLinkUp: boolean;
}

function understand(bridge: string, results: readonly TaskResult[]): OvsReading {
  const [portText = '', numberText = '', flowsText = ''] = printedParts(results, reading);
  const lines = portText.split('\n').filter((line) => line !== '');
  const table = lines.find((line) => line.startsWith('{'));
  const members = new Set(lines.filter((line) => !line.startsWith('{')));
  const rows = new Map(rowsOf(table).map((row) => [row.name, row]));
  const numbers = numbersOf(numberText);
  const flows = flowsText.split('\n').flatMap((line) => parseFlowLine(line) ?? []);
  const portOf = (port: string): SwitchResult<PortState> => {
    const row = members.has(port) ? rows.get(port) : undefined;
    if (row === undefined) return { kind: 'no-port', message: `bridge ${bridge} has no port ${port}` };
    const known = numbers.get(port);
    const vlans = vlansOfColumns(row);
    const list = known === undefined ? { acl: [], strays: [] } : aclOfFlows(flows, known.ofport);
    const strays = [...vlans.strays, ...list.strays];
    const { untaggedVlan, taggedVlans } = vlans;
    return done({
      port,
      untaggedVlan,
      taggedVlans,
      acl: list.acl,
      isDisabled: known?.isDown ?? false,
      isLinkUp: known?.isLinkUp,
      unread: [],
      strays,
    });
  };
  return {
    portOf,
    numbers,
    ports: [...members].map((port) => ({ port, isLinkUp: numbers.get(port)?.isLinkUp })),
    version: 'Open vSwitch',
  };
}

function rowsOf(table: string | undefined): OvsPort[] {
  if (table === undefined) return [];
  const { headings, data } = JSON.parse(table) as { headings: string[]; data: unknown[][] };
  return data.map((cells) => {
    const row = Object.fromEntries(headings.map((heading, index) => [heading, cells[index]]));
    return {
      id: '',
      name: textOf(row.name) ?? '',
      tag: numberOf(optionalOf(row.tag)),
      trunks: setOf(row.trunks).filter((id) => typeof id === 'number'),
      vlanMode: textOf(optionalOf(row.vlan_mode)),
      isProtected: row.protected === true,
      externalIds: new Map(),
      interfaces: [],
    };
  });
}

/** ` 1(swp1): addr:...` begins a port; its `config:` and `state:` follow. */
function numbersOf(text: string): Map<string, NumberedPort> {
  const ports = new Map<string, NumberedPort>();
  let name: string | undefined;
  for (const line of text.split('\n')) {
    const [, number, quoted] = /^\s*(\w+)\(([^)]+)\): addr:/.exec(line) ?? [];
    if (quoted !== undefined) {
      name = quoted.replaceAll('"', '');
      ports.set(name, { ofport: Number(number), isDown: false, isLinkUp: true });
    }
    const known = name === undefined ? undefined : ports.get(name);
    if (name === undefined || known === undefined) continue;
    if (/^\s*config:.*PORT_DOWN/.test(line)) ports.set(name, { ...known, isDown: true });
    if (/^\s*state:.*LINK_DOWN/.test(line)) ports.set(name, { ...known, isLinkUp: false });
  }
  // The bridge's own port has a word for a number.
  for (const [port, { ofport }] of ports) if (Number.isNaN(ofport)) ports.delete(port);
  return ports;
}

/** Shut down first, then the lists in one bundle, then the VLANs they guard, and open last. */
function writeTasks(bridge: string, writes: readonly PortWrite[], { numbers }: OvsReading): RunnerTask[] {
  const numbered = writes.flatMap((write) => {
    const known = numbers.get(write.port);
    return known === undefined ? [] : [{ ...write, ...known }];
  });
  const flows = numbered.flatMap(({ ofport, wanted }) => [
    `delete ${ownFlows},in_port=${ofport}`,
    ...flowsOfAcl(wanted.acl, ofport).map((flow) => `add ${flowText(flow)}`),
  ]);
  const turn = (port: string, way: 'up' | 'down'): Command => ({ argv: [...ofctl, 'mod-port', bridge, port, way] });
  return [
    commands('set ports', [
      ...numbered.filter(({ wanted, isDown }) => wanted.isDisabled && !isDown).map(({ port }) => turn(port, 'down')),
      { argv: [...ofctl, '--bundle', 'add-flows', bridge, '-'], stdin: `${flows.join('\n')}\n` },
      { argv: ['ovs-vsctl', '--timeout=20', ...writes.flatMap(settingWords)] },
      ...numbered.filter(({ wanted, isDown }) => !wanted.isDisabled && isDown).map(({ port }) => turn(port, 'up')),
    ]),
  ];
}

function settingWords({ port, wanted }: PortWrite): string[] {
  const columns = Object.entries(columnsOfSettings(wanted)).map(([column, value]) => {
    const members = setOf(value);
    return Array.isArray(value) ? `${column}=[${members.join(',')}]` : `${column}=${members[0]}`;
  });
  return [
    '--',
    'set',
    'Port',
    port,
    ...columns,
    'external_ids:rackwright=managed',
    '--',
    'set',
    'Interface',
    port,
    'lldp:enable=true',
  ];
}
