import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import { resources } from '../api/kinds.ts';
import { listObjects } from '../api/objects.ts';
import { useLiveList, useLiveObjects } from '../api/use-live.ts';
import { whyEmpty } from '../api/why-empty.ts';
import { AvailableVersions } from '../firmware/available.tsx';
import {
  describeCompliance,
  filterMachines,
  type MachineRow,
  type MatrixFilter,
  standingTones,
  toMachineRow,
} from '../firmware/compliance.ts';
import type { AvailableFirmware, FirmwareGroup } from '../firmware/group-draft.ts';
import { Groups } from '../firmware/groups.tsx';
import { ComplianceMatrix } from '../firmware/matrix.tsx';
import { useServerParts } from '../firmware/server-parts.ts';
import { FreshnessBadge, ListNote, PageHead } from '../parts/page-head.tsx';

const machineView = { view: 'matrix', project: toMachineRow };

/** What is wanted of the firmware of servers, and what they have. */
export function FirmwarePage() {
  const machines = useLiveList<MachineRow>(resources.serverFirmwares, {}, machineView);
  const groups = useLiveObjects<FirmwareGroup>(resources.firmwareGroups);
  const available = useQuery({
    queryKey: ['available firmware'],
    queryFn: () => listObjects<AvailableFirmware>(resources.discoveredFirmwares),
    refetchInterval: 60_000,
  });
  const servers = useServerParts();
  const [filter, setFilter] = useState<MatrixFilter>({ text: '', group: '', standing: '' });
  const shown = useDeferredValue(filter);
  const rows = useMemo(() => filterMachines(machines.items, shown), [machines.items, shown]);
  const change = (news: Partial<MatrixFilter>) => setFilter((before) => ({ ...before, ...news }));
  return (
    <div className="page firmware-page">
      <PageHead title="Firmware" detail={describeCompliance(machines.items)}>
        <FreshnessBadge list={machines} />
      </PageHead>
      <Groups list={groups} />
      <section aria-label="Compliance matrix" className="matrix">
        <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
          <input
            type="search"
            aria-label="Search machines"
            placeholder="Name, label or version …"
            value={filter.text}
            onChange={(event) => change({ text: event.currentTarget.value })}
          />
          <select
            aria-label="Group"
            value={filter.group}
            onChange={(event) => change({ group: event.currentTarget.value })}
          >
            <option value="">Every group</option>
            {groups.items.map(({ metadata }) => (
              <option key={metadata.name}>{metadata.name}</option>
            ))}
          </select>
          <select
            aria-label="Standing"
            value={filter.standing}
            onChange={(event) => change({ standing: event.currentTarget.value })}
          >
            <option value="">Every standing</option>
            {Object.keys(standingTones).map((standing) => (
              <option key={standing}>{standing}</option>
            ))}
          </select>
          <span className="soft" role="status">
            {rows.length} of {machines.items.length} machines
          </span>
        </form>
        <ListNote list={machines} empty="No server was read yet." />
        {machines.items.length === 0 ? null : <ComplianceMatrix rows={rows} all={machines.items} />}
      </section>
      <AvailableVersions
        of={available.data ?? []}
        servers={servers.data}
        note={whyEmpty(available, 'Nothing was discovered yet.') ?? whyEmpty(servers, 'No server is known yet.')}
      />
    </div>
  );
}
