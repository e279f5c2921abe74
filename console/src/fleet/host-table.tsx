import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { TimeAgo } from '../parts/time-ago.tsx';
import { Badge } from '../parts/tone.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import type { HostRow } from './host-row.ts';
import type { FirmwareByHost } from './join-firmware.ts';

function columnsWith(firmware: FirmwareByHost): readonly Column<HostRow>[] {
  return [
    {
      title: 'Host',
      width: 'minmax(140px, 1.4fr)',
      cell: ({ namespace, name }) => (
        <Link to="/hosts/$namespace/$name" params={{ namespace, name }}>
          {name}
        </Link>
      ),
    },
    { title: 'Rack', width: '80px', cell: ({ rack }) => rack },
    { title: 'State', width: 'minmax(120px, 1fr)', cell: ({ state }) => state },
    {
      title: 'Health',
      width: 'minmax(120px, 1fr)',
      cell: ({ health }) => (
        <span title={health.why}>
          <Badge tone={health.tone}>{health.word}</Badge>
        </span>
      ),
    },
    { title: 'Power', width: '70px', cell: (row) => <Power row={row} /> },
    {
      title: 'Firmware',
      width: 'minmax(110px, .8fr)',
      cell: ({ key }) => {
        const own = firmware.get(key);
        return own === undefined ? (
          <span className="faint">–</span>
        ) : (
          <span title={own.why}>
            <Badge tone={own.tone}>{own.word}</Badge>
          </span>
        );
      },
    },
    {
      title: 'Model',
      width: 'minmax(140px, 1.6fr)',
      cell: ({ model }) => <span className="soft">{model || '–'}</span>,
    },
    {
      title: 'Used by',
      width: 'minmax(90px, 1fr)',
      cell: ({ consumer }) => consumer || <span className="faint">–</span>,
    },
    { title: 'Changed', width: '80px', cell: ({ since }) => <TimeAgo at={since} /> },
  ];
}

function Power({ row: { isOn, isOnWanted } }: { readonly row: HostRow }) {
  if (isOn === isOnWanted) return <span className={isOn ? '' : 'faint'}>{isOn ? 'on' : 'off'}</span>;
  return <span className="soft">{isOn ? 'on → off' : 'off → on'}</span>;
}

/** Hosts as rows. */
export function HostTable({
  rows,
  firmware,
}: {
  readonly rows: readonly HostRow[];
  readonly firmware: FirmwareByHost;
}) {
  const columns = useMemo(() => columnsWith(firmware), [firmware]);
  return <VirtualTable label="Hosts" rows={rows} columns={columns} keyOf={({ key }) => key} />;
}
