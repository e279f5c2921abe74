import type { BareMetalHost } from '../../api/index.ts';
import { createTable, type KubeObject } from '../../kube/index.ts';
import { objectKey } from '../fabric/references.ts';
import {
  hostIndexers,
  type NetworkObjects,
  type NetworkTables,
  portIndexers,
  switchIndexers,
} from '../fabric/tables.ts';
import { ownerOf } from '../port/read-port.ts';
import { linkedByAnnotation, linkedConfigurationAnnotation } from '../resources.ts';
import { type HostNetworkSeen, portKeysOf } from './plan-host-network.ts';

/** The ports of a host at one moment, with all that decisions about them look at. */
export interface HostPortsSeen {
  readonly tables: HostNetworkSeen['tables'];
  /** As long as it stays the same, nothing follows from the ports that did not follow before. */
  readonly basis: string;
}

/** Takes a copy of what a plan for one host looks at, so that it does not change under whoever decides. */
export function lookAtHostPorts(
  tables: Pick<NetworkTables, 'ports' | 'hosts' | 'switches'>,
  host: BareMetalHost,
): HostPortsSeen {
  const by = objectKey(host as KubeObject);
  const linked = tables.ports.byIndex('linkedBy', by).map(objectKey);
  const keys = [...new Set([...portKeysOf(host), ...linked])];
  const ports = keys.flatMap((key) => tables.ports.get(key) ?? []);
  const switches = new Map(
    ports.flatMap((port) => {
      const owner = ownerOf(tables, port);
      return owner === undefined ? [] : [[objectKey(owner), owner] as const];
    }),
  );
  const hosts = new Map(
    keys.flatMap((key) => tables.hosts.byIndex('port', key).map((each) => [objectKey(each), each])),
  );
  return {
    tables: {
      ports: createTable(ports, portIndexers),
      hosts: createTable([...hosts.values()], hostIndexers),
      switches: createTable([...switches.values()], switchIndexers),
    },
    basis: JSON.stringify([
      ports.map((port) => [objectKey(port), standingOfPort(port)]),
      [...hosts.keys()].toSorted(),
      [...switches.values()].map(({ metadata }) => [metadata.uid, metadata.generation]),
    ]),
  };
}

/** All of a port that matters to its host: never when it was last read. */
export function standingOfPort({ metadata, spec, status }: NetworkObjects['ports']): unknown {
  const { state, observedGeneration, configurationRef, error, appliedTo } = status ?? {};
  return [
    ...[metadata.uid, metadata.generation, metadata.ownerReferences, spec?.configuration],
    ...[linkedByAnnotation, linkedConfigurationAnnotation].map((name) => metadata.annotations?.[name]),
    appliedTo !== undefined,
    ...[state, observedGeneration, configurationRef, error?.reason, error?.message],
  ];
}
