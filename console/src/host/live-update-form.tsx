import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useAccess } from '../api/access.ts';
import { resources } from '../api/kinds.ts';
import { explainError } from '../api/refused.ts';
import { Icon } from '../parts/icon.tsx';
import { type FirmwareKnown, imagesForComponent, updatableComponents } from './firmware-slots.ts';
import { type LiveChange, liveUpdate } from './host-actions.ts';
import type { CatalogueEntry } from './part-images.ts';
import type { HostWhere, PolicyObject } from './use-host.ts';

/** What can be changed. */
export interface LiveUpdateFormProps {
  readonly where: HostWhere;
  readonly settings: Readonly<Record<string, string>>;
  readonly known: FirmwareKnown;
  readonly catalogue: readonly CatalogueEntry[];
  readonly policy: PolicyObject | null | undefined;
  readonly close: () => void;
}

/** Asks what to change on a host in use, says what will happen, and does it. */
export function LiveUpdateForm({ where, settings, known, catalogue, policy, close }: LiveUpdateFormProps) {
  const id = useId();
  const [kind, setKind] = useState<LiveChange['kind']>('setting');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const queries = useQueryClient();
  const isAllowedAlready = policy?.spec?.[kind === 'setting' ? 'firmwareSettings' : 'firmwareUpdates'] === 'onReboot';
  const mayChange = useAccess({
    verb: 'patch',
    resource: kind === 'setting' ? resources.firmwareSettings : resources.firmwareComponents,
    ...where,
  });
  const mayAllow = useAccess({ verb: 'create', resource: resources.updatePolicies, namespace: where.namespace });
  const whyNot =
    mayChange.isAllowed === false
      ? mayChange.why
      : !isAllowedAlready && mayAllow.isAllowed === false
        ? mayAllow.why
        : undefined;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // What is grey can still be pressed, and Enter submits without it.
    if (whyNot !== undefined || isBusy) return;
    const given = new FormData(event.currentTarget);
    const read = (name: string) => String(given.get(name) ?? '').trim();
    const change: LiveChange =
      kind === 'setting'
        ? { kind, name: read('name'), value: read('value') }
        : { kind, component: read('component'), url: read('url') };
    setBusy(true);
    setProblem(undefined);
    liveUpdate(where, change)
      .then(() => queries.invalidateQueries())
      .then(close)
      .catch((error: unknown) => setProblem(explainError(error)))
      .finally(() => setBusy(false));
  };
  return (
    <form className="panel live-update" aria-label="Live update" onSubmit={submit}>
      <header>
        <h2>Live update</h2>
        <fieldset className="switch-buttons">
          <legend className="visually-hidden">What to change</legend>
          <button type="button" aria-pressed={kind === 'setting'} onClick={() => setKind('setting')}>
            BIOS setting
          </button>
          <button type="button" aria-pressed={kind === 'firmware'} onClick={() => setKind('firmware')}>
            Firmware
          </button>
        </fieldset>
      </header>
      <div className="form-row">
        {kind === 'setting' ? (
          <SettingFields id={id} settings={settings} />
        ) : (
          <FirmwareFields id={id} known={known} catalogue={catalogue} />
        )}
      </div>
      <p className="soft">
        Writes what is wanted{isAllowedAlready ? '' : ', lets it happen at a reboot (HostUpdatePolicy: onReboot)'} and
        reboots the host. It says <em>servicing</em> until it is OK again.
      </p>
      {problem === undefined ? null : (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {whyNot === undefined ? null : <p className="problem">{whyNot}</p>}
      <div className="page-actions">
        <button type="submit" className="primary" aria-disabled={whyNot !== undefined || isBusy}>
          <Icon name="update" /> {isBusy ? 'Asking …' : 'Update and reboot'}
        </button>
        <button type="button" onClick={close}>
          Not now
        </button>
      </div>
    </form>
  );
}

function SettingFields({ id, settings }: { readonly id: string; readonly settings: Readonly<Record<string, string>> }) {
  return (
    <>
      <label>
        Setting
        <input name="name" list={`${id}-names`} required autoComplete="off" />
      </label>
      <datalist id={`${id}-names`}>
        {Object.entries(settings).map(([name, value]) => (
          <option key={name} value={name}>
            now {value}
          </option>
        ))}
      </datalist>
      <label>
        Value
        <input name="value" required autoComplete="off" />
      </label>
    </>
  );
}

function FirmwareFields({
  id,
  known,
  catalogue,
}: Pick<LiveUpdateFormProps, 'known' | 'catalogue'> & { readonly id: string }) {
  const names = updatableComponents(known.components);
  const [choice, setChoice] = useState<string>();
  const component = choice ?? names[0] ?? '';
  return (
    <>
      <label>
        Component
        <select name="component" value={component} onChange={(event) => setChoice(event.currentTarget.value)}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label className="wide">
        Image
        <input
          name="url"
          type="url"
          list={`${id}-images`}
          required
          placeholder="Choose a version, or give an address"
        />
      </label>
      <datalist id={`${id}-images`}>
        {imagesForComponent(component, known, catalogue).map((entry) => (
          <option key={entry.uuid} value={entry.repository_url}>
            {entry.version}
          </option>
        ))}
      </datalist>
    </>
  );
}
