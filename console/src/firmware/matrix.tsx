import { useMemo } from 'react';
import { TimeAgo } from '../parts/time-ago.tsx';
import { Badge } from '../parts/tone.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { type Cell, componentsOf, isMet, type MachineRow, standingTones } from './compliance.ts';

const rowHeight = 40;
/** Of the head, the frame and a bar to scroll with. */
const headHeight = 54;
const maxHeight = 560;

/** Machines by components: what is installed, and what is wanted where that is something else. */
export function ComplianceMatrix({
  rows,
  all,
}: {
  readonly rows: readonly MachineRow[];
  readonly all: readonly MachineRow[];
}) {
  // All machines say which columns there are, so that they stay where they are while somebody types a filter.
  const components = useMemo(() => componentsOf(all), [all]);
  const columns = useMemo(
    (): readonly Column<MachineRow>[] => [
      { title: 'Machine', width: '170px', cell: ({ name }) => <span title={name}>{name}</span> },
      {
        title: 'Standing',
        width: '110px',
        cell: ({ standing, why }) => (
          <span title={why}>
            <Badge tone={standingTones[standing]}>{standing}</Badge>
          </span>
        ),
      },
      {
        title: 'Group',
        width: '120px',
        cell: ({ group }) => (group === '' ? <span className="faint">–</span> : group),
      },
      ...components.map((name) => ({
        title: name,
        width: `minmax(${Math.max(112, name.length * 8)}px, 1fr)`,
        cell: ({ cells }: MachineRow) => <Version cell={cells[name]} />,
      })),
      { title: 'Read', width: '64px', cell: ({ lastScanTime }) => <TimeAgo at={lastScanTime} /> },
    ],
    [components],
  );
  return (
    <div className="table-box" style={{ height: Math.min(rows.length * rowHeight + headHeight, maxHeight) }}>
      <VirtualTable
        label="Compliance of machines"
        rows={rows}
        columns={columns}
        keyOf={({ name }) => name}
        rowHeight={rowHeight}
      />
    </div>
  );
}

function Version({ cell }: { readonly cell: Cell | undefined }) {
  if (cell === undefined) return <span className="faint">–</span>;
  const { installed, wanted } = cell;
  if (isMet(cell)) {
    return (
      <span className={wanted === undefined ? 'version' : 'version is-met'} title={installed}>
        {wanted === undefined ? null : <span className="visually-hidden">as wanted: </span>}
        {installed}
      </span>
    );
  }
  return (
    <span className="version is-other" title={`${installed || 'not seen'}; wanted: ${wanted}`}>
      <span>{installed === '' ? 'not seen' : installed}</span>
      <span className="wish">
        <span aria-hidden="true">→ </span>
        <span className="visually-hidden">wanted: </span>
        {wanted}
      </span>
    </span>
  );
}
