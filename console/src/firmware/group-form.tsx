import { useId } from 'react';
import { type AvailableFirmware, entryLines, type GroupDraft, hardwareText, readHardware } from './group-draft.ts';
import { findAvailable, type KnownServer, partsOfHardware } from './server-parts.ts';

/** The form of a group. */
export function GroupForm({
  draft,
  isNew,
  available,
  servers,
  change,
}: {
  readonly draft: GroupDraft;
  readonly isNew: boolean;
  readonly available: readonly AvailableFirmware[];
  /** Undefined while their parts are not known: then nothing is offered. */
  readonly servers: readonly KnownServer[] | undefined;
  readonly change: (news: Partial<GroupDraft>) => void;
}) {
  const id = useId();
  const hardware = readHardware(draft.hardware);
  const fitting = findAvailable(hardware, available, servers);
  const parts = servers === undefined ? [] : partsOfHardware(hardware, servers);
  const choices = [...new Set([...available.map(({ spec }) => hardwareText(spec)), draft.hardware])].filter(Boolean);
  return (
    <div className="group-form">
      <label htmlFor={`${id}-name`}>Name</label>
      <input
        id={`${id}-name`}
        value={draft.name}
        readOnly={!isNew}
        spellCheck={false}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <label htmlFor={`${id}-hardware`}>Hardware</label>
      <select
        id={`${id}-hardware`}
        value={draft.hardware}
        onChange={(event) => change({ hardware: event.currentTarget.value, versions: {} })}
      >
        <option value="">Choose …</option>
        {choices.map((text) => (
          <option key={text}>{text}</option>
        ))}
      </select>
      <label htmlFor={`${id}-labels`}>Servers with labels</label>
      <input
        id={`${id}-labels`}
        value={draft.labels}
        spellCheck={false}
        placeholder="rackwright.io/rack=r01, env=prod"
        onChange={(event) => change({ labels: event.currentTarget.value })}
      />
      <span id={`${id}-versions`}>Wanted versions</span>
      <fieldset className="wishes" aria-labelledby={`${id}-versions`}>
        {draft.hardware === '' ? <p className="soft">Choose the hardware first.</p> : null}
        {draft.hardware === '' || parts.length > 0 ? null : (
          <p className="soft">
            {servers === undefined
              ? 'The parts of the servers are not known yet.'
              : 'No server of this hardware has shown its parts yet; versions are offered when one has.'}
          </p>
        )}
        {entryLines(draft, fitting, parts).map(({ key, name, manufacturer, product, choices: versions }) => (
          <label key={key} className="wish-line">
            <span>
              {name}{' '}
              <span className="soft">
                {manufacturer} {product}
              </span>
            </span>
            <select
              value={draft.versions[key] ?? ''}
              onChange={(event) => change({ versions: { ...draft.versions, [key]: event.currentTarget.value } })}
            >
              <option value="">as it is</option>
              {versions.map((version) => (
                <option key={version}>{version}</option>
              ))}
            </select>
          </label>
        ))}
      </fieldset>
      <span>Paused</span>
      <label className="check">
        <input
          type="checkbox"
          checked={draft.isPaused}
          onChange={(event) => change({ isPaused: event.currentTarget.checked })}
        />
        Write nothing to its servers for now
      </label>
    </div>
  );
}
