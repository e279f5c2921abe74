import type { Command } from 'commander';
import { addSessionFlags, withSession } from '../objects/session.ts';
import { addOutputFlag } from '../output/show.ts';
import type { Terminal } from '../terminal.ts';
import type { NetworkPlanFlags } from './plan-network.ts';

/** Adds `rackwright plan network`. */
export function addNetworkPlanCommand(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('network')
    .summary('tell what would be done to switch ports')
    .description(
      'Tells what the controllers would do now: which configuration hosts would link to which port, what would change on the switch, as a diff against what was last read there, and what is blocked and why.',
    )
    .argument('[what...]', 'names of hosts or switch ports, with or without their namespace; all of them unless given')
    .option('-a, --all', 'also ports that are as they should be')
    .action((words: string[], flags: NetworkPlanFlags) =>
      withSession(flags, terminal, async (session) => {
        const { planNetworkOf } = await import('./plan-network.ts');
        await planNetworkOf(words, flags, { session, terminal });
      }),
    );
  addOutputFlag(command);
  addSessionFlags(command);
}
