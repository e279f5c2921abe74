import type { Command } from 'commander';
import { addSettings } from '../add-settings.ts';
import { addSessionFlags, withSession } from '../objects/session.ts';
import { addOutputFlag } from '../output/show.ts';
import type { Terminal } from '../terminal.ts';
import type { HistoryFlags } from './show-history.ts';

/** Adds `rackwright history`. */
export function addHistoryCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('history')
    .summary('tell what was done to a machine')
    .description(
      'Tells what was done to a machine, when, by whom and with what result: work of the engine, what its host went through, and events; oldest first. Of machines of other fleets on the same database nothing is told.',
    )
    .argument(
      '[machine]',
      'its BareMetalHost, Server or BMC as NAME or TYPE/NAME, or its system UUID; all unless given',
    )
    .option('--limit <n>', 'the most to tell; the newest', '100')
    .option('--no-events', 'leave out events')
    .action((word: string | undefined, flags: HistoryFlags) =>
      withSession(flags, terminal, async (session) => {
        const { withRestIfThere } = await import('../fleet/read-fleet.ts');
        const { showHistory } = await import('./show-history.ts');
        await withRestIfThere(flags, terminal, (rest, problem) =>
          showHistory(word, flags, { session, terminal, rest, problem }),
        );
      }),
    );
  addOutputFlag(command);
  addSettings(command, ['restUrl', 'inventoryUrl', 'tokenFile', 'caFile']);
  addSessionFlags(command);
}
