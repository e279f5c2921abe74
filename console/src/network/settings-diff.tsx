import { Facts } from '../parts/panel.tsx';
import type { SettingLine } from './port-view.ts';

/** Settings on the switch, where nothing is wanted. */
export function SettingsSeen({ lines }: { readonly lines: readonly SettingLine[] }) {
  return <Facts of={lines.map(({ name, actual }) => [name, <code key={name}>{actual}</code>])} />;
}

/** Settings on the switch beside those wanted; what differs stands out, in words too. */
export function SettingsDiff({ caption, lines }: { readonly caption: string; readonly lines: readonly SettingLine[] }) {
  return (
    <table className="grid-table settings-diff">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Setting</th>
          <th scope="col">On the switch</th>
          <th scope="col">Wanted</th>
          <th scope="col">Difference</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ name, actual, wanted, isSame }) => (
          <tr key={name} className={isSame === false ? 'differs' : ''}>
            <th scope="row">{name}</th>
            <td className="mono">{actual}</td>
            <td className="mono">{wanted}</td>
            <td>
              {isSame === false ? (
                <strong>differs</strong>
              ) : (
                <span className="faint">{isSame === true ? 'same' : 'unknown'}</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
