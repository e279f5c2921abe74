import type { Command } from 'commander';
import { type AnyKubeObject, KubeError, retryOnConflict, systemClock } from '../../kube/index.ts';
import { CliError, usageError } from '../errors.ts';
import { readOutputForm } from '../output/output-form.ts';
import { addOutputFlag } from '../output/show.ts';
import type { Terminal } from '../terminal.ts';
import { addChoiceFlags, type ChoiceFlags, type ChosenObject, chooseObjects, chosenName } from './choose-objects.ts';
import { readDryRun } from './dry-run.ts';
import { throwAll } from './faults.ts';
import { formatWhole } from './print-objects.ts';
import { addSessionFlags, type Session, type SessionFlags, withSession } from './session.ts';

interface MarkFlags extends SessionFlags, ChoiceFlags {
  readonly overwrite?: boolean;
  readonly dryRun?: string | true;
  readonly output?: string;
}

/** The two maps of metadata that these commands write. */
type Mark = 'annotations' | 'labels';

const words: Record<Mark, { command: string; done: string; one: string }> = {
  annotations: { command: 'annotate', done: 'annotated', one: 'annotation' },
  labels: { command: 'label', done: 'labeled', one: 'label' },
};

/** Adds `rackwright annotate` and `rackwright label`. */
export function addMarkCommands(program: Command, terminal: Terminal): void {
  for (const mark of ['annotations', 'labels'] as const) {
    const { command: name, one } = words[mark];
    const command = program
      .command(name)
      .summary(`set or remove ${mark}`)
      .description(`Sets (KEY=VALUE) or removes (KEY-) ${mark} of objects.`)
      .argument('<what...>', 'TYPE NAME ... or TYPE/NAME ..., then KEY=VALUE or KEY- ...')
      .option('--overwrite', `replace a value that the ${one} already has`)
      .option('--dry-run [way]', 'with "server": the server checks everything and changes nothing')
      .action((typed: string[], flags: MarkFlags) =>
        withSession(flags, terminal, (session) => runMark(mark, typed, { flags, session, terminal })),
      );
    addOutputFlag(command);
    addChoiceFlags(command);
    addSessionFlags(command);
  }
}

/** What shall be set (a value) or removed (null). */
export type Changes = ReadonlyMap<string, string | null>;

/** Splits the words of a command into those that choose objects and the changes. */
export function splitChanges(typed: readonly string[]): { what: string[]; changes: Changes } {
  const isChange = (word: string): boolean => /^[^=/]*\/?[^=/]*=/.test(word) || /^[^=]+-$/.test(word);
  const first = typed.findIndex(isChange);
  const what = first === -1 ? [...typed] : typed.slice(0, first);
  const changes = new Map<string, string | null>();
  for (const word of first === -1 ? [] : typed.slice(first)) {
    if (!isChange(word))
      throw usageError(`"${word}": neither KEY=VALUE nor KEY-; objects are named before the changes`);
    const equals = word.indexOf('=');
    const key = equals === -1 ? word.slice(0, -1) : word.slice(0, equals);
    if (key === '') throw usageError(`"${word}": the key is missing`);
    if (changes.has(key)) throw usageError(`"${word}": the key ${key} is given twice`);
    changes.set(key, equals === -1 ? null : word.slice(equals + 1));
  }
  if (changes.size === 0) throw usageError('say what to change: KEY=VALUE to set, KEY- to remove');
  return { what, changes };
}

interface Marking {
  readonly flags: MarkFlags;
  readonly session: Session;
  readonly terminal: Terminal;
}

async function runMark(mark: Mark, typed: string[], { flags, session, terminal }: Marking): Promise<void> {
  const { what, changes } = splitChanges(typed);
  const isDryRun = readDryRun(flags.dryRun);
  const output = readOutputForm(flags.output);
  const chosen = await chooseObjects(what, flags, session, terminal);
  if (chosen.length === 0) terminal.err('No resources found\n');
  const faults: Error[] = [];
  const marked: AnyKubeObject[] = [];
  for (const one of chosen) {
    try {
      const isForced = flags.overwrite === true;
      const { object, isChanged } = await markObject(mark, one, { changes, session, isDryRun, isForced });
      const verdict = isChanged ? words[mark].done : `not ${words[mark].done}`;
      marked.push(object);
      if (output.form === 'table') {
        terminal.out(`${chosenName(one)} ${verdict}${isDryRun ? ' (server dry run)' : ''}\n`);
      }
    } catch (error) {
      if (!(error instanceof CliError) && !(error instanceof KubeError && error.code !== 0)) throw error;
      faults.push(error);
    }
  }
  if (output.form !== 'table') terminal.out(formatWhole(marked, output, { isSingle: chosen.length === 1 }));
  throwAll(faults, terminal);
}

interface MarkOptions {
  readonly changes: Changes;
  readonly session: Session;
  readonly isDryRun: boolean;
  readonly isForced: boolean;
}

interface Marked {
  readonly object: AnyKubeObject;
  /** False when there was nothing to change. */
  readonly isChanged: boolean;
}

function markObject(mark: Mark, one: ChosenObject, options: MarkOptions): Promise<Marked> {
  const client = options.session.client.resource<AnyKubeObject>(one.resource);
  // The version goes with the change, so that a value set in between is not overwritten unseen.
  return retryOnConflict({ clock: systemClock, random: Math.random }, async () => {
    const object = await client.get(one.key);
    const { metadata } = object;
    const present = metadata?.[mark] ?? {};
    if (!options.isForced) refuseOverwriting(mark, one, { present, changes: options.changes });
    const due = [...options.changes].filter(([key, value]) => (present[key] ?? null) !== value);
    if (due.length === 0) return { object, isChanged: false };
    const body = { metadata: { resourceVersion: metadata?.resourceVersion, [mark]: Object.fromEntries(due) } };
    const after = await client.patch(one.key, { type: 'merge', body }, { isDryRun: options.isDryRun });
    return { object: after, isChanged: true };
  });
}

function refuseOverwriting(
  mark: Mark,
  one: ChosenObject,
  { present, changes }: { present: Readonly<Record<string, string>>; changes: Changes },
): void {
  const taken = [...changes].filter(([key, value]) => value !== null && key in present && present[key] !== value);
  if (taken.length === 0) return;
  const shown = taken.map(([key]) => `${key}=${present[key]}`).join(', ');
  const what = `${chosenName(one)} already has the ${taken.length === 1 ? words[mark].one : mark} ${shown}`;
  throw new CliError('failed', `${what}; --overwrite replaces it`);
}
