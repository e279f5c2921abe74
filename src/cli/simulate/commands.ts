import type { Command } from 'commander';
import { addSettings } from '../add-settings.ts';
import { type OutputForm, readOutputForm } from '../output/output-form.ts';
import { addOutputFlag } from '../output/show.ts';
import { readSettings, type Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';

const simulatorSettings = [
  'dataDir',
  'racks',
  'servers',
  'seed',
  'speed',
  'faults',
  'export',
  'bmcHost',
  'bmcPort',
  'personalities',
  'plainHttp',
  'discoverable',
  'agentUrl',
  'agentTokenFile',
  'agentCa',
] as const;

/** Adds `rackwright simulate` and what looks at a simulator that runs. */
export function addSimulateCommands(program: Command, terminal: Terminal): void {
  const simulate = program
    .command('simulate')
    .summary('run a simulated data centre')
    .description(
      'Runs a data centre on loopback: BMCs with Redfish services in the ways of several vendors, hosts, switches and, where asked for, faults. It stays until it is told to stop, keeps its state in the data directory, and goes on from there when it is started again.',
    )
    .action(async (flags: object) => {
      const settings = readSettings(simulatorSettings, { ...flags }, terminal);
      const { runSimulator } = await import('./run-simulator.ts');
      await runSimulator(settings, terminal);
    });
  addSettings(simulate, simulatorSettings);
  addFaultsCommand(simulate, terminal);
  addStatusCommand(simulate, terminal);
  addLogCommand(simulate, terminal);
  addLoginCommand(simulate, terminal);
  addFirmwareCommand(simulate, terminal);
  addResetCommand(simulate, terminal);
  addJoinSecretCommand(simulate, terminal);
}

/** A command about a running simulator; the data directory says which, before or behind the command's name. */
function addPart(simulate: Command, nameAndArguments: string): Command {
  const part = simulate.command(nameAndArguments);
  addSettings(part, ['dataDir']);
  return part;
}

function dataDirOf(simulate: Command, flags: object, terminal: Terminal): Settings<'dataDir'> {
  return readSettings(['dataDir'], { ...simulate.opts(), ...flags }, terminal);
}

interface OutputFlag {
  readonly output?: string;
}

function outputOf({ output }: OutputFlag): OutputForm {
  return readOutputForm(output);
}

function addFaultsCommand(simulate: Command, terminal: Terminal): void {
  addOutputFlag(addPart(simulate, 'faults'))
    .summary('show or change what goes wrong in a running simulator')
    .description(
      'Without a file, shows the faults in force. With one, puts its rules in their place, or adds them to those with --add.',
    )
    .argument('[file]', 'rules in YAML or JSON; "-" reads standard input')
    .option('--add', 'keep the faults that are there')
    .option('--clear', 'no faults any more')
    .action(async (file: string | undefined, flags: OutputFlag & { add?: boolean; clear?: boolean }) => {
      const { dataDir } = dataDirOf(simulate, flags, terminal);
      const { changeFaults } = await import('./running-simulator.ts');
      const [isAdding, isClearing] = [flags.add === true, flags.clear === true];
      await changeFaults({ dataDir, file, isAdding, isClearing, output: outputOf(flags) }, terminal);
    });
}

function addStatusCommand(simulate: Command, terminal: Terminal): void {
  addOutputFlag(addPart(simulate, 'status'))
    .summary('list the servers of a running simulator')
    .description('Lists the servers of a running simulator: address, vendor, power, what runs on them.')
    .action(async (flags: OutputFlag) => {
      const { dataDir } = dataDirOf(simulate, flags, terminal);
      const { showStatus } = await import('./running-simulator.ts');
      await showStatus({ dataDir, output: outputOf(flags) }, terminal);
    });
}

function addLogCommand(simulate: Command, terminal: Terminal): void {
  addOutputFlag(addPart(simulate, 'log'))
    .summary('print what happened to a simulated server')
    .description('Prints what happened to one server, in simulated time.')
    .argument('<server>', 'its name, as in "rackwright simulate status"')
    .option('--only <events>', 'what begins so: power, session, request, update.flash ...')
    .action(async (server: string, flags: OutputFlag & { readonly only?: string }) => {
      const { dataDir } = dataDirOf(simulate, flags, terminal);
      const { showLog } = await import('./running-simulator.ts');
      await showLog({ dataDir, server, only: flags.only ?? '', output: outputOf(flags) }, terminal);
    });
}

function addLoginCommand(simulate: Command, terminal: Terminal): void {
  addOutputFlag(addPart(simulate, 'login'))
    .summary("print a simulated BMC's address, user and password")
    .description("Prints how to log in to a simulated server's BMC: address, user and password.")
    .argument('<server>', 'its name, as in "rackwright simulate status"')
    .action(async (server: string, flags: OutputFlag) => {
      const { dataDir } = dataDirOf(simulate, flags, terminal);
      const { showLogin } = await import('./running-simulator.ts');
      await showLogin({ dataDir, server, output: outputOf(flags) }, terminal);
    });
}

function addFirmwareCommand(simulate: Command, terminal: Terminal): void {
  addOutputFlag(addPart(simulate, 'firmware'))
    .summary('list the firmware that can be had for a simulated server')
    .description(
      'Lists the firmware of a server, what versions of it can be had, and the addresses of their images, which its BMC can pull.',
    )
    .argument('<server>', 'its name, as in "rackwright simulate status"')
    .action(async (server: string, flags: OutputFlag) => {
      const { dataDir } = dataDirOf(simulate, flags, terminal);
      const { showFirmware } = await import('./running-simulator.ts');
      await showFirmware({ dataDir, server, output: outputOf(flags) }, terminal);
    });
}

function addResetCommand(simulate: Command, terminal: Terminal): void {
  addPart(simulate, 'reset')
    .summary("press a simulated server's power button")
    .description('Switches a server on or off, or restarts it, behind the back of its BMC.')
    .argument('<server>', 'its name, as in "rackwright simulate status"')
    .argument('<type>', 'as Redfish names it: On, ForceOff, GracefulShutdown, ForceRestart ...')
    .action(async (server: string, type: string, flags: object) => {
      const { dataDir } = dataDirOf(simulate, flags, terminal);
      const { resetServer } = await import('./running-simulator.ts');
      await resetServer({ dataDir, server, type }, terminal);
    });
}

function addJoinSecretCommand(simulate: Command, terminal: Terminal): void {
  const part = simulate
    .command('join-secret')
    .summary('make user data by which simulated servers become nodes')
    .description(
      'Makes a Secret with user data by which simulated servers that are provisioned join the API of "rackwright up" as nodes; MachineSets name it in bootstrap.dataSecretName.',
    )
    .argument('<name>', 'of the Secret');
  addSettings(part, ['dataDir']);
  part
    .option('-n, --namespace <name>', 'where it is made', 'default')
    .action(async (name: string, flags: { readonly namespace: string }) => {
      const { dataDir } = dataDirOf(simulate, flags, terminal);
      const { makeJoinSecret } = await import('./join-secret.ts');
      const { withSession } = await import('../objects/session.ts');
      const { namespace } = flags;
      await withSession({ dataDir }, terminal, ({ client }) =>
        makeJoinSecret({ client, dataDir, namespace, name }, terminal),
      );
    });
}
