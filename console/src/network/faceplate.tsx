import { Link } from '@tanstack/react-router';
import type { KubeObject, StatusCondition } from '../api/kinds.ts';
import { Panel } from '../parts/panel.tsx';
import { Badge } from '../parts/tone.tsx';
import { type Faceplate, type PortRow, placesOf, portText, portTone, socketNumber, vlanColour } from './port-view.ts';

/** A Switch, as far as the page goes. */
export interface Switch extends KubeObject {
  readonly spec?: {
    readonly provider?: { readonly kind?: string; readonly name?: string };
    /** Where clean ports are put. */
    readonly parkingVLAN?: number;
  };
  readonly status?: {
    readonly state?: string;
    readonly error?: { readonly message?: string };
    readonly conditions?: readonly StatusCondition[];
  };
}

/** The front of a switch: its sockets in two rows, coloured by their VLAN. */
export function SwitchFaceplate({
  plate,
  of,
  only,
}: {
  readonly plate: Faceplate;
  readonly of: Switch | undefined;
  /** Ports of other VLANs step back. */
  readonly only: number | undefined;
}) {
  const { state = '', error } = of?.status ?? {};
  const places = placesOf(plate.ports);
  return (
    <Panel
      title={plate.name}
      className="faceplate"
      aside={
        <span className="soft">
          {of?.spec?.provider?.kind} · {plate.ports.length} ports{' '}
          <span title={error?.message}>
            <Badge tone={error !== undefined ? 'bad' : state === 'Running' ? 'good' : 'busy'}>
              {error === undefined ? state || 'not read' : 'in error'}
            </Badge>
          </span>
        </span>
      }
    >
      {error === undefined ? null : <p className="problem">{error.message}</p>}
      <ul className="sockets">
        {plate.ports.map((port) => (
          <li
            key={port.name}
            className={only === undefined || port.untagged === only ? '' : 'steps-back'}
            style={places.get(port.name)}
          >
            <Socket port={port} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Socket({ port }: { readonly port: PortRow }) {
  const colour = vlanColour(port.untagged);
  const text = portText(port);
  return (
    <Link
      to="/network/$namespace/$name"
      params={{ namespace: port.namespace, name: port.name }}
      preload={false}
      className={`socket tone-${portTone(port)} ${colour === undefined ? 'no-vlan' : `vlan-${colour}`} ${port.isDown ? 'is-down' : ''}`}
      title={text}
    >
      <span className="visually-hidden">{text}</span>
      <span className="socket-number" aria-hidden="true">
        {socketNumber(port)}
      </span>
      <span className="socket-vlan" aria-hidden="true">
        {port.isDown ? 'down' : (port.untagged ?? '–')}
      </span>
      <span className="socket-plug" data-plugged={port.host !== ''} />
    </Link>
  );
}
