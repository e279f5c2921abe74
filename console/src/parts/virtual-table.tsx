import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  /** A track of a CSS grid, such as `120px` or `minmax(160px, 2fr)`. */
  readonly width: string;
  readonly cell: (row: Row) => ReactNode;
}

/** What a table shows. */
export interface VirtualTableProps<Row> {
  /** For screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly rowHeight?: number;
}

/** A table of which only the rows in sight are in the page, however many there are. */
export function VirtualTable<Row>({ label, rows, columns, keyOf, rowHeight = 34 }: VirtualTableProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const template = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrollable with the keyboard.
    <div className="table-scroll" ref={scroller} tabIndex={0} role="region" aria-label={`${label}, scrolls`}>
      <div role="table" aria-label={label} aria-rowcount={rows.length + 1} className="table">
        <div role="row" aria-rowindex={1} className="table-row table-head" style={template}>
          {columns.map(({ title }) => (
            <div role="columnheader" key={title}>
              {title}
            </div>
          ))}
        </div>
        <div role="rowgroup" className="table-body" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div
                role="row"
                key={keyOf(row)}
                aria-rowindex={index + 2}
                className="table-row"
                style={{ ...template, height: rowHeight, transform: `translateY(${start}px)` }}
              >
                {columns.map(({ title, cell }) => (
                  <div role="cell" key={title} className="cell">
                    {cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
