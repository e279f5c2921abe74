import { useMemo } from 'react';
import { Panel } from '../parts/panel.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { type AvailableFirmware, entryKey } from './group-draft.ts';
import { offersOf } from './offers.ts';
import { type KnownServer, partsOfHardware } from './server-parts.ts';

/** Which versions are available for which hardware: those that a part of a server takes. */
export function AvailableVersions({
  of,
  servers = [],
  note,
}: {
  readonly of: readonly AvailableFirmware[];
  /** Undefined while their parts are not known. */
  readonly servers: readonly KnownServer[] | undefined;
  /** Said where there are none. */
  readonly note: string | undefined;
}) {
  const offered = useMemo(
    () => of.map((each) => ({ each, offers: offersOf(each, partsOfHardware(each.spec, servers)) })),
    [of, servers],
  );
  return (
    <Panel title="Available versions">
      {note === undefined ? null : <p className="note">{note}</p>}
      {offered.map(({ each, offers }) => (
        <details key={each.metadata.name} className="fold">
          <summary>
            {each.spec.manufacturer} {each.spec.model}
            <span className="soft">
              {' '}
              · {offers.length} {offers.length === 1 ? 'product' : 'products'} of its servers, looked for{' '}
              <TimeAgo at={each.status?.lastDiscoveryTime} /> ago
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
              {offers.map((offer) => (
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
