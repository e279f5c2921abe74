import type { Command } from 'commander';
import { addSettings } from '../../add-settings.ts';
import { parseDurationMs } from '../../duration.ts';
import { usageError } from '../../errors.ts';
import { collect } from '../../objects/session.ts';
import { readSettings, type SettingName, type Settings } from '../../settings.ts';
import type { Terminal } from '../../terminal.ts';
import { conditionorcSettings, flasherSettings, issueTokenSettings, serverserviceSettings } from './setting-names.ts';

/** Adds the parts of the install service as processes of their own. */
export function addStandAloneCommands(program: Command, terminal: Terminal): void {
  addService(program, terminal, {
    name: 'conditionorc',
    summary: 'run conditionOrc alone',
    description:
      'Runs conditionOrc: takes orders for work on servers over REST, gives them to workers, and takes them back from those that die or hang. Several can share one --database-url.',
    settings: conditionorcSettings,
    run: async (settings) => (await import('./run-conditionorc.ts')).runConditionorc(settings, terminal),
  });
  addService(program, terminal, {
    name: 'serverservice',
    summary: 'run the inventory alone',
    description:
      'Runs Serverservice: the inventory of servers and the catalogue of firmware over REST. Several can share one --database-url.',
    settings: serverserviceSettings,
    run: async (settings) => (await import('./run-serverservice.ts')).runServerservice(settings, terminal),
  });
  addService(program, terminal, {
    name: 'flasher',
    summary: 'run a worker that installs firmware',
    description:
      'Runs a flasher: installs firmware on the servers of some facilities, takes inventories, switches power, changes BIOS settings. It works for a conditionorc over HTTP, or opens the database of --database-url itself.',
    settings: flasherSettings,
    run: async (settings) => (await import('./run-flasher.ts')).runFlasher(settings, terminal),
  });
  addTokenCommand(program, terminal);
}

/** A service as a command. */
export interface ServiceCommand<N extends SettingName> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly settings: readonly N[];
  run(settings: Settings<N>): Promise<void>;
}

/** Adds a command that runs a service until it is told to stop. */
export function addService<N extends SettingName>(
  program: Command,
  terminal: Terminal,
  service: ServiceCommand<N>,
): void {
  const command = program
    .command(service.name)
    .summary(service.summary)
    .description(service.description)
    .action((flags: object) => service.run(readSettings(service.settings, { ...flags }, terminal)));
  addSettings(command, service.settings);
}

interface TokenFlags {
  readonly subject: string;
  readonly scope?: readonly string[];
  readonly validFor: string;
}

function addTokenCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('issue-token')
    .summary('make a token for the services of the install service')
    .description(
      'Prints a token that services take which were started with the same --jwt-issuer, --jwt-audience and --jwt-key-file.',
    )
    .requiredOption('--subject <name>', 'whom the token is for; conditions show who asked for them')
    .option('--scope <scope>', 'what it is good for, such as read or update:worker; may be repeated', collect)
    .option('--valid-for <duration>', 'how long it is good', '24h')
    .action(async (flags: TokenFlags) => {
      const settings = readSettings(issueTokenSettings, { ...flags }, terminal);
      const validForMs = parseDurationMs(flags.validFor, '--valid-for');
      if (flags.scope === undefined) throw usageError('--scope is missing: what the token is good for');
      const { issueToken } = await import('./issue-token.ts');
      await issueToken({ settings, subject: flags.subject, scopes: flags.scope, validForMs }, terminal);
    });
  addSettings(command, issueTokenSettings);
}
