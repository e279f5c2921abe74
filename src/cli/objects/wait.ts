import type { Command } from 'commander';
import type { AnyKubeObject } from '../../kube/index.ts';
import { parseDurationMs } from '../duration.ts';
import { CliError, usageError } from '../errors.ts';
import { Progress } from '../output/progress.ts';
import type { Terminal } from '../terminal.ts';
import { addChoiceFlags, type ChoiceFlags, chooseObjects, chosenName } from './choose-objects.ts';
import { addSessionFlags, type Session, type SessionFlags, withSession } from './session.ts';
import { readCondition, waitForObject } from './wait-for.ts';

interface WaitFlags extends SessionFlags, ChoiceFlags {
  readonly for?: string;
  readonly timeout: string;
}

/** Adds `rackwright wait`. */
export function addWaitCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('wait')
    .summary('wait until objects are as asked')
    .description('Waits until every chosen object is as asked.')
    .argument('[what...]', 'TYPE NAME ... or TYPE/NAME ...')
    .option('--for <condition>', 'condition=NAME[=VALUE], jsonpath=PATH[=VALUE], create or delete')
    .option('--timeout <duration>', 'how long to wait for all of them; 0 looks once', '30s')
    .action((words: string[], flags: WaitFlags) =>
      withSession(flags, terminal, (session) => runWait(words, flags, session, terminal)),
    );
  addChoiceFlags(command);
  addSessionFlags(command);
}

async function runWait(words: string[], flags: WaitFlags, session: Session, terminal: Terminal): Promise<void> {
  const asked = flags.for;
  if (asked === undefined) throw usageError('say what to wait for, e.g. --for=condition=Ready');
  readCondition(asked);
  const timeoutMs = parseDurationMs(flags.timeout, '--timeout');
  const chosen = await chooseObjects(words, flags, session, terminal);
  if (chosen.length === 0) {
    if (asked === 'delete') return;
    throw new CliError('failed', 'no object was chosen to wait for');
  }
  const progress = new Progress(terminal);
  let met = 0;
  // Lines say nothing that those of the objects do not say.
  const show = (): void => {
    if (terminal.isInteractive === true)
      progress.show((100 * met) / chosen.length, `${met} of ${chosen.length}: ${asked}`);
  };
  show();
  const waits = chosen.map(async (one): Promise<{ readonly name: string; readonly failure?: unknown }> => {
    const name = chosenName(one);
    const client = session.client.resource<AnyKubeObject>(one.resource);
    try {
      // Each object gets a condition of its own, since some remember what they saw.
      const condition = readCondition(asked);
      await waitForObject({ client, key: one.key }, condition, { timeoutMs, signal: terminal.interrupted });
    } catch (failure) {
      return { name, failure };
    }
    met += 1;
    show();
    return { name };
  });
  const failures: unknown[] = [];
  // All are waited for at once and told in the order in which they were named.
  for (const wait of waits) {
    const { name, failure } = await wait;
    if (failure !== undefined) failures.push(failure);
    else {
      progress.clear();
      terminal.out(`${name} condition met\n`);
      show();
    }
  }
  progress.clear();
  for (const failure of failures.slice(1))
    terminal.err(`error: ${failure instanceof Error ? failure.message : failure}\n`);
  if (failures.length > 0) throw failures[0];
}
