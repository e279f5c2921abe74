import { Command, CommanderError } from 'commander';
import { redactText } from '../telemetry/index.ts';
import { addCompletionCommand, answerCompletion, completeWord } from './completion/commands.ts';
import { addConsoleCommand } from './console/commands.ts';
import { addBackupCommands } from './data-dir/commands.ts';
import { exitCodes, explainError, type Outcome } from './errors.ts';
import { addFirmwareCommands } from './firmware/commands.ts';
import { addFirmwareServiceCommands } from './firmware-plane/commands.ts';
import { addHistoryCommand } from './history/commands.ts';
import { addInstallCommand } from './install/commands.ts';
import { addWorkCommands } from './install-service/commands.ts';
import { addStandAloneCommands } from './install-service/stand-alone/commands.ts';
import { addJobCommand } from './jobs/commands.ts';
import { addMarkCommands } from './objects/annotate.ts';
import { addApplyCommand } from './objects/apply.ts';
import { addDeleteCommand } from './objects/delete.ts';
import { addDescribeCommand } from './objects/describe.ts';
import { addEditCommand } from './objects/edit.ts';
import { addGetCommand } from './objects/get.ts';
import { addWaitCommand } from './objects/wait.ts';
import { addSimulateCommands } from './simulate/commands.ts';
import { addSupportBundleCommand } from './support-bundle/commands.ts';
import type { Terminal } from './terminal.ts';
import { addServerCommands } from './up.ts';
import { packageVersion } from './version.ts';
import { addVersionCommand } from './version-command.ts';
import { addWebhooksCommand } from './webhooks/commands.ts';

/** Every command, ready to parse a command line. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command(terminal.isKubectlPlugin === true ? 'kubectl rackwright' : 'rackwright')
    .description('Runs bare-metal fleets the Kubernetes way.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpCommand('help [command]', 'explain a command')
    .showHelpAfterError('(add --help for what can be typed)')
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      outputError: (text, write) => write(redactText(text)),
    })
    .configureHelp({ helpWidth: 100, sortSubcommands: false })
    .exitOverride();
  addServerCommands(program, terminal);
  addGetCommand(program, terminal);
  addDescribeCommand(program, terminal);
  addApplyCommand(program, terminal);
  addMarkCommands(program, terminal);
  addWaitCommand(program, terminal);
  addEditCommand(program, terminal);
  addDeleteCommand(program, terminal);
  addFirmwareCommands(program, terminal);
  addHistoryCommand(program, terminal);
  addWorkCommands(program, terminal);
  addStandAloneCommands(program, terminal);
  addFirmwareServiceCommands(program, terminal);
  addWebhooksCommand(program, terminal);
  addConsoleCommand(program, terminal);
  addInstallCommand(program, terminal);
  addJobCommand(program, terminal);
  addBackupCommands(program, terminal);
  addSupportBundleCommand(program, terminal);
  addSimulateCommands(program, terminal);
  addCompletionCommand(program, terminal);
  addVersionCommand(program, terminal);
  for (const command of program.commands) {
    command.copyInheritedSettings(program);
    for (const part of command.commands) part.copyInheritedSettings(program);
  }
  return program;
}

/** Runs a command line and gives the exit code; never throws. */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const program = createProgram(terminal);
    const [first, ...others] = words;
    if (first === completeWord) await answerCompletion(program, others, terminal);
    else await program.parseAsync([...words], { from: 'user' });
    return exitCodes.ok.code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage.code;
    const { outcome, text } = explainError(error);
    terminal.err(`error: ${redactText(text)}\n`);
    return exitCodes[outcome satisfies Outcome].code;
  }
}
