import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type KubeObject, resources } from '../api/kinds.ts';
import { getObject, listObjects } from '../api/objects.ts';
import { useScope } from '../api/scope.ts';
import { useLiveObjects } from '../api/use-live.ts';
import { whyEmpty } from '../api/why-empty.ts';
import { ChangePort } from '../network/change-port.tsx';
import type { Switch } from '../network/faceplate.tsx';
import {
  compareSettings,
  type Parking,
  type PortConfiguration,
  portTone,
  type SwitchPort,
  toPortRow,
  vlanColour,
} from '../network/port-view.ts';
import { SettingsDiff, SettingsSeen } from '../network/settings-diff.tsx';
import { FreshnessBadge, PageHead } from '../parts/page-head.tsx';
import { Facts, Panel } from '../parts/panel.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { Badge } from '../parts/tone.tsx';

interface EventObject extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string;
  readonly count?: number;
}

/** One port: what is on the switch, what is wanted, and what to link. */
export function PortPage() {
  const { namespace, name } = useParams({ from: '/network/$namespace/$name' });
  const ports = useLiveObjects<SwitchPort>(resources.switchPorts, { namespace, name });
  const configurations = useLiveObjects<PortConfiguration>(resources.portConfigurations, useScope());
  const [port] = ports.items;
  const parking = useParking(port);
  if (port === undefined) {
    return (
      <div className="page">
        <PageHead title={name} detail={<Link to="/network">All switches</Link>} />
        <p className="note">
          {ports.freshness === 'loading' ? 'Reading …' : (ports.problem ?? 'There is no such port.')}
        </p>
      </div>
    );
  }
  return (
    <div className="page stack">
      <PageHead
        title={name}
        detail={
          <>
            <Link to="/network">All switches</Link> · {toPortRow(port).socket} of {toPortRow(port).switchName}
          </>
        }
      >
        <FreshnessBadge list={ports} />
      </PageHead>
      <PortFacts port={port} />
      <WantedAndActual port={port} configurations={configurations.items} />
      <ChangePort
        port={port}
        choices={configurations.items.filter(({ metadata }) => isOffered(metadata.namespace, port))}
        problem={configurations.items.length === 0 ? configurations.problem : undefined}
        parking={parking}
      />
      <PortEvents namespace={namespace} name={name} />
    </div>
  );
}

/** Where the switch of a port puts clean ones; undefined where nobody here may know. */
function useParking(port: SwitchPort | undefined): Parking {
  const namespace = port?.metadata.namespace ?? '';
  const name = port === undefined ? '' : toPortRow(port).switchName;
  const { data } = useQuery({
    queryKey: ['switch', namespace, name],
    enabled: name !== '',
    queryFn: ({ signal }) =>
      getObject<Switch>(resources.switches, { namespace, name }, signal).then((found) => found ?? null),
    refetchInterval: 15_000,
  });
  return data?.spec;
}

/** Those of the tenant whose host is plugged in, and of the team that has the switch. */
function isOffered(of: string | undefined, { metadata, status }: SwitchPort): boolean {
  return of === metadata.namespace || of === status?.hostRef?.namespace;
}

function PortFacts({ port }: { readonly port: SwitchPort }) {
  const row = toPortRow(port);
  const { status = {} } = port;
  const [hostNamespace = '', hostName = ''] = row.host.split('/');
  return (
    <Panel title="How it is">
      {row.error === '' ? null : <p className="problem">{row.error}</p>}
      <Facts
        of={[
          [
            'State',
            <Badge key="state" tone={portTone(row)}>
              {row.state || 'none'}
            </Badge>,
          ],
          [
            'VLAN',
            row.untagged === undefined ? (
              'none'
            ) : (
              <span key="vlan" className={`vlan-chip vlan-${vlanColour(row.untagged)}`}>
                {row.untagged}
              </span>
            ),
          ],
          ['Linked', row.configuration],
          [
            'Host',
            row.host === '' ? (
              'nobody told of one'
            ) : (
              <Link key="host" to="/hosts/$namespace/$name" params={{ namespace: hostNamespace, name: hostName }}>
                {row.host}
              </Link>
            ),
          ],
          ['Read', <TimeAgo key="read" at={status.lastReadTime} />],
        ]}
      />
      {(status.conditions ?? []).map(({ type, status: is, message }) =>
        message === undefined || message === '' ? null : (
          <p key={type} className="soft">
            {type} {is}: {message}
          </p>
        ),
      )}
    </Panel>
  );
}

function WantedAndActual({
  port,
  configurations,
}: {
  readonly port: SwitchPort;
  readonly configurations: readonly PortConfiguration[];
}) {
  const linked = port.spec?.configuration;
  const namespace = linked?.namespace ?? port.metadata.namespace;
  const found = configurations.find(
    ({ metadata }) => metadata.name === linked?.name && metadata.namespace === namespace,
  );
  if (linked === undefined) {
    return (
      <Panel title="Wanted and actual">
        <p className="soft">No configuration is linked: the port is only read, and nothing on it is changed.</p>
        <SettingsSeen lines={compareSettings(port.status?.observed, undefined)} />
      </Panel>
    );
  }
  return (
    <Panel title="Wanted and actual">
      {found === undefined && port.status?.configuration === undefined ? (
        <p className="problem">
          The configuration {namespace}/{linked.name} is not there, or you may not see it.
        </p>
      ) : (
        <SettingsDiff
          caption={`${linked.name} beside what was last read from the switch`}
          lines={compareSettings(port.status?.observed, found?.spec ?? port.status?.configuration)}
        />
      )}
    </Panel>
  );
}

function PortEvents({ namespace, name }: { readonly namespace: string; readonly name: string }) {
  const asked = useQuery({
    queryKey: ['events of port', namespace, name],
    queryFn: () =>
      listObjects<EventObject>(
        resources.events,
        { namespace },
        {
          fieldSelector: `involvedObject.kind=SwitchPort,involvedObject.name=${name}`,
        },
      ),
    refetchInterval: 10_000,
  });
  const note = whyEmpty(asked, 'Nothing was told of it lately.');
  const events = (asked.data ?? [])
    .toSorted((a, b) => (b.lastTimestamp ?? '').localeCompare(a.lastTimestamp ?? ''))
    .slice(0, 20);
  return (
    <Panel title="Events">
      {note === undefined ? null : <p className="soft">{note}</p>}
      <ul>
        {events.map(({ metadata, type, reason, message, lastTimestamp, count = 1 }) => (
          <li key={metadata.name}>
            <Badge tone={type === 'Warning' ? 'warn' : 'idle'}>{reason}</Badge> {message}{' '}
            <span className="soft">
              <TimeAgo at={lastTimestamp} /> ago{count > 1 ? `, ${count} times` : ''}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
