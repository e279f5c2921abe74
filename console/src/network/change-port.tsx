import { useId, useState } from 'react';
import { useAccess } from '../api/access.ts';
import { resources } from '../api/kinds.ts';
import { createObject, patchObject } from '../api/objects.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Panel } from '../parts/panel.tsx';
import { compareCleaned, compareSettings, type Parking, type PortConfiguration, type SwitchPort } from './port-view.ts';
import { SettingsDiff } from './settings-diff.tsx';

const nothing = '';

/** Links another configuration to a port, after showing what that would change. */
export function ChangePort({
  port,
  choices,
  problem,
  parking,
}: {
  readonly port: SwitchPort;
  readonly choices: readonly PortConfiguration[];
  /** Why there are no choices, where they could not be read. */
  readonly problem: string | undefined;
  readonly parking: Parking;
}) {
  const id = useId();
  const { namespace = '', name } = port.metadata;
  const linked = port.spec?.configuration;
  const isHere = linked === undefined || (linked.namespace ?? namespace) === namespace;
  const current = linked === undefined ? nothing : isHere ? linked.name : `${linked.namespace}/${linked.name}`;
  const [choice, setChoice] = useState<string>();
  const chosen = choice ?? current;
  const access = useAccess({ verb: 'patch', resource: resources.switchPorts, namespace, name });
  const wanted = choices.find((each) => referenceText(each, namespace) === chosen);
  const link = async (): Promise<void> => {
    const configuration =
      chosen === nothing
        ? null
        : { name: wanted?.metadata.name ?? chosen, namespace: wanted?.metadata.namespace ?? namespace };
    await patchObject(resources.switchPorts, { namespace, name }, { spec: { configuration } });
    setChoice(undefined);
  };
  const host = port.status?.hostRef;
  return (
    <Panel title="Change">
      {host === undefined ? null : (
        <p className="soft">
          {host.namespace}/{host.name} is plugged in here and moves this port by itself: what is linked by hand it links
          back. Change <code>spec.ports</code> of the host instead.
        </p>
      )}
      <div className="port-choice">
        <label htmlFor={id}>Configuration</label>
        <select id={id} value={chosen} onChange={(event) => setChoice(event.currentTarget.value)}>
          <option value={nothing}>none: the port is cleaned</option>
          {choices.map((each) => (
            <option key={referenceText(each, namespace)}>{referenceText(each, namespace)}</option>
          ))}
          {wanted === undefined && chosen !== nothing ? <option>{chosen}</option> : null}
        </select>
        <ActionButton
          isPrimary
          icon="check"
          blockedBy={
            access.isAllowed !== true ? access.why : chosen === current ? 'This is what is linked already.' : undefined
          }
          act={link}
        >
          {chosen === nothing ? 'Clean the port' : 'Link it'}
        </ActionButton>
      </div>
      {problem === undefined ? null : <p className="note">Configurations cannot be chosen: {problem}</p>}
      {chosen === current || (chosen !== nothing && wanted === undefined) ? null : (
        <SettingsDiff
          caption="What that would change"
          lines={
            chosen === nothing
              ? compareCleaned(port.status?.observed, parking)
              : compareSettings(port.status?.observed, wanted?.spec)
          }
        />
      )}
      <NewConfiguration namespace={namespace} done={setChoice} />
    </Panel>
  );
}

function referenceText({ metadata }: PortConfiguration, here: string): string {
  return metadata.namespace === here ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

function NewConfiguration({ namespace, done }: { readonly namespace: string; readonly done: (name: string) => void }) {
  const id = useId();
  const [name, setName] = useState('');
  const [vlan, setVlan] = useState('');
  const [tagged, setTagged] = useState('');
  const access = useAccess({ verb: 'create', resource: resources.portConfigurations, namespace });
  const problem = !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)
    ? 'Give it a name of small letters, digits and dashes.'
    : !isVlan(vlan)
      ? 'A VLAN is a number from 1 to 4094.'
      : undefined;
  const make = async (): Promise<void> => {
    await createObject(
      resources.portConfigurations,
      { namespace },
      {
        apiVersion: 'metal3.io/v1alpha1',
        kind: 'SwitchPortConfiguration',
        metadata: { name, namespace },
        spec: { untaggedVLAN: Number(vlan), ...(tagged.trim() === '' ? {} : { vlans: tagged.trim() }) },
      },
    );
    done(name);
  };
  return (
    <details className="fold">
      <summary>Make a configuration</summary>
      <div className="group-form">
        <label htmlFor={`${id}-name`}>Name</label>
        <input
          id={`${id}-name`}
          value={name}
          spellCheck={false}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <label htmlFor={`${id}-vlan`}>Untagged VLAN</label>
        <input
          id={`${id}-vlan`}
          inputMode="numeric"
          value={vlan}
          onChange={(event) => setVlan(event.currentTarget.value)}
        />
        <label htmlFor={`${id}-tagged`}>Tagged VLANs</label>
        <input
          id={`${id}-tagged`}
          value={tagged}
          placeholder="none, or 30-32, 40"
          onChange={(event) => setTagged(event.currentTarget.value)}
        />
      </div>
      <div className="form-actions">
        <ActionButton blockedBy={access.isAllowed === true ? problem : access.why} act={make}>
          Make it
        </ActionButton>
        <span className="soft">It never changes afterwards: link another one instead.</span>
      </div>
    </details>
  );
}

function isVlan(text: string): boolean {
  return /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 4094;
}
