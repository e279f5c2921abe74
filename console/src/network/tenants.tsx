import type { KubeObject, StatusCondition } from '../api/kinds.ts';
import { Panel } from '../parts/panel.tsx';
import { Badge } from '../parts/tone.tsx';
import { vlanColour } from './port-view.ts';

/** A SwitchResourceLimit, as far as the page goes. */
export interface ResourceLimit extends KubeObject {
  readonly spec?: { readonly vlanRange?: string };
  readonly status?: {
    readonly usedVLANRange?: string;
    readonly usedVLANs?: readonly { readonly vlan: number; readonly ports: number }[];
    readonly conditions?: readonly StatusCondition[];
  };
}

/** Who may use which VLANs, and who does. */
export function Tenants({ of, note }: { readonly of: readonly ResourceLimit[]; readonly note: string | undefined }) {
  return (
    <Panel title="Tenants and their limits">
      {of.length === 0 ? (
        <p className="note">{note}</p>
      ) : (
        <table className="grid-table">
          <thead>
            <tr>
              <th scope="col">Tenant</th>
              <th scope="col">May use</th>
              <th scope="col">Uses, with ports</th>
              <th scope="col">Standing</th>
            </tr>
          </thead>
          <tbody>
            {of.map(({ metadata, spec = {}, status = {} }) => {
              const within = status.conditions?.find(({ type }) => type === 'WithinLimit');
              return (
                <tr key={metadata.namespace}>
                  <td>{metadata.namespace}</td>
                  <td className="mono">{spec.vlanRange ?? 'no VLAN'}</td>
                  <td>
                    {(status.usedVLANs ?? []).map(({ vlan, ports }) => (
                      <span key={vlan} className={`vlan-chip vlan-${vlanColour(vlan)}`}>
                        {vlan} × {ports}
                      </span>
                    ))}
                    {(status.usedVLANs ?? []).length === 0 ? <span className="faint">none</span> : null}
                  </td>
                  <td>
                    {within?.status === 'False' ? (
                      <>
                        <Badge tone="bad">beyond its limit</Badge> {within.message}
                      </>
                    ) : (
                      <Badge tone="good">within its limit</Badge>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
