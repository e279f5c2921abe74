import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useAccess } from '../api/access.ts';
import { keyOf, resources } from '../api/kinds.ts';
import { deleteObject, patchObject } from '../api/objects.ts';
import { useScope } from '../api/scope.ts';
import { useLiveList, useLiveObjects } from '../api/use-live.ts';
import {
  approvePatch,
  type FoundHost,
  type HostDiscovery,
  orderFound,
  toFoundHost,
} from '../discovery/discovery-view.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { FreshnessBadge, ListNote, PageHead } from '../parts/page-head.tsx';
import { Panel } from '../parts/panel.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { Badge } from '../parts/tone.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';

const foundView = { view: 'found', project: toFoundHost };

const standings = {
  quarantined: <Badge tone="warn">in quarantine</Badge>,
  new: <Badge tone="busy">new</Badge>,
  used: <Badge tone="good">in use</Badge>,
} as const;

const columns: readonly Column<FoundHost>[] = [
  {
    title: 'Host',
    width: 'minmax(120px, 1fr)',
    cell: ({ namespace, name }) => (
      <Link to="/hosts/$namespace/$name" params={{ namespace, name }} title={`${namespace}/${name}`}>
        {name}
      </Link>
    ),
  },
  { title: 'Standing', width: '124px', cell: ({ standing }) => standings[standing] },
  { title: 'Decide', width: '188px', cell: (host) => <Decide host={host} /> },
  {
    title: 'State',
    width: '84px',
    cell: ({ state, trouble }) => (trouble === '' ? state : <span className="problem">{trouble}</span>),
  },
  {
    title: 'Machine',
    width: 'minmax(130px, 1.3fr)',
    cell: ({ maker, model }) => <span title={`${maker} ${model}`}>{`${maker} ${model}`}</span>,
  },
  {
    title: 'Serial, boots from',
    width: '150px',
    cell: ({ serial, mac }) => (
      <span className="two-lines mono" title={`${serial} ${mac}`}>
        <span>{serial}</span>
        <span className="soft">{mac}</span>
      </span>
    ),
  },
  { title: 'Hardware', width: 'minmax(130px, 1.3fr)', cell: ({ size }) => size },
  {
    title: 'Plugged into',
    width: 'minmax(110px, 1fr)',
    cell: ({ plugged }) => <span title={plugged}>{plugged}</span>,
  },
  { title: 'Found', width: '64px', cell: ({ foundAt }) => <TimeAgo at={foundAt} /> },
];

/** Machines that introduced themselves. */
export function DiscoveryPage() {
  const scope = useScope();
  const hosts = useLiveList(resources.hosts, scope, foundView);
  const discoveries = useLiveObjects<HostDiscovery>(resources.hostDiscoveries, scope);
  const [only, setOnly] = useState<FoundHost['standing'] | ''>('');
  const found = useMemo(() => orderFound(hosts.items), [hosts.items]);
  const rows = only === '' ? found : found.filter(({ standing }) => standing === only);
  const count = (standing: FoundHost['standing']): number => found.filter((host) => host.standing === standing).length;
  return (
    <div className="page page-fill">
      <PageHead
        title="Discovery"
        detail="Machines that introduced themselves. Those in quarantine wait until somebody lets them in."
      >
        <FreshnessBadge list={hosts} />
      </PageHead>
      <Discoveries list={discoveries} />
      <fieldset className="filters">
        <legend className="visually-hidden">Which hosts</legend>
        {(['', 'quarantined', 'new', 'used'] as const).map((standing) => (
          <button
            key={standing}
            type="button"
            className="chip"
            aria-pressed={only === standing}
            onClick={() => setOnly(standing)}
          >
            {standing === '' ? `All ${found.length}` : `${chipNames[standing]} ${count(standing)}`}
          </button>
        ))}
      </fieldset>
      {rows.length === 0 ? (
        <ListNote
          list={{ ...hosts, items: rows }}
          scope={scope}
          empty="No machine has introduced itself here. Set machines to boot from the network when their disk is empty."
        />
      ) : (
        <VirtualTable label="Discovered hosts" rows={rows} columns={columns} keyOf={({ key }) => key} rowHeight={42} />
      )}
    </div>
  );
}

const chipNames = { quarantined: 'In quarantine', new: 'New', used: 'In use' } as const;

function Decide({ host }: { readonly host: FoundHost }) {
  const { namespace, name, standing } = host;
  const where = { namespace, name };
  const change = useAccess({ verb: 'patch', resource: resources.hosts, namespace });
  const remove = useAccess({ verb: 'delete', resource: resources.hosts, namespace });
  if (standing === 'used') return <span className="faint">–</span>;
  return (
    <span className="row-actions">
      {standing === 'quarantined' ? (
        <ActionButton
          icon="check"
          blockedBy={change.isAllowed === true ? undefined : change.why}
          act={() => patchObject(resources.hosts, where, approvePatch)}
        >
          Approve<span className="visually-hidden"> {name}</span>
        </ActionButton>
      ) : null}
      <ActionButton
        isDangerous
        blockedBy={remove.isAllowed === true ? undefined : remove.why}
        question={`Forget ${name}? It comes back when the machine boots into the agent again: switch it off, or name its MAC in ignoredMACAddresses.`}
        act={() => deleteObject(resources.hosts, where)}
      >
        Forget<span className="visually-hidden"> {name}</span>
      </ActionButton>
    </span>
  );
}

function Discoveries({ list }: { readonly list: ReturnType<typeof useLiveObjects<HostDiscovery>> }) {
  return (
    <Panel title="Where machines are taken in" className="gap-below">
      <ListNote
        list={list}
        empty={
          <>
            Nothing is discovered: there is no BareMetalHostDiscovery.{' '}
            <code>rackwright apply -f examples/12-review-a-host</code> makes one.
          </>
        }
      />
      {list.items.length === 0 ? null : (
        <table className="grid-table">
          <thead>
            <tr>
              <th scope="col">Into</th>
              <th scope="col">State</th>
              <th scope="col">New hosts are</th>
              <th scope="col">Taken in</th>
              <th scope="col">Waiting</th>
              <th scope="col">Refused</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {list.items.map((each) => (
              <DiscoveryRow key={keyOf(each)} discovery={each} />
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

function DiscoveryRow({ discovery }: { readonly discovery: HostDiscovery }) {
  const { metadata, spec = {}, status = {} } = discovery;
  const { namespace = '', name } = metadata;
  const access = useAccess({ verb: 'patch', resource: resources.hostDiscoveries, namespace });
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const isPaused = spec.paused === true;
  return (
    <tr>
      <td>
        {namespace}/{name}
      </td>
      <td title={ready?.message}>
        {isPaused ? (
          <Badge tone="idle">paused</Badge>
        ) : ready?.status === 'True' ? (
          <Badge tone="good">listening</Badge>
        ) : (
          <>
            <Badge tone="warn">{ready?.reason ?? 'waiting'}</Badge> {ready?.message}
          </>
        )}
      </td>
      <td>{spec.quarantine === true ? 'in quarantine first' : 'let in at once'}</td>
      <td>{status.discoveredHosts ?? 0}</td>
      <td>{status.waitingHosts ?? 0}</td>
      <td>
        {(status.skipped ?? []).length === 0 ? (status.skippedHosts ?? 0) : null}
        {(status.skipped ?? []).length === 0 ? null : (
          <details>
            <summary>{status.skippedHosts} machines</summary>
            {(status.skipped ?? []).map(({ reason = '', message = '', bootMACAddress = '', provisionerID }) => (
              <p key={provisionerID} className="problem">
                {`${bootMACAddress} ${reason}: ${message}`.trim()}
              </p>
            ))}
          </details>
        )}
      </td>
      <td>
        <ActionButton
          blockedBy={access.isAllowed === true ? undefined : access.why}
          act={() =>
            patchObject(resources.hostDiscoveries, { namespace, name }, { spec: { paused: isPaused ? null : true } })
          }
        >
          {isPaused ? 'Go on' : 'Pause'}
          <span className="visually-hidden"> {name}</span>
        </ActionButton>
      </td>
    </tr>
  );
}
