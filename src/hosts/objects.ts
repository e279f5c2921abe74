import type {
  BareMetalHost,
  DataImage,
  FirmwareSchema,
  HardwareData,
  HostFirmwareComponents,
  HostFirmwareSettings,
  HostUpdatePolicy,
  ObjectMeta,
  PreprovisioningImage,
} from '../api/index.ts';
import type { Indexer, Informer, KubeObject } from '../kube/index.ts';
import { type HostBmcAddress, readBmcAddress } from '../provisioners/index.ts';
import { notedIdOf } from './annotations/discovery-note.ts';
import { isServiceOpen } from './status/host-status.ts';

/** A core/v1 Secret. */
export interface Secret extends KubeObject {
  metadata: ObjectMeta;
  /** In base64. */
  data?: Readonly<Record<string, string>>;
}

/** The objects that this room looks at. */
export interface HostObjects {
  readonly hosts: BareMetalHost;
  readonly hardwareData: HardwareData;
  readonly firmwareSettings: HostFirmwareSettings;
  readonly firmwareSchemas: FirmwareSchema;
  readonly firmwareComponents: HostFirmwareComponents;
  readonly updatePolicies: HostUpdatePolicy;
  readonly bootImages: PreprovisioningImage;
  readonly dataImages: DataImage;
  readonly secrets: Secret;
}

/** The caches of this room. */
export type HostInformers = { readonly [K in keyof HostObjects]: Informer<HostObjects[K] & KubeObject> };

/** How hosts are found by what two of them must not share. */
export const hostIndexers: Readonly<Record<string, Indexer<BareMetalHost & KubeObject>>> = {
  bmc: ({ spec }) => listed(bmcAt(spec?.bmc?.address)?.bmc),
  bootMac: ({ spec }) => listed(macOf(spec?.bootMACAddress)),
  mac: macsOf,
  service: ({ status }) => (isBeingServiced(status) ? ['open'] : []),
  provisionerId: (host) => [
    ...new Set([...listed(host.status?.provisioning.ID || undefined), ...listed(notedIdOf(host))]),
  ],
};

/** How firmware settings are found by the schema that they refer to. */
export const settingsIndexers: Readonly<Record<string, Indexer<HostFirmwareSettings & KubeObject>>> = {
  schema: ({ status, metadata }) =>
    status?.schema === undefined ? [] : [`${status.schema.namespace || metadata.namespace}/${status.schema.name}`],
};

/** The BMC and the system that an address names, in their one spelling; undefined for what is no address. */
export function bmcAt(address: string | undefined): Pick<HostBmcAddress, 'bmc' | 'system'> | undefined {
  if (address === undefined || address === '') return undefined;
  const reading = readBmcAddress(address);
  return reading.kind === 'known' ? reading.address : undefined;
}

/** A MAC address in the one way of writing it. */
export function macOf(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text.toLowerCase();
}

/** All MAC addresses of a host: the one that it boots from, and those that its hardware has. */
export function macsOf({ spec, status }: BareMetalHost): readonly string[] {
  const macs = [spec?.bootMACAddress, ...(status?.hardware?.nics ?? []).map(({ mac }) => mac)];
  return [...new Set(macs.flatMap((mac) => macOf(mac) ?? []))];
}

/** True while a live update goes on, whatever else is wrong with the host; one that has failed waits for its next try. */
export function isBeingServiced(status: BareMetalHost['status']): boolean {
  return status !== undefined && isServiceOpen(status) && status.errorType !== 'servicing error';
}

function listed(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}
