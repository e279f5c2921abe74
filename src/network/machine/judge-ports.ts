import type { BareMetalHost, SwitchPort } from '../../api/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { fullReference, namespaceOf, referenceKey } from '../fabric/references.ts';
import type { NetworkTables } from '../fabric/tables.ts';
import { judgePort } from '../port/judge-port.ts';
import { seenOf } from '../port/read-port.ts';
import { defaultNetworkSettings } from '../settings.ts';
import type { WhyNot } from './explain-need.ts';

/** Says of the ports of a host what limits do not permit there, as the controller of ports will judge it. */
export function judgePorts(tables: NetworkTables, host: BareMetalHost): WhyNot {
  const home = namespaceOf(host as KubeObject);
  return (entry, { ConfigurationRef: link }) => {
    const port = tables.ports.get(referenceKey(entry.port, home));
    if (port === undefined) return `there is no SwitchPort ${referenceKey(entry.port, home)}`;
    const reference = fullReference(link, home);
    const linked: SwitchPort = { ...port, spec: { configuration: reference } };
    const reader = {
      tables,
      settings: defaultNetworkSettings,
      standingOf: () => ({ kind: 'waiting', fault: { code: 'SwitchNotReady', message: '' } }) as const,
      memoryOf: () => ({}),
    };
    const seen = seenOf(reader, linked);
    const judgement = judgePort({ ...seen, reference, managementPort: seen.owner?.spec.managementPort });
    return judgement.kind === 'allowed' ? undefined : judgement.fault.message;
  };
}
