import { useState } from 'react';
import type { StatusCondition } from '../api/kinds.ts';
import { explainError } from '../api/refused.ts';
import type { Hardware, HostObject } from '../fleet/host-row.ts';
import { Facts, Panel, Scroll } from '../parts/panel.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { Badge, type Tone } from '../parts/tone.tsx';
import type { FirmwareSlot } from './firmware-slots.ts';
import type { Moment } from './timeline.ts';
import type { SettingsObject } from './use-host.ts';

const said = { True: 'yes', False: 'no', Unknown: 'unknown' } as const;
const goodWhenFalse = new Set(['Progressing', 'DuplicateMachine', 'Stalled', 'ChangeDetected']);

function toneOf({ type, status }: StatusCondition): Tone {
  if (status === 'Unknown') return 'warn';
  const isGood = (status === 'True') !== goodWhenFalse.has(type);
  if (isGood) return 'good';
  return type === 'Progressing' ? 'busy' : type === 'Healthy' || type === 'Manageable' ? 'bad' : 'idle';
}

/** The conditions of a host. */
export function ConditionsPanel({ conditions }: { readonly conditions: readonly StatusCondition[] }) {
  return (
    <Panel title="Conditions">
      <table className="grid-table">
        <thead>
          <tr>
            <th scope="col">Condition</th>
            <th scope="col">Reason</th>
            <th scope="col">Since</th>
          </tr>
        </thead>
        <tbody>
          {conditions.map((condition) => (
            <tr key={condition.type}>
              <td>
                <Badge tone={toneOf(condition)}>
                  {condition.type}: {said[condition.status]}
                </Badge>
              </td>
              <td>
                {condition.reason}
                {condition.message ? <div className="soft small">{condition.message}</div> : null}
              </td>
              <td className="nowrap">
                <TimeAgo at={condition.lastTransitionTime} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

/** What happened, newest first. */
export function TimelinePanel({
  moments,
  problem,
}: {
  readonly moments: readonly Moment[];
  readonly problem: Error | null;
}) {
  return (
    <Panel title="Timeline and events">
      {moments.length === 0 ? <p className="faint">Nothing was told yet.</p> : null}
      {problem === null ? null : <p className="soft small">Without events: {explainError(problem)}</p>}
      <Scroll label="Timeline">
        <ol className="timeline">
          {moments.slice(0, 60).map(({ id, at, title, text, tone }) => (
            <li key={id} className={`tone-${tone}`}>
              <span className="dot" aria-hidden="true" />
              <div>
                <strong>{title}</strong> <span className="soft">{text}</span>
              </div>
              <span className="faint nowrap">
                <TimeAgo at={at} />
              </span>
            </li>
          ))}
        </ol>
      </Scroll>
    </Panel>
  );
}

/** Firmware by slot. */
export function FirmwarePanel({
  slots,
  missing,
}: {
  readonly slots: readonly FirmwareSlot[];
  /** What could not be read, and why. */
  readonly missing: readonly (readonly [string, Error | null])[];
}) {
  const gaps = missing.flatMap(([what, error]) => (error === null ? [] : [`Without ${what}: ${explainError(error)}`]));
  return (
    <Panel title="Firmware">
      {slots.length === 0 && gaps.length === 0 ? <p className="faint">Nothing is known yet.</p> : null}
      {gaps.map((gap) => (
        <p key={gap} className="soft small">
          {gap}
        </p>
      ))}
      <table className="grid-table">
        <thead>
          <tr>
            <th scope="col">Slot</th>
            <th scope="col">Installed</th>
            <th scope="col">Desired</th>
            <th scope="col">Newest available</th>
          </tr>
        </thead>
        <tbody>
          {slots.map(({ component, product = '', installed, desired, available, isAsWanted }) => (
            <tr key={`${component} ${product} ${desired}`}>
              <th scope="row" className="mono">
                {component}
                {product === '' ? null : <span className="faint"> {product}</span>}
              </th>
              <td className="mono">{installed || '–'}</td>
              <td className="mono">
                {desired === '' ? (
                  <span className="faint">as it is</span>
                ) : isAsWanted ? (
                  desired
                ) : (
                  <Badge tone="warn">{desired}</Badge>
                )}
              </td>
              <td className="mono" title={available.join('\n')}>
                {available[0] ?? <span className="faint">–</span>}
                {available.length > 1 ? <span className="faint"> +{available.length - 1}</span> : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

/** BIOS settings, those that are to change first. */
export function SettingsPanel({
  settings,
  why,
}: {
  readonly settings: SettingsObject | null | undefined;
  readonly why: string | undefined;
}) {
  const [text, setText] = useState('');
  const now = settings?.status?.settings ?? {};
  const wanted = settings?.spec?.settings ?? {};
  const isChanging = (name: string) => name in wanted && String(wanted[name]) !== now[name];
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(now)])]
    .filter((name) => name.toLowerCase().includes(text.toLowerCase()))
    .sort((a, b) => Number(isChanging(b)) - Number(isChanging(a)) || a.localeCompare(b));
  const shownValue = (name: string) =>
    isChanging(name) ? (
      <span>
        <span className="faint">{now[name] ?? '–'} → </span>
        <Badge tone="warn">{String(wanted[name])}</Badge>
      </span>
    ) : (
      <span className="mono">{now[name] ?? String(wanted[name])}</span>
    );
  return (
    <Panel
      title={`BIOS settings (${Object.keys(now).length})`}
      aside={
        <input
          type="search"
          aria-label="Search settings"
          placeholder="Search"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      }
    >
      {names.length === 0 ? <p className="faint">{why ?? 'There are none.'}</p> : null}
      <Scroll label="Settings">
        <Facts of={names.map((name) => [name, shownValue(name)])} />
      </Scroll>
    </Panel>
  );
}

/** The hardware. */
export function HardwarePanel({
  hardware,
  host,
}: {
  readonly hardware: Hardware | undefined;
  readonly host: HostObject;
}) {
  const disks = hardware?.storage ?? [];
  const bytes = disks.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0);
  const { cpu, ramMebibytes, systemVendor } = hardware ?? {};
  return (
    <Panel title="Hardware">
      <Facts
        of={[
          ['Maker', systemVendor?.manufacturer],
          ['Model', systemVendor?.productName],
          [
            'Serial',
            <span key="s" className="mono">
              {systemVendor?.serialNumber}
            </span>,
          ],
          ['Processor', cpu?.model === undefined ? '' : `${cpu.model}, ${cpu.count ?? '?'} threads`],
          ['Memory', ramMebibytes === undefined ? '' : `${Math.round(ramMebibytes / 1024)} GiB`],
          ['Disks', disks.length === 0 ? '' : `${disks.length}, ${(bytes / 1e12).toFixed(1)} TB`],
          ['Boot', host.status?.provisioning?.bootMode],
          [
            'BMC',
            <span key="b" className="mono">
              {bmcPlace(host.spec?.bmc?.address)}
            </span>,
          ],
        ]}
      />
    </Panel>
  );
}

/** Where the BMC is, without what an address may carry besides. */
function bmcPlace(address: string | undefined): string {
  return address === undefined ? '' : address.replace(/\/\/[^@/]*@/, '//').replace(/^(.*?:\/\/[^/]+).*$/, '$1');
}
