import type { KubeObject, StatusCondition } from '../api/kinds.ts';

/** The label that keeps a host from being used until somebody has looked at it. */
export const quarantineLabel = 'discovery.rackwright.io/quarantine';
const discoveredAnnotation = 'discovery.rackwright.io/host';

interface Host extends KubeObject {
  readonly spec?: {
    readonly bootMACAddress?: string;
    readonly consumerRef?: object;
    readonly image?: object;
    readonly bmc?: { readonly address?: string };
  };
  readonly status?: {
    readonly operationalStatus?: string;
    readonly errorMessage?: string;
    readonly provisioning?: { readonly state?: string };
    readonly hardware?: {
      readonly hostname?: string;
      readonly ramMebibytes?: number;
      readonly systemVendor?: {
        readonly manufacturer?: string;
        readonly productName?: string;
        readonly serialNumber?: string;
      };
      readonly cpu?: { readonly count?: number; readonly model?: string };
      readonly nics?: readonly {
        readonly lldp?: { readonly switchSystemName?: string; readonly portID?: string };
      }[];
      readonly storage?: readonly { readonly sizeBytes?: number }[];
    };
  };
}

/** A host that came by itself, as the page shows it. */
export interface FoundHost {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  /**
   * - `quarantined`: somebody has to look at it.
   * - `new`: let in, and nobody uses it yet.
   * - `used`: somebody has it.
   */
  readonly standing: 'quarantined' | 'new' | 'used';
  readonly state: string;
  readonly trouble: string;
  readonly maker: string;
  readonly model: string;
  readonly serial: string;
  readonly mac: string;
  /** `64 CPUs, 512 GiB, 8 disks of 28 TB` */
  readonly size: string;
  /** Where it is plugged in, by what it hears from switches. */
  readonly plugged: string;
  readonly foundAt: string | undefined;
}

/** A host as the page shows it; undefined for one that somebody registered. */
export function toFoundHost(object: KubeObject): FoundHost | undefined {
  const host = object as Host;
  const { metadata, spec = {}, status = {} } = host;
  const isQuarantined = quarantineLabel in (metadata.labels ?? {});
  const isDiscovered = discoveredAnnotation in (metadata.annotations ?? {});
  if (!isQuarantined && !isDiscovered) return undefined;
  const { hardware = {} } = status;
  const isUsed = spec.consumerRef !== undefined || spec.image !== undefined;
  const vendor = hardware.systemVendor ?? {};
  return {
    key: `${metadata.namespace ?? ''}/${metadata.name}`,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    standing: isQuarantined ? 'quarantined' : isUsed ? 'used' : 'new',
    state: status.provisioning?.state ?? '',
    trouble: status.errorMessage ?? '',
    maker: vendor.manufacturer ?? '',
    model: vendor.productName ?? '',
    serial: vendor.serialNumber ?? '',
    mac: spec.bootMACAddress ?? '',
    size: sizeOf(hardware),
    plugged: pluggedOf(hardware),
    foundAt: metadata.creationTimestamp,
  };
}

type Hardware = NonNullable<NonNullable<Host['status']>['hardware']>;

function sizeOf({ cpu, ramMebibytes, storage = [] }: Hardware): string {
  const bytes = storage.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0);
  const disks = storage.length === 1 ? '1 disk' : `${storage.length} disks`;
  return [
    cpu?.count === undefined ? '' : `${cpu.count} CPUs`,
    ramMebibytes === undefined ? '' : `${Math.round(ramMebibytes / 1024)} GiB`,
    storage.length === 0 ? '' : `${disks}, ${(bytes / 1e12).toFixed(1)} TB`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

function pluggedOf({ nics = [] }: Hardware): string {
  const heard = nics.flatMap(({ lldp }) =>
    lldp?.switchSystemName === undefined ? [] : [`${lldp.switchSystemName} ${lldp.portID ?? ''}`.trim()],
  );
  return [...new Set(heard)].join(', ');
}

/** Those to look at first come first, then the newest. */
export function orderFound(hosts: readonly (FoundHost | undefined)[]): FoundHost[] {
  const rank = { quarantined: 0, new: 1, used: 2 } as const;
  const moment = ({ foundAt }: FoundHost): string => foundAt ?? '';
  return hosts
    .filter((host) => host !== undefined)
    .toSorted(
      (a, b) =>
        rank[a.standing] - rank[b.standing] ||
        moment(b).localeCompare(moment(a)) ||
        (a.key < b.key ? -1 : a.key > b.key ? 1 : 0),
    );
}

/** Takes the label away, and nothing else. */
export const approvePatch = { metadata: { labels: { [quarantineLabel]: null } } };

/** A BareMetalHostDiscovery, as far as the page shows it. */
export interface HostDiscovery extends KubeObject {
  readonly spec?: { readonly paused?: boolean; readonly quarantine?: boolean };
  readonly status?: {
    readonly discoveredHosts?: number;
    readonly waitingHosts?: number;
    readonly skippedHosts?: number;
    readonly skipped?: readonly {
      readonly reason?: string;
      readonly message?: string;
      readonly bootMACAddress?: string;
      readonly provisionerID: string;
    }[];
    readonly lastPollTime?: string;
    readonly conditions?: readonly StatusCondition[];
  };
}
