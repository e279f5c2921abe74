import { Panel } from '../parts/panel.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { type AvailableFirmware, offeredOf } from './group-draft.ts';

/** Which versions can be had for which hardware. */
export function AvailableVersions({
  of,
  note,
}: {
  readonly of: readonly AvailableFirmware[];
  /** Said where there are none. */
  readonly note: string | undefined;
}) {
  return (
    <Panel title="Versions that can be had">
      {note === undefined ? null : <p className="note">{note}</p>}
      {of.map((each) => (
        <details key={each.metadata.name} className="fold">
          <summary>
            {each.spec.manufacturer} {each.spec.model}
            <span className="soft">
              {' '}
              · {offeredOf(each).length} components, looked for <TimeAgo at={each.status?.lastDiscoveryTime} /> ago
            </span>
          </summary>
          <table className="grid-table">
            <thead>
              <tr>
                <th scope="col">Component</th>
                <th scope="col">Maker</th>
                <th scope="col">Versions, newest first</th>
              </tr>
            </thead>
            <tbody>
              {offeredOf(each).map(({ name, manufacturer, versions = [] }) => (
                <tr key={`${name}/${manufacturer}`}>
                  <td>{name}</td>
                  <td>{manufacturer}</td>
                  <td className="mono">{versions.toReversed().join(', ')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      ))}
    </Panel>
  );
}
