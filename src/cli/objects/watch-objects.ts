import { type AnyKubeObject, isAborted, isExpired, type ResourceClient, type WatchEvent } from '../../kube/index.ts';
import type { JsonObject } from '../../schema/index.ts';
import type { OutputForm } from '../output/output-form.ts';
import type { Terminal } from '../terminal.ts';
import { formatObjects } from './print-objects.ts';
import { type GetFlags, readWholeTable, tableStyle } from './read-table.ts';
import type { Session } from './session.ts';
import { formatRow, gridOf, type Table, type TableRow, tableType, widthsOf } from './table.ts';
import { objectName, type Target } from './targets.ts';

/** What is watched, and how it is shown. */
export interface Watching {
  readonly target: Target;
  readonly output: OutputForm;
  readonly flags: GetFlags;
  readonly namespace: string | undefined;
  readonly session: Session;
  readonly terminal: Terminal;
}

/** Shows objects and then their changes until the command is interrupted. */
export async function watchTarget(watching: Watching): Promise<void> {
  const { terminal, output } = watching;
  try {
    for (let isFirst = true; ; isFirst = false) {
      if (output.form === 'table') await watchTable(watching, { isFirst, isWide: output.isWide });
      else await watchWhole(watching, output, isFirst);
    }
  } catch (error) {
    // Ctrl-C is how a watch ends.
    if (!(terminal.interrupted.aborted && isAborted(error))) throw error;
  }
}

function fieldSelectorOf({ target, flags }: Watching): string | undefined {
  const name = target.names?.[0];
  return name === undefined ? flags.fieldSelector : `metadata.name=${name}`;
}

/** Prints the present state (unless the watch only starts over), then follows it until it must be read anew. */
async function watchTable(
  watching: Watching,
  { isFirst, isWide }: { isFirst: boolean; isWide: boolean },
): Promise<void> {
  const { target, flags, namespace, session } = watching;
  const fieldSelector = fieldSelectorOf(watching);
  const table = await readWholeTable(target, {
    flags,
    session,
    namespace,
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  });
  const printer = createRowPrinter(watching, isWide);
  printer.print(table.columnDefinitions ?? [], isFirst && flags.watchOnly !== true ? (table.rows ?? []) : []);
  const resource = session.client.resource<Table & AnyKubeObject>(target.resource);
  const start = table.metadata?.resourceVersion;
  await follow({ ...watching, resource, start, accept: tableType }, ({ object }) =>
    printer.print(object.columnDefinitions ?? [], object.rows ?? []),
  );
}

function createRowPrinter({ target, flags, terminal }: Watching, isWide: boolean) {
  const style = tableStyle(target, { flags, isWide, hasPrefix: false });
  let columns: NonNullable<Table['columnDefinitions']> = [];
  let widths: number[] = [];
  let hasHeader = !flags.headers;
  return {
    print(given: NonNullable<Table['columnDefinitions']>, rows: readonly TableRow[]): void {
      if (given.length > 0) columns = given;
      if (rows.length === 0) return;
      const grid = gridOf(columns, rows, style);
      widths = widthsOf(grid, widths);
      const lines = hasHeader ? grid.rows : [grid.header, ...grid.rows];
      hasHeader = true;
      terminal.out(lines.map((cells) => `${formatRow(cells, widths)}\n`).join(''));
    },
  };
}

async function watchWhole(
  watching: Watching,
  output: Exclude<OutputForm, { form: 'table' }>,
  isFirst: boolean,
): Promise<void> {
  const { target, flags, namespace, session, terminal } = watching;
  const resource = session.client.resource<AnyKubeObject>(target.resource);
  const print = (object: AnyKubeObject): void => terminal.out(formatOne(object, output, flags));
  const selection = { namespace, labelSelector: flags.selector, fieldSelector: fieldSelectorOf(watching) };
  const { items, resourceVersion } = await resource.list({ ...selection, signal: terminal.interrupted });
  if (isFirst && flags.watchOnly !== true) for (const item of items) print(item);
  await follow({ ...watching, resource, start: resourceVersion }, ({ object }) => print(object));
}

function formatOne(object: AnyKubeObject, output: Exclude<OutputForm, { form: 'table' }>, flags: GetFlags): string {
  if (output.form === 'name') return `${objectName(object)}\n`;
  if (output.form === 'jsonpath') return output.template(object as unknown as JsonObject);
  const text = formatObjects([object], {
    form: output.form,
    isSingle: true,
    hasManagedFields: flags.showManagedFields === true,
  });
  return output.form === 'yaml' ? `---\n${text}` : text;
}

interface Following<T extends AnyKubeObject> extends Watching {
  readonly resource: ResourceClient<T>;
  readonly start: string | undefined;
  readonly accept?: string;
}

/** Follows changes from a version on; returns when that version is too old and everything must be read anew. */
async function follow<T extends AnyKubeObject>(
  following: Following<T>,
  show: (event: WatchEvent<T>) => void,
): Promise<void> {
  const { resource, namespace, flags, terminal } = following;
  let resourceVersion = following.start;
  try {
    for (;;) {
      const events = resource.watch({
        namespace,
        labelSelector: flags.selector,
        fieldSelector: fieldSelectorOf(following),
        resourceVersion,
        accept: following.accept,
        signal: terminal.interrupted,
      });
      for await (const event of events) {
        resourceVersion = versionIn(event.object) ?? resourceVersion;
        if (event.type !== 'BOOKMARK') show(event);
      }
    }
  } catch (error) {
    if (!isExpired(error)) throw error;
  }
}

function versionIn(object: AnyKubeObject): string | undefined {
  const rows = (object as Table).rows ?? [];
  const row = rows[0]?.object as AnyKubeObject | undefined;
  return row?.metadata?.resourceVersion ?? object.metadata?.resourceVersion;
}
