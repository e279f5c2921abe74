import type { BareMetalHost, BareMetalHostDiscovery, HardwareClassification } from '../api/index.ts';
import { discoveryNote } from '../hosts/index.ts';
import type { Indexer, Informer, KubeObject } from '../kube/index.ts';
import { type ClaimObject, readClaim } from './claims/claim.ts';
import { readMac } from './naming/mac.ts';

/** The objects that this room looks at. */
export interface DiscoveryObjects {
  readonly discoveries: BareMetalHostDiscovery;
  readonly classifications: HardwareClassification;
  readonly hosts: BareMetalHost;
  readonly claims: ClaimObject;
}

/** The caches of this room. */
export type DiscoveryInformers = { readonly [K in keyof DiscoveryObjects]: Informer<DiscoveryObjects[K] & KubeObject> };

/** How hosts are found by the machine that they are. */
export const hostIndexers: Readonly<Record<string, Indexer<BareMetalHost & KubeObject>>> = {
  bootMac: ({ spec }) => [readMac(spec?.bootMACAddress) ?? ''].filter((mac) => mac !== ''),
  /** Every MAC that is known of a host: the one that it boots from, and those that an inspection found. */
  mac: (host) => [...new Set(macsOf(host))],
  id: ({ status }) => [status?.provisioning?.ID ?? ''].filter((id) => id !== ''),
  namespace: ({ metadata }) => [metadata.namespace ?? ''],
  /** Hosts that came by themselves and that nobody uses, by namespace. */
  unused: ({ metadata }) => (metadata.annotations?.[unusedMark] === undefined ? [] : [metadata.namespace ?? '']),
};

/** What a cached host has of its annotations: whether it came by itself and nobody uses it. */
const unusedMark = 'unused';

/** True for a host that came by itself and that neither a machine nor a person has made anything of. */
function isUnused({ metadata, spec }: BareMetalHost): boolean {
  if (metadata.annotations?.[discoveryNote] === undefined) return false;
  const { consumerRef, image, customDeploy, externallyProvisioned = false, bmc } = spec ?? {};
  return (
    [consumerRef, image, customDeploy].every((use) => use === undefined) &&
    !externallyProvisioned &&
    (bmc?.address ?? '') === ''
  );
}

/** How claims are found by the host that they name. */
export const claimIndexers: Readonly<Record<string, Indexer<ClaimObject>>> = {
  host: (claim) => [readClaim(claim)?.host ?? ''].filter((key) => key !== ''),
};

/** How classifications are found. */
export const classificationIndexers: Readonly<Record<string, Indexer<HardwareClassification & KubeObject>>> = {
  namespace: ({ metadata }) => [metadata.namespace ?? ''],
};

function macsOf({ spec, status }: BareMetalHost): string[] {
  return [spec?.bootMACAddress, ...(status?.hardware?.nics ?? []).map(({ mac }) => mac)].flatMap(
    (mac) => readMac(mac) ?? [],
  );
}

/** A host as far as this room looks at it: what is large and told elsewhere is left out of the cache. */
export function slimHost<T extends BareMetalHost & KubeObject>(host: T): T {
  const { managedFields: _, annotations: __, ...rest } = host.metadata;
  const metadata = isUnused(host) ? { ...rest, annotations: { [unusedMark]: '' } } : rest;
  const { hardware, operationalStatus, errorType, provisioning } = host.status ?? {};
  const bootMACAddress = host.spec?.bootMACAddress;
  return {
    apiVersion: host.apiVersion,
    kind: host.kind,
    metadata,
    spec: { online: host.spec?.online ?? false, ...(bootMACAddress === undefined ? {} : { bootMACAddress }) },
    ...(host.status === undefined
      ? {}
      : { status: { operationalStatus, errorType, provisioning, hardware: withoutFlags(hardware) } }),
  } as unknown as T;
}

function withoutFlags(hardware: NonNullable<BareMetalHost['status']>['hardware']): typeof hardware {
  if (hardware?.cpu?.flags === undefined) return hardware;
  const { flags: _, ...cpu } = hardware.cpu;
  return { ...hardware, cpu };
}
