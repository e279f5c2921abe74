import { systemClock } from '../../kube/index.ts';
import { defaultNetworkSettings, loadNetwork, type NetworkPlan, planNetwork } from '../../network/index.ts';
import { usageError } from '../errors.ts';
import type { Session, SessionFlags } from '../objects/session.ts';
import { readOutputForm } from '../output/output-form.ts';
import { renderShown } from '../output/show.ts';
import type { Terminal } from '../terminal.ts';
import { formatNetworkPlan } from './format-plan.ts';

/** The flags of `rackwright plan network`. */
export interface NetworkPlanFlags extends SessionFlags {
  readonly all?: boolean;
  readonly output?: string;
}

/** Plans and prints. */
export async function planNetworkOf(
  words: readonly string[],
  flags: NetworkPlanFlags,
  { session, terminal }: { readonly session: Session; readonly terminal: Terminal },
): Promise<void> {
  const output = readOutputForm(flags.output);
  const { client, namespace } = session;
  const ports = words.map((word) => (word.includes('/') ? word : `${namespace}/${word}`));
  const loaded = await loadNetwork(client, { namespace, ports, signal: terminal.interrupted });
  const plan = planNetwork({ ...loaded, settings: defaultNetworkSettings, only: words }, systemClock.now());
  if (words.length > 0) checkFound(plan, words);
  const isAll = flags.all === true || words.length > 0;
  const names = plan.ports.map(({ port }) => `switchport.metal3.io/${port}`);
  const text = ({ isWide }: { isWide: boolean }): string => formatNetworkPlan(plan, { isAll: isAll || isWide });
  terminal.out(renderShown({ value: plan, names, text }, output));
  if (plan.ports.length === 0) terminal.err('No switch ports found\n');
}

function checkFound({ hosts, ports }: NetworkPlan, words: readonly string[]): void {
  const keys = [...hosts.map(({ host }) => host), ...ports.map(({ port }) => port)];
  const isFound = (word: string): boolean => keys.some((key) => key === word || key.endsWith(`/${word}`));
  const missing = words.find((word) => !isFound(word));
  if (missing !== undefined)
    throw usageError(`${missing}: there is neither a switch port nor a host with ports of that name`);
}
