import { Link } from '@tanstack/react-router';
import { useAccess } from '../api/access.ts';
import { resources } from '../api/kinds.ts';
import type { Snapshot } from '../api/live-list.ts';
import { patchObject } from '../api/objects.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { ListNote } from '../parts/page-head.tsx';
import { Panel } from '../parts/panel.tsx';
import { Badge } from '../parts/tone.tsx';
import { type FirmwareGroup, groupStanding } from './group-draft.ts';

/** What is wanted on which servers, and how far that is. */
export function Groups({ list }: { readonly list: Snapshot<FirmwareGroup> }) {
  const access = useAccess({ verb: 'create', resource: resources.firmwareGroups });
  return (
    <Panel
      title="Groups"
      aside={
        access.isAllowed === true ? (
          <Link className="button" to="/firmware/new-group">
            New group
          </Link>
        ) : (
          <ActionButton blockedBy={access.why} act={async () => undefined}>
            New group
          </ActionButton>
        )
      }
    >
      <ListNote list={list} empty="There are no groups: nothing is wanted of servers but what each says itself." />
      {list.items.length === 0 ? null : (
        <table className="grid-table">
          <thead>
            <tr>
              {['Group', 'Standing', 'Hardware', 'Servers', 'Applied', 'Wants', 'Change'].map((title) => (
                <th scope="col" key={title}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.items.map((group) => (
              <GroupRow key={group.metadata.name} group={group} />
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

function GroupRow({ group }: { readonly group: FirmwareGroup }) {
  const { metadata, spec, status = {} } = group;
  const { name } = metadata;
  const { serversInGroup = 0, updatesApplied = 0 } = status;
  const standing = groupStanding(group);
  const labels = Object.entries(spec.serverSelector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const share = serversInGroup === 0 ? 0 : Math.round((100 * updatesApplied) / serversInGroup);
  return (
    <tr>
      <td>
        <Link to="/firmware/groups/$name" params={{ name }}>
          {name}
        </Link>
      </td>
      <td title={standing.why}>
        <Badge tone={standing.tone}>{standing.text}</Badge>
      </td>
      <td>
        {spec.manufacturer} {spec.model}
      </td>
      <td className="mono">{labels.join(', ')}</td>
      <td>
        <span className="share">
          <span className="share-bar">
            <span style={{ width: `${share}%` }} />
          </span>
          {updatesApplied} of {serversInGroup}
        </span>
      </td>
      <td>
        {(spec.firmwares ?? []).map(({ name: component, version }) => (
          <span className="wish-chip" key={`${component}${version}`}>
            {component} <code>{version}</code>
          </span>
        ))}
      </td>
      <td>
        <GroupActions group={group} standing={standing.text} />
      </td>
    </tr>
  );
}

function GroupActions({ group, standing }: { readonly group: FirmwareGroup; readonly standing: string }) {
  const { name } = group.metadata;
  const access = useAccess({ verb: 'patch', resource: resources.firmwareGroups });
  const blockedBy = access.isAllowed === true ? undefined : access.why;
  const isPaused = group.spec.paused === true;
  const patch = (change: object) => patchObject(resources.firmwareGroups, { name }, change);
  return (
    <span className="row-actions">
      <Link className="button" to="/firmware/groups/$name" params={{ name }}>
        Plan a change<span className="visually-hidden"> of {name}</span>
      </Link>
      <ActionButton blockedBy={blockedBy} act={() => patch({ spec: { paused: isPaused ? null : true } })}>
        {isPaused ? 'Go on' : 'Pause'}
        <span className="visually-hidden"> {name}</span>
      </ActionButton>
      {standing === 'halted' || standing.endsWith('failed') ? (
        <ActionButton
          icon="reboot"
          blockedBy={blockedBy}
          act={() => patch({ metadata: { annotations: { 'metal.ironcore.dev/operation': 'retry' } } })}
        >
          Try again<span className="visually-hidden"> {name}</span>
        </ActionButton>
      ) : null}
    </span>
  );
}
