import type { Command } from 'commander';
import { addSettings } from '../add-settings.ts';
import { usageError } from '../errors.ts';
import { collect } from '../objects/session.ts';
import { readOutputForm } from '../output/output-form.ts';
import { addOutputFlag } from '../output/show.ts';
import { readSettings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import type { RestClient } from './rest-client.ts';

const adoptSettings = ['dataDir', 'host', 'port', 'kubeconfig', 'databaseUrl', 'databaseUrlFile'] as const;
const clientSettings = ['dataDir', 'restUrl', 'inventoryUrl', 'tokenFile', 'caFile'] as const;

/** Adds the commands that ask for work on servers and look at it. */
export function addWorkCommands(program: Command, terminal: Terminal): void {
  addInstallCommand(program, terminal);
  addConditionsCommand(program, terminal);
  addCancelCommand(program, terminal);
  addAdoptCommand(program, terminal);
}

/** Connects to the REST services, acts, and disconnects whatever happens. */
async function withRest(flags: object, terminal: Terminal, act: (client: RestClient) => Promise<void>): Promise<void> {
  const { findRest } = await import('./rest-address.ts');
  const { createRestClient } = await import('./rest-client.ts');
  const client = createRestClient(findRest(readSettings(clientSettings, { ...flags }, terminal)));
  try {
    await act(client);
  } finally {
    await client.close();
  }
}

interface InstallFlags {
  readonly set: string;
  readonly component?: string[];
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly wait?: boolean;
  readonly output?: string;
}

function addInstallCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('install-firmware')
    .summary('install a firmware set on a server')
    .description(
      'Installs a firmware set on a server and shows how far it is until it is over. Ctrl-C ends the showing, not the install.',
    )
    .argument('<server>', 'its name or id in the inventory, or the address of its BMC')
    .requiredOption('--set <set>', 'name or id of the firmware set; "latest": the newest for the model')
    .option('--component <name>', 'only what the set has for this component; may be repeated', collect)
    .option('--dry-run', 'plan and check everything, and do nothing that disrupts')
    .option('--force', 'also install what is installed already')
    .option('--no-wait', 'come back as soon as the install is asked for')
    .action((server: string, flags: InstallFlags) =>
      withRest(flags, terminal, async (client) => {
        const { installFirmware } = await import('./install-firmware.ts');
        const order = {
          server,
          set: flags.set,
          components: flags.component ?? [],
          isDryRun: flags.dryRun === true,
          isForced: flags.force === true,
          isDetached: flags.wait === false,
          output: readOutputForm(flags.output),
        };
        await installFirmware(client, order, { terminal });
      }),
    );
  addOutputFlag(command);
  addSettings(command, clientSettings);
}

function addConditionsCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('conditions')
    .summary('list work on servers')
    .description('Lists conditions, that is work on servers, newest first: what waits, what goes on, what ended.')
    .argument('[server]', 'only those of this server, by name, id or BMC address')
    .option('--history', 'also those that ended long ago')
    .option('--limit <n>', 'the most to list', '100')
    .action((server: string | undefined, flags: { history?: boolean; limit: string; output?: string }) =>
      withRest(flags, terminal, async (client) => {
        const limit = Number(flags.limit);
        if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
          throw usageError(`--limit ${flags.limit}: a whole number from 1 to 1000 is needed`);
        }
        const { listConditions } = await import('./conditions.ts');
        const output = readOutputForm(flags.output);
        await listConditions(client, { server, limit, output, isWithHistory: flags.history === true }, terminal);
      }),
    );
  addOutputFlag(command);
  addSettings(command, clientSettings);
}

function addCancelCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('cancel')
    .summary('cancel work on a server')
    .description('Cancels a condition: what waits at once, what goes on at its next safe point.')
    .argument('<id>', 'the id of the condition, as in "rackwright conditions"')
    .option('--force', 'do not wait for a safe point')
    .option('--insist', 'with --force: also in the middle of a flash, after which the device may be unusable')
    .action((id: string, flags: { force?: boolean; insist?: boolean; output?: string }) =>
      withRest(flags, terminal, async (client) => {
        const { cancelCondition } = await import('./conditions.ts');
        const output = readOutputForm(flags.output);
        const order = { id, output, isForced: flags.force === true, doesInsist: flags.insist === true };
        await cancelCondition(client, order, terminal);
      }),
    );
  addOutputFlag(command);
  addSettings(command, clientSettings);
}

function addAdoptCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('adopt-fleet')
    .summary('give a fleet to another store of the work engine')
    .description(
      'Gives the fleet of a Kubernetes plane to the store of these options, after the store that it belonged to was lost. Stop everything that works on the fleet first.',
    )
    .option('--yes', 'the earlier store is lost, and nothing works on the fleet')
    .action(async (flags: { yes?: boolean }) => {
      const { adoptFleet, requireConsent } = await import('./adopt-fleet.ts');
      requireConsent(flags.yes === true);
      await adoptFleet(readSettings(adoptSettings, { ...flags }, terminal), terminal);
    });
  addSettings(command, adoptSettings);
}
