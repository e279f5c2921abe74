import type { Command } from 'commander';
import { addSettings } from '../add-settings.ts';
import { addNetworkPlanCommand } from '../network/commands.ts';
import { addSessionFlags, collect, withSession } from '../objects/session.ts';
import { addOutputFlag } from '../output/show.ts';
import type { Terminal } from '../terminal.ts';
import type { PlanFlags } from './plan-firmware.ts';
import type { WhyFlags } from './why-server.ts';

/** Settings that controllers decide by: who plans has to say them as they are said to the controllers. */
const decidingSettings = ['maxAttempts', 'attemptsFirst'] as const;

/** Adds `rackwright plan`, with `firmware` and `network` below it, and `rackwright why`. */
export function addFirmwareCommands(program: Command, terminal: Terminal): void {
  const plan = program
    .command('plan')
    .summary('tell what would be done')
    .description('Tells what would be done, and changes nothing.');
  addPlanCommand(plan, terminal);
  addNetworkPlanCommand(plan, terminal);
  const why = program
    .command('why')
    .summary('tell why something is as it is')
    .description(
      'Tells in plain sentences what state something is in, why, what it waits for, and what to type next: the firmware of a server, a host, a switch port, a machine, or any other object with conditions.',
    )
    .argument(
      '<what...>',
      'name of a Server, ServerFirmware or BMC, or a system UUID; with -n also of a host, a switch port or a machine; or TYPE/NAME, such as bmh/host-1',
    )
    .action((words: string[], flags: WhyFlags) =>
      withSession(flags, terminal, async (session) => {
        const { why: explain } = await import('../why/why.ts');
        await explain(words, flags, { session, terminal });
      }),
    );
  addOutputFlag(why);
  addSettings(why, [...decidingSettings, 'restUrl', 'inventoryUrl', 'tokenFile', 'caFile']);
  addSessionFlags(why);
}

function addPlanCommand(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('firmware')
    .summary('tell what would be done to the firmware of servers')
    .description(
      'Tells what the controllers would do now: which versions they would install on which server, in what order and with how many restarts, and what is blocked and why.',
    )
    .argument(
      '[what...]',
      'a selector of labels, e.g. env=prod,tier!=db, or names of servers; all of them unless given',
    )
    .option('-l, --selector <labels>', 'only those with these labels; here a key alone is a selector, too')
    .option('-f, --filename <file>', 'plan as if this file or folder was applied, or - for the standard input', collect)
    .option('-R, --recursive', 'also the folders in a folder')
    .option('--force-conflicts', 'with -f: as if fields that others own were taken over')
    .option('--field-manager <name>', 'with -f: who would own the fields', 'rackwright')
    .action((words: string[], flags: PlanFlags) =>
      withSession(flags, terminal, async (session) => {
        const { planFirmwareOf } = await import('./plan-firmware.ts');
        await planFirmwareOf(words, flags, { session, terminal });
      }),
    );
  addOutputFlag(command);
  addSettings(command, decidingSettings);
  addSessionFlags(command);
}
