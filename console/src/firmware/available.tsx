import { Panel } from '../parts/panel.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { type AvailableFirmware, entryKey } from './group-draft.ts';
import { offersOf } from './offers.ts';

/** Which versions are available for which hardware. */
export function AvailableVersions({
  of,
  note,
}: {
  readonly of: readonly AvailableFirmware[];
  /** Said where there are none. */
  readonly note: string | undefined;
}) {
  return (
    <Panel title="Available versions">
      {note === undefined ? null : <p className="note">{note}</p>}
      {of.map((each) => (
        <details key={each.metadata.name} className="fold">
          <summary>
            {each.spec.manufacturer} {each.spec.model}
            <span className="soft">
              {' '}
              · {offersOf(each).length} products, looked for <TimeAgo at={each.status?.lastDiscoveryTime} /> ago
            </span>
          </summary>
          <table className="grid-table">
            <thead>
              <tr>
                <th scope="col">Component</th>
                <th scope="col">Maker</th>
                <th scope="col">Product</th>
                <th scope="col">Versions, newest first</th>
              </tr>
            </thead>
            <tbody>
              {offersOf(each).map((offer) => (
                <tr key={entryKey(offer)}>
                  <td>{offer.name}</td>
                  <td>{offer.manufacturer}</td>
                  <td>{offer.product}</td>
                  <td className="mono">{offer.versions.toReversed().join(', ')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      ))}
    </Panel>
  );
}
