import type { BareMetalHost, HostPort, SwitchPort } from '../../api/index.ts';
import { formatKey, parseKey } from '../../kube/index.ts';
import { linkedByAnnotation, linkedConfigurationAnnotation, machinePortsAnnotation } from '../resources.ts';
import { type FullReference, fullReference } from './references.ts';

/** What a host last wrote to a port. */
export interface LinkRecord {
  /** The key of the host. */
  readonly by: string;
  /** What it linked, as NAMESPACE/NAME, empty for nothing; undefined where an older version wrote it. */
  readonly configuration: string | undefined;
}

/** What the host of a port recorded there; undefined when no host did. */
export function readLinkRecord({ metadata }: Pick<SwitchPort, 'metadata'>): LinkRecord | undefined {
  const by = metadata.annotations?.[linkedByAnnotation];
  return by === undefined ? undefined : { by, configuration: metadata.annotations?.[linkedConfigurationAnnotation] };
}

/** The annotations that record a link; null takes them away. */
export function writeLinkRecord(
  by: string | undefined,
  configuration: FullReference | undefined,
): Readonly<Record<string, string | null>> {
  return {
    [linkedByAnnotation]: by ?? null,
    [linkedConfigurationAnnotation]: by === undefined ? null : linkText(configuration),
  };
}

/** A link as a record has it. */
export function linkText(configuration: FullReference | undefined): string {
  return configuration === undefined ? '' : formatKey(configuration);
}

/** What a machine wrote to the ports of its host, by MAC; undefined where nothing says so. */
export function readMachinePorts({
  metadata,
}: {
  readonly metadata?: BareMetalHost['metadata'] | undefined;
}): ReadonlyMap<string, FullReference | undefined> | undefined {
  const text = metadata?.annotations?.[machinePortsAnnotation];
  if (text === undefined) return undefined;
  const parts = text.split(',').filter((each) => each !== '');
  return new Map(
    parts.map((part) => {
      const [mac = '', key] = part.split('=');
      // An older version recorded MACs alone.
      const { name, namespace = '' } = key === undefined ? { name: '' } : parseKey(key);
      return [mac, key === undefined ? undefined : { name, namespace }];
    }),
  );
}

/** The record of what a machine wrote to these entries of a host in a namespace. */
export function writeMachinePorts(entries: readonly HostPort[], namespace: string): string {
  return entries
    .map(({ mac, configuration: link }) => {
      const key = link === undefined ? '' : `=${formatKey(fullReference(link, namespace))}`;
      return `${mac.toLowerCase()}${key}`;
    })
    .join(',');
}
