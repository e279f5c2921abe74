import { type Switch, type SwitchPort, userLimitName } from '../../api/index.ts';
import { claimOf } from '../fabric/claims.ts';
import { fullReference, nameOf, namespaceOf, objectKey, referenceKey } from '../fabric/references.ts';
import type { NetworkTables } from '../fabric/tables.ts';
import type { NetworkSettings } from '../settings.ts';
import { tenantOf } from './judge-port.ts';
import type { PortMemory, PortSeen, SwitchStanding } from './port-seen.ts';

/** What a look at a port needs besides the objects. */
export interface PortReader {
  readonly tables: NetworkTables;
  readonly settings: NetworkSettings;
  readonly standingOf: (owner: Switch | undefined) => SwitchStanding;
  readonly memoryOf: (port: SwitchPort) => PortMemory;
}

/** Puts together what the port controller looks at; undefined when the port is gone. */
export function readPortSeen(reader: PortReader, key: string): PortSeen | undefined {
  const port = reader.tables.ports.get(key);
  return port === undefined ? undefined : seenOf(reader, port);
}

/** The same for a port that is given, such as one as it would be. */
export function seenOf({ tables, settings, standingOf, memoryOf }: PortReader, port: SwitchPort): PortSeen {
  const key = objectKey(port);
  const owner = ownerOf(tables, port);
  const claim = claimOf(tables.hosts, key);
  const link = port.spec?.configuration;
  return {
    port,
    owner,
    entry: owner?.spec.ports?.[nameOf(port)],
    claim,
    configuration: link === undefined ? undefined : tables.configurations.get(referenceKey(link, namespaceOf(port))),
    limit: tables.limits.get(`${tenantOf({ owner, claim })}/${userLimitName}`),
    standing: standingOf(owner),
    memory: memoryOf(port),
    settings,
  };
}

/** The Switch of a port: the one that owns it, else the one that lists it. */
export function ownerOf(tables: Pick<NetworkTables, 'switches'>, port: SwitchPort): Switch | undefined {
  const owner = (port.metadata.ownerReferences ?? []).find(({ kind }) => kind === 'Switch');
  if (owner !== undefined) {
    const found = tables.switches.get(`${namespaceOf(port)}/${owner.name}`);
    // Another Switch of the same name is another switch.
    return found?.metadata.uid === owner.uid ? found : undefined;
  }
  return tables.switches.byIndex('port', objectKey(port))[0];
}

/** The linked configuration with its namespace. */
export function linkOf(port: SwitchPort): ReturnType<typeof fullReference> | undefined {
  const link = port.spec?.configuration;
  return link === undefined ? undefined : fullReference(link, namespaceOf(port));
}
