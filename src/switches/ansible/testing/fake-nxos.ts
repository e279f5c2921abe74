import type { RunnerAnswer, RunnerOrder, RunnerTask } from '../runner-order.ts';
import type { AnsibleRunner } from '../runner-process.ts';

/** A make-believe NX-OS behind a make-believe runner: it takes lines one by one and prints its configuration. */
export interface FakeNxos {
  readonly runner: AnsibleRunner;
  /** Every line that reached the switch. */
  readonly typed: readonly string[];
  type(...lines: readonly string[]): void;
  /** Takes so many more lines and refuses the next one; what was taken stays. */
  refuseAfter(count: number): void;
}

type Block = Map<string, string>;

/** Makes a switch with these interfaces, which are routed and up until somebody says otherwise. */
export function createFakeNxos(
  ports: readonly string[],
  { defaults = [] }: { readonly defaults?: readonly string[] } = {},
): FakeNxos {
  const blocks = new Map<string, Block>(ports.map((port) => [`interface ${port}`, new Map()]));
  const typed: string[] = [];
  let left = Number.POSITIVE_INFINITY;
  let mode: string | undefined;
  const take = (line: string): string | undefined => {
    if (left === 0) return '% Permission denied for the role';
    left -= 1;
    typed.push(line);
    if (line === 'configure terminal' || line === 'end') mode = undefined;
    else if (line.startsWith('interface ') && !blocks.has(line)) return '% Invalid interface format';
    else mode = enter(blocks, line, mode);
    return undefined;
  };
  const run = (task: RunnerTask): RunnerAnswer => {
    if (!('module' in task)) return { results: [] };
    const commands = task.args.commands as readonly string[];
    const result = (status: 'ok' | 'failed', content: object): RunnerAnswer => ({
      results: [{ name: task.name, status, result: content }],
    });
    if (commands[0]?.startsWith('show ')) return result('ok', { stdout: [print(blocks), defaults.join('\n')] });
    for (const line of commands) {
      const refusal = take(line);
      if (refusal !== undefined) return result('failed', { msg: refusal });
    }
    return result('ok', { stdout: commands.map(() => '') });
  };
  return {
    typed,
    type: (...lines) => {
      for (const line of lines) take(line);
    },
    refuseAfter(count) {
      left = count;
    },
    runner: {
      run: async (order: RunnerOrder) => ({ results: order.tasks.flatMap((task) => run(task).results ?? []) }),
      close: async () => undefined,
    },
  };
}

/** Takes one line; says which block the next one belongs to. */
function enter(blocks: Map<string, Block>, line: string, mode: string | undefined): string | undefined {
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
  'ip port access-group',
  'ipv6 port traffic-filter',
];
const allowed = 'switchport trunk allowed vlan';

/** Lines of one setting replace each other, but those that add VLANs; what is the default is not printed. */
function set(block: Block, line: string): void {
  const bare = line.replace(/^no /, '');
  if (line.startsWith(`${allowed} add `)) {
    block.set(line, line);
    return;
  }
  if (bare.startsWith(allowed)) for (const key of [...block.keys()]) if (key.startsWith(allowed)) block.delete(key);
  const key = settings.find((setting) => bare.startsWith(setting)) ?? bare;
  const isDefault =
    line.startsWith('no ') ||
    ['switchport mode access', 'switchport access vlan 1', 'switchport trunk native vlan 1'].includes(line);
  if (isDefault) block.delete(key);
  else
    block.set(
      key,
      line
        .replaceAll(/\bhost (\S+:\S*)/g, '$1/128')
        .replaceAll(/\bhost (\S+)/g, '$1/32')
        .replace(/eq 22$/, 'eq ssh'),
    );
}

function print(blocks: ReadonlyMap<string, Block>): string {
  return [...blocks]
    .map(([header, lines]) => [header, ...[...lines.values()].map((line) => `  ${line}`), ''].join('\n'))
    .join('\n');
}
