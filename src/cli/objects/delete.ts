import type { Command } from 'commander';
import { type AnyKubeObject, type DeleteOptions, isNotFound, KubeError } from '../../kube/index.ts';
import { parseDurationMs } from '../duration.ts';
import { CliError, usageError } from '../errors.ts';
import type { Terminal } from '../terminal.ts';
import { addChoiceFlags, type ChoiceFlags, type ChosenObject, chooseObjects, chosenName } from './choose-objects.ts';
import { readDryRun } from './dry-run.ts';
import { throwAll } from './faults.ts';
import { addSessionFlags, type Session, type SessionFlags, withSession } from './session.ts';
import { kindName } from './targets.ts';
import { readCondition, waitForObject } from './wait-for.ts';

interface DeleteFlags extends SessionFlags, ChoiceFlags {
  readonly wait: string | boolean;
  readonly cascade: string;
  readonly timeout?: string;
  readonly ignoreNotFound?: boolean;
  readonly gracePeriod?: string;
  readonly dryRun?: string | true;
  readonly output?: string;
}

/** Adds `rackwright delete`. */
export function addDeleteCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('delete')
    .summary('delete objects')
    .description('Deletes objects, by default waiting until they are gone.')
    .argument('[what...]', 'TYPE NAME ... or TYPE/NAME ...')
    .option('--wait [yes]', 'wait until the objects are gone', 'true')
    .option('--no-wait', 'do not wait: finalizers may hold the objects for a while')
    .option('--cascade <how>', 'what becomes of what they own: background, foreground or orphan', 'background')
    .option('--timeout <duration>', 'how long to wait at most; without it for as long as it takes')
    .option('--ignore-not-found', 'a name that does not exist is no error')
    .option('--grace-period <seconds>', 'how long pods may take to end')
    .option('--dry-run [way]', 'with "server": the server checks everything and changes nothing')
    .option('-o, --output <form>', 'name: print only what was deleted')
    .action((words: string[], flags: DeleteFlags) =>
      withSession(flags, terminal, (session) => runDelete(words, flags, session, terminal)),
    );
  addChoiceFlags(command);
  addSessionFlags(command);
}

const forLong = 2 ** 31 - 1;

async function runDelete(words: string[], flags: DeleteFlags, session: Session, terminal: Terminal): Promise<void> {
  const options = readDeleteOptions(flags);
  if (flags.output !== undefined && flags.output !== 'name') {
    throw usageError(`-o ${flags.output}: of what is deleted there is only the name`);
  }
  const isNameOnly = flags.output === 'name';
  const isWaiting = flags.wait !== false && flags.wait !== 'false' && options.isDryRun !== true;
  const timeoutMs = flags.timeout === undefined ? forLong : parseDurationMs(flags.timeout, '--timeout');
  const chosen = await chooseObjects(words, flags, session, terminal);
  if (chosen.length === 0) terminal.err('No resources found\n');
  const faults: Error[] = [];
  const waiting: (() => Promise<void>)[] = [];
  for (const one of chosen) {
    try {
      const uid = await deleteOne(one, { session, options, terminal, isNameOnly });
      if (isWaiting) waiting.push(() => waitUntilGone(one, { uid, session, timeoutMs, terminal }));
    } catch (error) {
      if (!(error instanceof KubeError) || error.code === 0) throw error;
      if (!(isNotFound(error) && flags.ignoreNotFound === true)) faults.push(error);
    }
  }
  await Promise.all(waiting.map((wait) => wait()));
  throwAll(faults, terminal);
}

function readDeleteOptions(flags: DeleteFlags): DeleteOptions {
  const policies = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;
  const propagationPolicy = policies[flags.cascade as keyof typeof policies];
  if (propagationPolicy === undefined) {
    throw usageError(`--cascade ${flags.cascade}: there are background, foreground and orphan`);
  }
  const { gracePeriod } = flags;
  if (gracePeriod !== undefined && !/^\d+$/.test(gracePeriod)) {
    throw usageError(`--grace-period ${gracePeriod}: a number of seconds is needed`);
  }
  return {
    propagationPolicy,
    isDryRun: readDryRun(flags.dryRun),
    ...(gracePeriod === undefined ? {} : { gracePeriodSeconds: Number(gracePeriod) }),
  };
}

interface Deleting {
  readonly session: Session;
  readonly options: DeleteOptions;
  readonly terminal: Terminal;
  readonly isNameOnly: boolean;
}

/** Deletes and gives the uid of what is going, as far as the server says it. */
async function deleteOne(one: ChosenObject, deleting: Deleting): Promise<string | undefined> {
  const { session, options, terminal, isNameOnly } = deleting;
  const answer = await session.client.resource<AnyKubeObject>(one.resource).delete(one.key, options);
  const where = one.key.namespace === undefined ? '' : ` from ${one.key.namespace} namespace`;
  const note = options.isDryRun === true ? ' (server dry run)' : '';
  const told = `${kindName(one.resource)} "${one.key.name}" deleted${where}${note}`;
  terminal.out(`${isNameOnly ? chosenName(one) : told}\n`);
  return answer.kind === 'Status'
    ? (answer as { details?: { uid?: string } }).details?.uid
    : (answer as AnyKubeObject).metadata?.uid;
}

async function waitUntilGone(
  one: ChosenObject,
  {
    uid,
    session,
    timeoutMs,
    terminal,
  }: { uid: string | undefined; session: Session; timeoutMs: number; terminal: Terminal },
): Promise<void> {
  const client = session.client.resource<AnyKubeObject>(one.resource);
  const gone = readCondition('delete');
  const condition = {
    ...gone,
    isMet: (object: AnyKubeObject | undefined) =>
      (uid !== undefined && object !== undefined && object.metadata?.uid !== uid) || gone.isMet(object),
  };
  try {
    await waitForObject({ client, key: one.key }, condition, { timeoutMs, signal: terminal.interrupted });
  } catch (error) {
    if (!(error instanceof CliError) || error.outcome !== 'timed-out') throw error;
    const held = await client.get(one.key).catch(() => undefined);
    const finalizers = held?.metadata?.finalizers ?? [];
    const by = finalizers.length === 0 ? '' : `; it is held by ${finalizers.join(', ')}`;
    throw new CliError('timed-out', `${kindName(one.resource)} "${one.key.name}" is not gone yet${by}`, {
      cause: error,
    });
  }
}
