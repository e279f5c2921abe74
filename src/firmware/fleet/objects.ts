import {
  type BMC,
  type BMCSecret,
  type DiscoveredFirmware,
  groupAnnotation,
  type Server,
  type ServerFirmware,
  type ServerFirmwareGroup,
} from '../../api/index.ts';
import type { Indexer, KubeObject } from '../../kube/index.ts';
import { hardwareKey, hardwareKeys } from '../../parts/index.ts';
import { hardwareOf } from '../hardware.ts';
import { bmcKeyOf, inlineBmcKey } from './bmc-location.ts';
import { type Ownership, readOwnership } from './ownership.ts';
import { labelPair } from './selector.ts';

/** An object with the digest of who owns its fields instead of its `managedFields`. */
export type Owned<T> = T & { readonly ownership: Ownership };

/** A ServerFirmware as caches hold it. */
export type OwnedFirmware = Owned<ServerFirmware>;

/** A Server as caches hold it. */
export type OwnedServer = Owned<Server>;

/** An object of a table; typed kinds fit though kube asks for looser ones. */
export type Cached<T> = T & KubeObject;

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Makes an object small before it is kept: the digest takes the place of what is large. */
export function withOwnership<T extends KubeObject>(object: T): Owned<T> {
  return withSharedOwnership(object, (ownership) => ownership);
}

/** The same for a cache that keeps equal digests once. */
export function withSharedOwnership<T extends KubeObject>(
  object: T,
  share: (ownership: Ownership) => Ownership,
): Owned<T> {
  const { managedFields, ...metadata } = object.metadata ?? {};
  const { [lastApplied]: _, ...annotations } = metadata.annotations ?? {};
  const ownership = share(readOwnership(managedFields, { group: groupAnnotation }));
  return {
    ...object,
    metadata: { ...metadata, ...(metadata.annotations === undefined ? {} : { annotations }) },
    ownership,
  } as Owned<T>;
}

/** How ServerFirmware objects are found. */
export const firmwareIndexers: Readonly<Record<'server' | 'label' | 'group', Indexer<OwnedFirmware>>> = {
  server: ({ spec }) => [spec.serverRef.name],
  label: ({ metadata }) => Object.entries(metadata?.labels ?? {}).map(([key, value]) => labelPair(key, value)),
  group: ({ metadata, ownership }) => {
    const group = metadata?.annotations?.[groupAnnotation];
    return group === undefined || !ownership.isGroupManaged ? [] : [group];
  },
};

/** How Server objects are found. */
export const serverIndexers: Readonly<
  Record<'uuid' | 'bmc' | 'address' | 'secret' | 'hardware', Indexer<OwnedServer>>
> = {
  uuid: ({ spec }) => [spec.systemUUID.toLowerCase()],
  bmc: ({ spec }) => (spec.bmcRef === undefined ? [] : [spec.bmcRef.name]),
  address: ({ spec }) => (spec.bmc === undefined ? [] : [inlineBmcKey(spec.bmc)]),
  secret: ({ spec }) => (spec.bmc === undefined ? [] : [spec.bmc.bmcSecretRef.name]),
  hardware: ({ status = {} }) => (hardwareOf(status) === undefined ? [] : hardwareKeys(status)),
};

/** How BMCs are found. */
export const bmcIndexers: Readonly<Record<'secret' | 'address', Indexer<BMC>>> = {
  secret: ({ spec }) => [spec.bmcSecretRef.name],
  address: (bmc) => (bmc.spec.access === undefined ? [] : [bmcKeyOf(bmc)]),
};

/** How DiscoveredFirmware objects are found. */
export const discoveredIndexers: Readonly<Record<'hardware', Indexer<DiscoveredFirmware>>> = {
  hardware: ({ spec }) => [hardwareKey(spec)],
};

/** The kinds of this room by the name of their table. */
export interface FleetObjects {
  readonly bmcs: BMC;
  readonly bmcSecrets: BMCSecret;
  readonly servers: OwnedServer;
  readonly firmwares: OwnedFirmware;
  readonly groups: ServerFirmwareGroup;
  readonly discovered: DiscoveredFirmware;
}
