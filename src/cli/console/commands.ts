import type { Command } from 'commander';
import { addSettings } from '../add-settings.ts';
import { readSettings } from '../settings.ts';
import { runServer } from '../stop.ts';
import type { Terminal } from '../terminal.ts';

/** The settings of `rackwright console`. */
export const consoleSettings = [
  'kubeconfig',
  'host',
  'consolePort',
  'tlsCert',
  'tlsKey',
  'restUrl',
  'caFile',
  'maxAttempts',
  'attemptsFirst',
] as const;

/** Adds `rackwright console`. */
export function addConsoleCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('console')
    .summary('serve the console of a cluster')
    .description(
      'Serves the web console of the cluster of --kubeconfig, and nothing else: for clusters that "rackwright install" was run in. It shows and does what the token of whoever logs in allows; --rest-url names the conditionorc whose tasks are shown.',
    )
    .action((flags: object) =>
      runServer(terminal, async () => {
        const settings = readSettings(consoleSettings, { ...flags }, terminal);
        await (await import('./run-console.ts')).runConsole(settings, terminal);
      }),
    );
  addSettings(command, consoleSettings);
}
