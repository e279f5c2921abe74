import {
  type BMC,
  type DiscoveredFirmware,
  type Firmware,
  groupAnnotation,
  ironcoreApiVersion,
  type Server,
  type ServerFirmwareGroup,
  type ServerFirmwareStatus,
} from '../../api/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { compareVersions } from '../compare-versions.ts';
import { discoveredIndexers, type OwnedFirmware, type OwnedServer } from '../fleet/objects.ts';
import { entryKey, type Ownership } from '../fleet/ownership.ts';
import { createTable } from '../fleet/table.ts';
import type { PlanFacts } from '../plan/settle-fleet.ts';
import { defaultFirmwareSettings } from '../settings.ts';
import { noOwnership } from './server-seen.ts';

/** For tests: the moment at which plans are made. */
export const planTime = Date.UTC(2030, 0, 1);

/** For tests: a moment so many minutes before. */
export function ago(minutes: number): string {
  return new Date(planTime - minutes * 60_000).toISOString().replace('.000', '');
}

/** For tests: how servers are read. */
export const planReading = { compare: compareVersions, settings: defaultFirmwareSettings };

/** For tests: a Server of a fleet. */
export function plannedServer(
  name: string,
  more: {
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
    readonly status?: Server['status'];
    readonly bmc?: string;
  } = {},
): OwnedServer {
  const { labels = {}, annotations = {}, bmc } = more;
  return {
    apiVersion: ironcoreApiVersion,
    kind: 'Server',
    metadata: { name, uid: `server-${name}`, generation: 1, labels, annotations, creationTimestamp: ago(1000) },
    spec: { systemUUID: `UUID-${name}`, ...(bmc === undefined ? {} : { bmcRef: { name: bmc } }) },
    status: { manufacturer: 'Lenovo', model: '7x21', ...more.status },
    ownership: noOwnership,
  };
}

/** For tests: a BMC of a fleet. */
export function plannedBmc(name: string, status: BMC['status'] = {}): BMC {
  const spec = { bmcSecretRef: { name: 'secret' }, protocol: { name: 'Redfish' as const, port: 443 } };
  return { apiVersion: ironcoreApiVersion, kind: 'BMC', metadata: { name }, spec: spec as BMC['spec'], status };
}

/** For tests: a ServerFirmware of a fleet, scanned a minute ago. Entries of a group and a user's own are told apart. */
export function plannedFirmware(
  name: string,
  more: {
    readonly server?: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
    readonly group?: string;
    readonly entries?: readonly Firmware[];
    readonly own?: readonly Firmware[];
    readonly bios?: string;
    readonly installed?: readonly Firmware[];
    readonly status?: ServerFirmwareStatus;
    readonly ownership?: Partial<Ownership>;
    readonly isNeverScanned?: boolean;
  } = {},
): OwnedFirmware {
  const { entries = [], own = [], group, bios } = more;
  const mine = new Set(own.map(entryKey));
  const mark = group === undefined ? {} : { [groupAnnotation]: group };
  const scan = more.isNeverScanned === true ? {} : { lastScanTime: ago(1), firmwares: [...(more.installed ?? [])] };
  return {
    apiVersion: ironcoreApiVersion,
    kind: 'ServerFirmware',
    metadata: {
      name,
      uid: `firmware-${name}`,
      generation: 1,
      labels: more.labels ?? {},
      annotations: { ...mark, ...more.annotations },
      creationTimestamp: ago(1000),
    },
    spec: {
      serverRef: { name: more.server ?? name },
      scanThreshold: '30m',
      firmwares: [...entries, ...own],
      ...(bios === undefined ? {} : { bios: { version: bios } }),
    },
    status: { ...scan, observedGeneration: 1, ...more.status },
    ownership: {
      ...noOwnership,
      groupEntries: new Set(entries.map(entryKey)),
      otherEntries: mine,
      otherItems: mine,
      isGroupManaged: group !== undefined,
      isBiosTaken: bios !== undefined,
      ...more.ownership,
    },
  };
}

/** For tests: a group that selects the label `group` of its name. */
export function plannedGroup(
  name: string,
  spec: Partial<ServerFirmwareGroup['spec']> = {},
  more: Pick<ServerFirmwareGroup, 'status'> & { readonly annotations?: Record<string, string> } = {},
): ServerFirmwareGroup {
  return {
    apiVersion: ironcoreApiVersion,
    kind: 'ServerFirmwareGroup',
    metadata: { name, generation: 1, annotations: more.annotations ?? {} },
    spec: { manufacturer: 'Lenovo', model: '7x21', serverSelector: { matchLabels: { group: name } }, ...spec },
    ...(more.status === undefined ? {} : { status: more.status }),
  };
}

/** For tests: facts; what is not given is empty. */
export function planFacts(
  given: Partial<Omit<PlanFacts, 'discovered'>> & { readonly discovered?: readonly DiscoveredFirmware[] },
): PlanFacts {
  const { discovered = [], ...others } = given;
  const table = createTable(discovered as readonly (DiscoveredFirmware & KubeObject)[], discoveredIndexers);
  return { servers: [], firmwares: [], groups: [], bmcs: [], ...others, discovered: table };
}
