import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccess } from '../api/access.ts';
import { resources } from '../api/kinds.ts';
import { createObject, deleteObject, listObjects, replaceObject } from '../api/objects.ts';
import { explainError } from '../api/refused.ts';
import { useLiveObjects } from '../api/use-live.ts';
import { askPlan, type FirmwarePlan } from '../firmware/firmware-plan.ts';
import {
  type AvailableFirmware,
  draftOf,
  emptyDraft,
  type FirmwareGroup,
  type GroupDraft,
  groupOf,
} from '../firmware/group-draft.ts';
import { GroupForm } from '../firmware/group-form.tsx';
import { PlanView } from '../firmware/plan-view.tsx';
import { useServerParts } from '../firmware/server-parts.ts';
import { withNewestVersion } from '../firmware/write-group.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Panel } from '../parts/panel.tsx';

/** A group that is there. */
export function FirmwareGroupPage() {
  const { name } = useParams({ from: '/firmware/groups/$name' });
  const list = useLiveObjects<FirmwareGroup>(resources.firmwareGroups, { name });
  const [present] = list.items;
  if (present === undefined) {
    return (
      <div className="page">
        <PageHead title={name} />
        <p className="note">
          {list.freshness === 'loading' ? 'Reading …' : (list.problem ?? 'There is no such group.')}
        </p>
      </div>
    );
  }
  return <GroupEditor key={name} present={present} />;
}

/** A group that is not there yet. */
export function NewFirmwareGroupPage() {
  return <GroupEditor present={undefined} />;
}

interface Planned {
  /** What the plan was made of: it is good for nothing else. */
  readonly of: GroupDraft;
  readonly plan: FirmwarePlan;
}

function GroupEditor({ present }: { readonly present: FirmwareGroup | undefined }) {
  const [draft, setDraft] = useState<GroupDraft>(() => (present === undefined ? emptyDraft : draftOf(present)));
  // What the form was filled from: somebody else's change in between must not be lost.
  const [base, setBase] = useState(present);
  const [planned, setPlanned] = useState<Planned>();
  const [done, setDone] = useState('');
  const navigate = useNavigate();
  const available = useQuery({
    queryKey: ['available firmware'],
    queryFn: () => listObjects<AvailableFirmware>(resources.discoveredFirmwares),
    // What is discovered meanwhile can be chosen, too.
    refetchInterval: 10_000,
  });
  const servers = useServerParts();
  const write = useAccess({ verb: present === undefined ? 'create' : 'update', resource: resources.firmwareGroups });
  const remove = useAccess({ verb: 'delete', resource: resources.firmwareGroups });
  const made = groupOf(draft, base);
  const problem = 'problem' in made ? made.problem : undefined;
  const isPlanned = planned?.of === draft;
  const forbidden = write.isAllowed === true ? undefined : write.why;
  const plan = async (): Promise<void> => {
    if ('problem' in made) return;
    setDone('');
    setPlanned({ of: draft, plan: await withNewestVersion(made, base, (group) => askPlan([group])) });
  };
  const apply = async (): Promise<void> => {
    if ('problem' in made) return;
    setBase(
      await (base === undefined
        ? createObject<FirmwareGroup>(resources.firmwareGroups, {}, made)
        : withNewestVersion(made, base, (body) =>
            replaceObject<FirmwareGroup>(resources.firmwareGroups, { name: draft.name }, body),
          )),
    );
    setPlanned(undefined);
    setDone('Applied. Its controller writes to the servers now.');
    if (present === undefined) await navigate({ to: '/firmware/groups/$name', params: { name: draft.name } });
  };
  return (
    <div className="page">
      <PageHead
        title={present === undefined ? 'New firmware group' : present.metadata.name}
        detail={<Link to="/firmware">All firmware</Link>}
      >
        {present === undefined ? null : (
          <ActionButton
            isDangerous
            blockedBy={remove.isAllowed === true ? undefined : remove.why}
            question={`Delete ${present.metadata.name}? Its servers keep what they have installed and lose what it wants.`}
            act={async () => {
              await deleteObject(resources.firmwareGroups, { name: present.metadata.name });
              await navigate({ to: '/firmware' });
            }}
          >
            Delete
          </ActionButton>
        )}
      </PageHead>
      <div className="stack">
        <Panel title="What is wanted">
          <GroupForm
            servers={servers.data}
            draft={draft}
            isNew={present === undefined}
            available={available.data ?? []}
            change={(news) => setDraft((before) => ({ ...before, ...news }))}
          />
          {[available.error, servers.error].map((error) =>
            error === null ? null : (
              <p key={error.message} className="problem">
                {explainError(error)}
              </p>
            ),
          )}
          <div className="form-actions">
            <ActionButton isPrimary={!isPlanned} blockedBy={problem} act={plan}>
              Plan
            </ActionButton>
            <ActionButton
              isPrimary
              icon="check"
              blockedBy={
                forbidden ?? problem ?? (isPlanned ? undefined : 'Plan first: then it is known what this would do.')
              }
              act={apply}
            >
              Apply
            </ActionButton>
            <span role="status" className="soft">
              {done || problem || (isPlanned ? 'Nothing was changed yet.' : 'A plan changes nothing.')}
            </span>
          </div>
        </Panel>
        {planned === undefined ? null : (
          <div className={isPlanned ? '' : 'is-outdated'}>
            {isPlanned ? null : <p className="note">The form was changed since: plan again.</p>}
            <PlanView plan={planned.plan} group={planned.of.name} />
          </div>
        )}
      </div>
    </div>
  );
}
