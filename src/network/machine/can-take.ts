import type { BareMetalHost, SwitchPort } from '../../api/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { fullReference, namespaceOf, referenceKey } from '../fabric/references.ts';
import type { NetworkTables } from '../fabric/tables.ts';
import { judgePort } from '../port/judge-port.ts';
import { seenOf } from '../port/read-port.ts';
import { defaultNetworkSettings } from '../settings.ts';
import type { CanTake } from './match-nics.ts';

/** Says of the ports of a host what limits permit there, as the controller of ports will judge it. */
export function portsCanTake(tables: NetworkTables, host: BareMetalHost): CanTake {
  const home = namespaceOf(host as KubeObject);
  return (entry, { ConfigurationRef: link }) => {
    const port = tables.ports.get(referenceKey(entry.port, home));
    if (port === undefined) return false;
    const reference = fullReference(link, home);
    const linked: SwitchPort = { ...port, spec: { configuration: reference } };
    const reader = {
      tables,
      settings: defaultNetworkSettings,
      standingOf: () => ({ kind: 'waiting', fault: { code: 'SwitchNotReady', message: '' } }) as const,
      memoryOf: () => ({}),
    };
    const seen = seenOf(reader, linked);
    return judgePort({ ...seen, reference, managementPort: seen.owner?.spec.managementPort }).kind === 'allowed';
  };
}
