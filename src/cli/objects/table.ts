/** A server-side Table (meta.k8s.io/v1) as far as printing goes. */
export interface Table {
  readonly kind?: string;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly columnDefinitions?: readonly { readonly name: string; readonly priority?: number }[] | null;
  readonly rows?: readonly TableRow[] | null;
}

/** One row: its cells, and the metadata of the object it shows. */
export interface TableRow {
  readonly cells: readonly unknown[];
  readonly object?: {
    readonly metadata?: {
      readonly name?: string;
      readonly namespace?: string;
      readonly labels?: Record<string, string>;
    };
  };
}

/** How a table is shown. */
export interface TableStyle {
  readonly isWide: boolean;
  readonly hasNamespaces: boolean;
  readonly hasLabels: boolean;
  /** Put before names, as in `baremetalhost.metal3.io/`. */
  readonly prefix: string;
}

/** The media type that asks the server for Tables. */
export const tableType = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** The printable columns and rows of a table. */
export interface Grid {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Picks the cells to show. The columns are given apart, since a watch sends them once. */
export function gridOf(
  columns: NonNullable<Table['columnDefinitions']>,
  rows: readonly TableRow[],
  style: TableStyle,
): Grid {
  const shown = columns.flatMap(({ priority }, index) => (style.isWide || (priority ?? 0) === 0 ? [index] : []));
  const header = shown.map((index) => (columns[index]?.name ?? '').toUpperCase());
  return {
    header: [...(style.hasNamespaces ? ['NAMESPACE'] : []), ...header, ...(style.hasLabels ? ['LABELS'] : [])],
    rows: rows.map((row) => cellsOf(row, shown, style)),
  };
}

function cellsOf({ cells, object }: TableRow, shown: readonly number[], style: TableStyle): string[] {
  const texts = shown.map((index, position) => (position === 0 ? style.prefix : '') + cellText(cells[index]));
  const labels = Object.entries(object?.metadata?.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return [
    ...(style.hasNamespaces ? [object?.metadata?.namespace ?? ''] : []),
    ...texts,
    ...(style.hasLabels ? [labels.length === 0 ? '<none>' : labels.join(',')] : []),
  ];
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  const text = typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
  // A line break, or an escape sequence from a device, must not tear the table or reach the terminal.
  const cut = text.split('\n', 1)[0] ?? '';
  return (cut.length < text.length ? `${cut}...` : cut).replace(/\p{Cc}/gu, ' ');
}

/** Widths that fit the header and all rows, never smaller than those before. */
export function widthsOf({ header, rows }: Grid, before: readonly number[] = []): number[] {
  return header.map((title, column) =>
    Math.max(before[column] ?? 0, title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
}

/** One line of a table, three spaces between columns. */
export function formatRow(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
    .join('   ')
    .trimEnd();
}

/** A whole table as text. */
export function formatGrid(grid: Grid, { hasHeader }: { hasHeader: boolean }): string {
  const widths = widthsOf(hasHeader ? grid : { ...grid, header: grid.header.map(() => '') });
  const lines = [...(hasHeader ? [grid.header] : []), ...grid.rows].map((cells) => formatRow(cells, widths));
  return lines.map((line) => `${line}\n`).join('');
}
