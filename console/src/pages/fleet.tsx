import { useDeferredValue, useMemo, useState } from 'react';
import { resources } from '../api/kinds.ts';
import { useScope } from '../api/scope.ts';
import { useLiveList } from '../api/use-live.ts';
import { type FirmwareRow, toFirmwareRow } from '../fleet/firmware-row.ts';
import { FleetFigures } from '../fleet/fleet-figures.tsx';
import { everything, type FleetFilter, filterHosts, summarise, troublesOf } from '../fleet/fleet-view.ts';
import { type HostRow, toHostRow } from '../fleet/host-row.ts';
import { HostTable } from '../fleet/host-table.tsx';
import { indexFirmware, joinFirmware } from '../fleet/join-firmware.ts';
import { LookHereFirst } from '../fleet/look-here-first.tsx';
import { RackView } from '../fleet/rack-view.tsx';
import { type ServerRow, toServerRow } from '../fleet/server-row.ts';
import { Icon } from '../parts/icon.tsx';
import { FreshnessBadge, ListNote, PageHead } from '../parts/page-head.tsx';

const hostView = { view: 'row', project: toHostRow };
const firmwareView = { view: 'row', project: toFirmwareRow };
const serverView = { view: 'marks', project: toServerRow };
type View = 'table' | 'racks';

/** All hosts: how they are, and which to look at first. */
export function FleetPage() {
  const scope = useScope();
  const hosts = useLiveList<HostRow>(resources.hosts, scope, hostView);
  const firmwares = useLiveList<FirmwareRow>(resources.serverFirmwares, {}, firmwareView);
  const servers = useLiveList<ServerRow>(resources.servers, {}, serverView);
  const [filter, setFilter] = useState<FleetFilter>(everything);
  const [view, setView] = useState<View>('racks');
  const shownFilter = useDeferredValue(filter);
  const index = useMemo(() => indexFirmware(firmwares.items, servers.items), [firmwares.items, servers.items]);
  const byHost = useMemo(() => joinFirmware(hosts.items, index), [hosts.items, index]);
  const summary = useMemo(() => summarise(hosts.items, byHost), [hosts.items, byHost]);
  const troubles = useMemo(() => troublesOf(hosts.items, byHost), [hosts.items, byHost]);
  const rows = useMemo(() => filterHosts(hosts.items, shownFilter, byHost), [hosts.items, shownFilter, byHost]);
  const change = (news: Partial<FleetFilter>) => setFilter((before) => ({ ...before, ...news }));
  return (
    <div className="page page-fill">
      <PageHead title="Fleet" detail={summary.states.map(([state, count]) => `${count} ${state}`).join(' · ')}>
        <FreshnessBadge list={hosts} />
      </PageHead>
      <FleetFigures summary={summary} only={filter.only} choose={(only) => change({ only })} />
      <LookHereFirst
        troubles={troubles}
        isReady={hosts.freshness !== 'loading'}
        showAll={() => change({ only: 'trouble' })}
      />
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <input
          type="search"
          aria-label="Search hosts"
          placeholder="Search name, rack, model, state …"
          value={filter.text}
          onChange={(event) => change({ text: event.currentTarget.value })}
        />
        <select
          aria-label="State"
          value={filter.state}
          onChange={(event) => change({ state: event.currentTarget.value })}
        >
          <option value="">Every state</option>
          {summary.states.map(([state]) => (
            <option key={state}>{state}</option>
          ))}
        </select>
        <span className="soft" role="status">
          {rows.length === hosts.items.length
            ? `${rows.length} hosts`
            : `${rows.length} of ${hosts.items.length} hosts`}
        </span>
        <span className="spacer" />
        <fieldset className="switch-buttons">
          <legend className="visually-hidden">Shown as</legend>
          <button type="button" aria-pressed={view === 'racks'} onClick={() => setView('racks')}>
            <Icon name="rack" /> Racks
          </button>
          <button type="button" aria-pressed={view === 'table'} onClick={() => setView('table')}>
            <Icon name="table" /> Table
          </button>
        </fieldset>
      </form>
      <ListNote
        list={hosts}
        scope={scope}
        empty={
          <>
            There are no hosts yet. <code>rackwright apply -f examples/01-first-host</code> makes one.
          </>
        }
      />
      {hosts.items.length === 0 ? null : view === 'table' ? (
        <HostTable rows={rows} firmware={byHost} />
      ) : (
        <RackView rows={rows} firmware={byHost} />
      )}
    </div>
  );
}
