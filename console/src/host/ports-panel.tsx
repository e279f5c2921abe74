import { Link } from '@tanstack/react-router';
import { portTone } from '../network/port-view.ts';
import { Panel } from '../parts/panel.tsx';
import { Badge } from '../parts/tone.tsx';
import type { InterfaceRow, PluggedPort } from './host-ports.ts';

/** Network cards, where their cables lead and the switch ports that are theirs. */
export function PortsPanel({ interfaces }: { readonly interfaces: readonly InterfaceRow[] }) {
  return (
    <Panel title="Ports">
      {interfaces.length === 0 ? <p className="faint">No network card was seen.</p> : null}
      <table className="grid-table">
        <thead>
          <tr>
            <th scope="col">Card</th>
            <th scope="col">Speed</th>
            <th scope="col">Seen by LLDP</th>
            <th scope="col">Switch port</th>
          </tr>
        </thead>
        <tbody>
          {interfaces.map(({ name, mac, speedGbps, isBoot, lldp, port }) => (
            <tr key={`${name}${mac}`}>
              <th scope="row" className="mono">
                {name || 'not seen'} {isBoot ? <span className="faint">boots</span> : null}
                <div className="soft small">{mac}</div>
              </th>
              <td className="nowrap">{speedGbps === undefined ? '–' : `${speedGbps} Gb/s`}</td>
              <td>{lldp || <span className="faint">–</span>}</td>
              <td>{port === undefined ? <span className="faint">–</span> : <Plugged port={port} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function Plugged({ port }: { readonly port: PluggedPort }) {
  const { namespace, name, state, configuration, error, problem } = port;
  return (
    <>
      <Link to="/network/$namespace/$name" params={{ namespace, name }}>
        {name}
      </Link>{' '}
      {state === undefined ? null : <Badge tone={portTone({ state, error })}>{state || 'new'}</Badge>}
      {state === undefined ? null : (
        <div className="soft small">{configuration === '' ? 'no configuration' : `has ${configuration}`}</div>
      )}
      {error === '' ? null : <div className="problem small">{error}</div>}
      {problem === '' ? null : <div className="soft small">{problem}</div>}
    </>
  );
}
