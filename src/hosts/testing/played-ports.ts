import { type BareMetalHost, type HostPort, metal3ApiVersion, type SwitchPort } from '../../api/index.ts';
import { createTable, formatKey, keyOf } from '../../kube/index.ts';
import { lookAtHostPorts, type NetworkObjects, portIndexers, writeLinkRecord } from '../../network/index.ts';
import type { HostNetwork } from '../network/host-network.ts';

/** For tests: switch ports that are played in memory. */
export interface PlayedPorts extends HostNetwork {
  /** What was linked, in order: `leaf-1 pxe`, or `leaf-1 -` for nothing. */
  readonly links: string[];
  /** The controller of ports has caught up with what is linked. */
  settle(): void;
  /** A port is in error for what is linked to it. */
  fail(name: string, message: string): void;
  remove(name: string): void;
  /** True when a port has this configuration, or is clean, and says so. */
  isSettledOn(name: string, configuration: string | undefined): boolean;
}

/** For tests: how a host is plugged into a port, with both of its configurations. */
export function plugged(port: string, mac: string, more: Partial<HostPort> = {}): HostPort {
  return {
    mac,
    port: { name: port, namespace: 'infra' },
    provisioningConfiguration: { name: 'pxe', namespace: 'infra' },
    configuration: { name: 'blue', namespace: 'fleet' },
    ...more,
  };
}

/** For tests: ports of the namespace `infra` that are clean. */
export function playPorts(...names: readonly string[]): PlayedPorts {
  const ports = new Map<string, SwitchPort>(names.map((name) => [`infra/${name}`, cleanPort(name)]));
  const links: string[] = [];
  return {
    links,
    watches: [],
    look(host: BareMetalHost) {
      const table = createTable([...ports.values()] as NetworkObjects['ports'][], portIndexers);
      if ((host.spec?.ports ?? []).length === 0 && table.byIndex('linkedBy', formatKey(keyOf(host))).length === 0)
        return undefined;
      const tables = { ports: table, hosts: createTable([]), switches: createTable([]) };
      return lookAtHostPorts(tables as Parameters<typeof lookAtHostPorts>[0], host);
    },
    async link({ port, configuration, by }) {
      links.push(`${port.name} ${configuration?.name ?? '-'}`);
      const present = ports.get(formatKey(port));
      if (present === undefined) return;
      const generation = (present.metadata.generation ?? 0) + 1;
      const spec = configuration === undefined ? {} : { configuration };
      const annotations = Object.fromEntries(
        Object.entries(writeLinkRecord(by, configuration)).flatMap(([name, value]) =>
          value === null ? [] : [[name, value]],
        ),
      );
      ports.set(formatKey(port), { ...present, metadata: { ...present.metadata, generation, annotations }, spec });
    },
    settle() {
      for (const [key, port] of ports) ports.set(key, { ...port, status: settledStatus(port) });
    },
    fail(name, message) {
      const port = ports.get(`infra/${name}`) ?? cleanPort(name);
      const error = { reason: 'SwitchUnreachable', message, since: '2025-01-01T00:00:00Z' };
      ports.set(`infra/${name}`, { ...port, status: { ...settledStatus(port), state: 'Configuring', error } });
    },
    isSettledOn(name, configuration) {
      const { metadata, status } = ports.get(`infra/${name}`) ?? cleanPort(name);
      const isSeen = status?.observedGeneration === metadata.generation && status?.error === undefined;
      return (
        isSeen &&
        status?.state === (configuration === undefined ? 'Idle' : 'Active') &&
        status.configurationRef?.name === configuration
      );
    },
    remove: (name) => void ports.delete(`infra/${name}`),
    close: () => {},
  };
}

function cleanPort(name: string): SwitchPort {
  const metadata = { name, namespace: 'infra', generation: 1, uid: name };
  return {
    apiVersion: metal3ApiVersion,
    kind: 'SwitchPort',
    metadata,
    status: { state: 'Idle', observedGeneration: 1, appliedTo: 'switch' },
  };
}

function settledStatus({ spec, metadata }: SwitchPort): NonNullable<SwitchPort['status']> {
  const { configuration } = spec ?? {};
  const observedGeneration = metadata.generation ?? 0;
  if (configuration === undefined) return { state: 'Idle', observedGeneration, appliedTo: 'switch' };
  return { state: 'Active', observedGeneration, configurationRef: configuration };
}
