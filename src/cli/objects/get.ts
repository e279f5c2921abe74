import { type Command, Option } from 'commander';
import { type AnyKubeObject, isNotFound, KubeError } from '../../kube/index.ts';
import { usageError } from '../errors.ts';
import { type OutputForm, readOutputForm } from '../output/output-form.ts';
import type { Terminal } from '../terminal.ts';
import { throwAll } from './faults.ts';
import { formatWhole } from './print-objects.ts';
import { type GetFlags, namespaceOf, readWholeTable, tableStyle } from './read-table.ts';
import { addSessionFlags, type Session, withSession } from './session.ts';
import { formatGrid, gridOf, type Table, tableType } from './table.ts';
import { pathOf, readTargets, type Target } from './targets.ts';
import { watchTarget } from './watch-objects.ts';

/** Adds `rackwright get`. */
export function addGetCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('get')
    .summary('show objects')
    .description('Shows objects as the server lays them out, or whole.')
    .argument('<what...>', 'TYPE[,TYPE] [NAME ...] or TYPE/NAME ...')
    .option('-o, --output <form>', 'json, yaml, name, wide or jsonpath=TEMPLATE')
    .option('-A, --all-namespaces', 'of all namespaces')
    .option('-l, --selector <labels>', 'only those with these labels, e.g. rack=a1,role!=spare')
    .option('--field-selector <fields>', 'only those with these fields, e.g. metadata.name=host-1')
    .option('-w, --watch', 'then show changes as they happen, until interrupted')
    .addOption(new Option('--watch-only', 'show only changes'))
    .option('--no-headers', 'leave out the line with the column names')
    .option('--show-labels', 'add a column with the labels')
    .option('--show-managed-fields', 'with json and yaml: show who owns which field')
    .option('--ignore-not-found', 'a name that does not exist is no error')
    .action((words: string[], flags: GetFlags) =>
      withSession(flags, terminal, (session) => runGet(words, flags, session, terminal)),
    );
  addSessionFlags(command);
}

async function runGet(words: string[], flags: GetFlags, session: Session, terminal: Terminal): Promise<void> {
  const output = readOutputForm(flags.output);
  const targets = await readTargets(words, session);
  const hasNames = targets.some(({ names }) => names !== undefined);
  if (hasNames && (flags.selector !== undefined || flags.fieldSelector !== undefined)) {
    throw usageError('objects are chosen by name or by selector, not both');
  }
  if (hasNames && flags.allNamespaces === true && targets.some(({ resource }) => resource.namespaced)) {
    throw usageError('a name is looked for in one namespace: leave out -A, or choose by selector');
  }
  if (flags.watch === true || flags.watchOnly === true) return watch(targets, output, flags, session, terminal);
  if (output.form === 'table') await printTables(targets, { flags, isWide: output.isWide, session, terminal });
  else await printWhole(targets, output, { flags, session, terminal });
}

async function watch(
  targets: Target[],
  output: OutputForm,
  flags: GetFlags,
  session: Session,
  terminal: Terminal,
): Promise<void> {
  const [target] = targets;
  if (target === undefined || targets.length > 1 || (target.names?.length ?? 0) > 1) {
    throw usageError('-w watches one kind of object, or one object');
  }
  await watchTarget({
    target,
    output,
    flags,
    namespace: namespaceOf(target.resource, flags, session),
    session,
    terminal,
  });
}

interface Printing {
  readonly flags: GetFlags;
  readonly session: Session;
  readonly terminal: Terminal;
}

async function printTables(targets: readonly Target[], printing: Printing & { isWide: boolean }): Promise<void> {
  const { flags, terminal, session } = printing;
  const faults: Error[] = [];
  const texts: string[] = [];
  for (const target of targets) {
    const table = await readTable(target, printing, faults);
    const rows = table.rows ?? [];
    if (rows.length === 0) continue;
    const style = tableStyle(target, { flags, isWide: printing.isWide, hasPrefix: targets.length > 1 });
    texts.push(formatGrid(gridOf(table.columnDefinitions ?? [], rows, style), { hasHeader: flags.headers }));
  }
  terminal.out(texts.join('\n'));
  if (texts.length === 0 && faults.length === 0 && flags.ignoreNotFound !== true) {
    const isEverywhere = flags.allNamespaces === true || targets.every(({ resource }) => !resource.namespaced);
    terminal.err(isEverywhere ? 'No resources found\n' : `No resources found in ${session.namespace} namespace.\n`);
  }
  throwAll(faults, terminal);
}

async function readTable(target: Target, { flags, session }: Printing, faults: Error[]): Promise<Table> {
  const namespace = namespaceOf(target.resource, flags, session);
  if (target.names === undefined) return readWholeTable(target, { flags, session, namespace });
  const parts: Table[] = [];
  for (const name of target.names) {
    const path = pathOf(target.resource, namespace, name);
    const part = await ignoringNotFound(
      () => session.client.request<Table>({ method: 'GET', path, accept: tableType }),
      flags,
      faults,
    );
    if (part !== undefined) parts.push(part);
  }
  return { ...parts[0], rows: parts.flatMap(({ rows }) => rows ?? []) };
}

async function printWhole(
  targets: readonly Target[],
  output: Exclude<OutputForm, { form: 'table' }>,
  { flags, session, terminal }: Printing,
): Promise<void> {
  const faults: Error[] = [];
  const objects: AnyKubeObject[] = [];
  for (const { resource, names } of targets) {
    const resourceClient = session.client.resource<AnyKubeObject>(resource);
    const namespace = namespaceOf(resource, flags, session);
    if (names === undefined) {
      const selection = { namespace, labelSelector: flags.selector, fieldSelector: flags.fieldSelector };
      objects.push(...(await resourceClient.list(selection)).items);
      continue;
    }
    for (const name of names) {
      const object = await ignoringNotFound(() => resourceClient.get({ name, namespace }), flags, faults);
      if (object !== undefined) objects.push(object);
    }
  }
  const isSingle = targets.length === 1 && targets[0]?.names?.length === 1;
  if (!(isSingle && objects.length === 0)) {
    const hasManagedFields = flags.showManagedFields === true;
    terminal.out(formatWhole(objects, output, { isSingle, hasManagedFields }));
  }
  throwAll(faults, terminal);
}

async function ignoringNotFound<T>(read: () => Promise<T>, flags: GetFlags, faults: Error[]): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof KubeError) || error.code === 0) throw error;
    if (!(isNotFound(error) && flags.ignoreNotFound === true)) faults.push(error);
    return undefined;
  }
}
