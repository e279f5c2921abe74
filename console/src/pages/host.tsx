import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccess } from '../api/access.ts';
import { resources } from '../api/kinds.ts';
import { complianceOf } from '../fleet/firmware-row.ts';
import { type HostObject, healthOf } from '../fleet/host-row.ts';
import { firmwareSlots } from '../host/firmware-slots.ts';
import { isDetached, reboot, setDetached } from '../host/host-actions.ts';
import { ConditionsPanel, FirmwarePanel, HardwarePanel, SettingsPanel, TimelinePanel } from '../host/host-panels.tsx';
import { interfacesOf } from '../host/host-ports.ts';
import { LiveUpdateForm } from '../host/live-update-form.tsx';
import { PortsPanel } from '../host/ports-panel.tsx';
import { nextOf } from '../host/state-diagram.ts';
import { StateMachine } from '../host/state-machine.tsx';
import { timelineOf } from '../host/timeline.ts';
import { type HostWhere, useHost } from '../host/use-host.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { FreshnessBadge, ListNote, PageHead } from '../parts/page-head.tsx';
import { Panel } from '../parts/panel.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { Badge } from '../parts/tone.tsx';

/** One host: where it is and why, what it has, what can be done with it. */
export function HostPage() {
  const where = useParams({ from: '/hosts/$namespace/$name' });
  const { list, host, settings, components, policy, found, server, known, events, catalogue, ports } = useHost(where);
  const [isUpdating, setUpdating] = useState(false);
  if (host === undefined) {
    return (
      <div className="page">
        <PageHead title={where.name} detail={<Link to="/">Fleet</Link>} />
        <ListNote list={list} empty={`There is no host ${where.name} in namespace ${where.namespace}.`} />
      </div>
    );
  }
  const slots = firmwareSlots({ ...known, catalogue: catalogue.data ?? [] });
  return (
    <div className="page">
      <HostHead host={host} where={where} list={list} openUpdate={() => setUpdating(true)} />
      {isUpdating ? (
        <LiveUpdateForm
          where={where}
          settings={settings.data?.status?.settings ?? {}}
          known={known}
          catalogue={catalogue.data ?? []}
          policy={policy.data}
          close={() => setUpdating(false)}
        />
      ) : null}
      <div className="host-grid">
        <WherePanel host={host} compliance={server.data?.status?.conditions} />
        <div className="host-column">
          <ConditionsPanel conditions={host.status?.conditions ?? []} />
          <FirmwarePanel
            slots={slots}
            missing={[
              ['what the host tells', components.error],
              ['what its server tells', found.error ?? server.error],
              ['the catalogue', catalogue.error],
            ]}
          />
          <PortsPanel interfaces={interfacesOf(host, ports.data ?? [])} />
        </div>
        <div className="host-column">
          <TimelinePanel moments={timelineOf(host, events.data ?? [])} problem={events.error} />
          <HardwarePanel hardware={host.status?.hardware} host={host} />
          <SettingsPanel settings={settings.data} why={settings.error?.message} />
        </div>
      </div>
    </div>
  );
}

function HostHead({
  host,
  where,
  list,
  openUpdate,
}: {
  readonly host: HostObject;
  readonly where: HostWhere;
  readonly list: Parameters<typeof FreshnessBadge>[0]['list'];
  readonly openUpdate: () => void;
}) {
  const mayPatch = useAccess({ verb: 'patch', resource: resources.hosts, ...where });
  const forbidden = mayPatch.isAllowed === true ? undefined : mayPatch.why;
  const state = host.status?.provisioning?.state ?? '';
  const isInUse = state === 'provisioned' || state === 'externally provisioned';
  const notInUse = isInUse ? undefined : 'Only hosts in use are updated live; others get it when they are prepared.';
  const detached = isDetached(host);
  const health = healthOf(host);
  return (
    <PageHead
      title={
        <>
          {host.metadata.name} <Badge tone={health.tone}>{health.word}</Badge>{' '}
          <Badge tone={host.status?.poweredOn === true ? 'good' : 'idle'}>
            {host.status?.poweredOn === true ? 'on' : 'off'}
          </Badge>
        </>
      }
      detail={
        <>
          <Link to="/">Fleet</Link> / {where.namespace} ·{' '}
          {host.status?.hardware?.systemVendor?.productName ?? 'hardware unknown'}
          {host.spec?.consumerRef?.name === undefined ? '' : ` · used by ${host.spec.consumerRef.name}`}
        </>
      }
    >
      <FreshnessBadge list={list} />
      <ActionButton icon="reboot" blockedBy={forbidden} question={`Reboot ${where.name}?`} act={() => reboot(where)}>
        Reboot
      </ActionButton>
      <ActionButton icon="update" blockedBy={forbidden ?? notInUse} act={async () => openUpdate()}>
        Live update
      </ActionButton>
      <ActionButton
        icon="detach"
        isDangerous={!detached}
        blockedBy={forbidden}
        question={detached ? `Look after ${where.name} again?` : `Detach ${where.name}? Nobody looks after it then.`}
        act={() => setDetached(where, !detached)}
      >
        {detached ? 'Attach' : 'Detach'}
      </ActionButton>
    </PageHead>
  );
}

function WherePanel({
  host,
  compliance,
}: {
  readonly host: HostObject;
  readonly compliance: Parameters<typeof complianceOf>[0] | undefined;
}) {
  const state = host.status?.provisioning?.state ?? '';
  const health = healthOf(host);
  const updates = host.status?.conditions?.find(({ type }) => type === 'LiveUpdates');
  const firmware = compliance === undefined ? undefined : complianceOf(compliance);
  const going = nextOf(state).filter(({ isAbort, when }) => !isAbort && !/leaving: (yes|detached)/.test(when));
  return (
    <Panel
      title="Where it is and why"
      className="wide"
      aside={
        <span className="soft small">
          changed <TimeAgo at={host.status?.lastUpdated} /> ago
        </span>
      }
    >
      <StateMachine state={state} />
      <ul className="reasons">
        <li>
          <strong>{state || 'new'}</strong>
          {health.why === '' ? ' and nothing is wrong.' : `: ${health.why}`}
        </li>
        {updates === undefined ? null : (
          <li>
            Live updates: {updates.reason}. {updates.message}
          </li>
        )}
        {firmware === undefined ? null : (
          <li>
            Firmware {firmware.word}. <span className="soft">{firmware.why}</span>
          </li>
        )}
        {going.slice(0, 4).map(({ to, when }) => (
          <li key={to} className="soft">
            → {to} <span className="faint">when {when.replace('leaving: no; ', '')}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
