import type { RunnerAnswer, RunnerOrder, RunnerTask } from '../runner-order.ts';
import type { AnsibleRunner } from '../runner-process.ts';

/** A make-believe EOS behind a make-believe runner: it takes configuration lines and prints its configuration. */
export interface FakeEos {
  readonly runner: AnsibleRunner;
  /** Every line that reached the switch. */
  readonly typed: readonly string[];
  /** Every order, as the runner would get it. */
  readonly orders: readonly RunnerOrder[];
  type(...lines: readonly string[]): void;
  /** Plugs something in that speaks LLDP. */
  plug(port: string, told: object): void;
}

type Blocks = Map<string, Map<string, string>>;

/** Makes a switch with these interfaces. */
export function createFakeEos(ports: readonly string[]): FakeEos {
  let blocks: Blocks = new Map(ports.map((port) => [`interface ${port}`, new Map()]));
  const typed: string[] = [];
  const orders: RunnerOrder[] = [];
  const plugged: Record<string, { lldpNeighborInfo: object[] }> = {};
  /** A configuration session: all of it or nothing. */
  const configure = (lines: readonly string[]): string | undefined => {
    const session = structuredClone(blocks);
    let mode: string | undefined;
    for (const line of lines) {
      typed.push(line);
      if (/^interface /.test(line) && !session.has(line)) return `% Invalid interface: ${line}`;
      mode = enter(session, line, mode);
    }
    blocks = session;
    return undefined;
  };
  const run = (task: RunnerTask): RunnerAnswer => {
    if (!('module' in task)) return { results: [] };
    const result = (status: 'ok' | 'failed', content: object): RunnerAnswer => ({
      results: [{ name: task.name, status, result: content }],
    });
    const isAboutNeighbours = String(task.args.commands).startsWith('show lldp');
    if (isAboutNeighbours) return result('ok', { stdout: [{ lldpNeighbors: plugged }] });
    if (task.module === 'arista.eos.eos_command') return result('ok', { stdout: [print(blocks)] });
    const refusal = configure(String(task.args.config).split('\n'));
    return refusal === undefined ? result('ok', { changed: true }) : result('failed', { msg: refusal });
  };
  return {
    typed,
    orders,
    type: (...lines) => void configure(lines),
    plug(port, told) {
      plugged[port] = { lldpNeighborInfo: [told] };
    },
    runner: {
      async run(order) {
        orders.push(order);
        return { results: order.tasks.flatMap((task) => run(task).results ?? []) };
      },
      close: async () => undefined,
    },
  };
}

/** Takes one line; says which block the next one belongs to. */
function enter(blocks: Blocks, line: string, mode: string | undefined): string | undefined {
  const [, gone] = /^no ((?:ip|ipv6) access-list .*)$/.exec(line) ?? [];
  if (gone !== undefined) {
    blocks.delete(gone);
    return undefined;
  }
  if (/^(?:interface|vlan|ip access-list|ipv6 access-list) /.test(line)) {
    if (!blocks.has(line)) blocks.set(line, new Map());
    return line;
  }
  const block = mode === undefined ? undefined : blocks.get(mode);
  if (block !== undefined) set(block, line);
  return mode;
}

const settings = [
  'switchport mode',
  'switchport access vlan',
  'switchport trunk native vlan',
  'switchport trunk allowed vlan',
  'ip access-group',
  'ipv6 access-group',
];

/** Lines of one setting replace each other; what is the default is not kept, as EOS does not print it. */
function set(block: Map<string, string>, line: string): void {
  const bare = line.replace(/^no /, '');
  const key = settings.find((setting) => bare.startsWith(setting)) ?? bare;
  const isDefault =
    line.startsWith('no ') || ['switchport', 'switchport mode access', 'switchport access vlan 1'].includes(line);
  if (isDefault) block.delete(key);
  else block.set(key, line);
}

function print(blocks: Blocks): string {
  return [...blocks]
    .map(([header, lines]) => [header, ...[...lines.values()].map((line) => `   ${line}`), '!'].join('\n'))
    .join('\n');
}
