import {
  type BareMetalHost,
  clusterApiVersion,
  clusterLabels,
  infrastructureApiVersion,
  type Metal3Machine,
} from '../../api/index.ts';
import { nameOf, namespaceOf } from '../references.ts';
import { hostAnnotations, ownPause } from '../resources.ts';
import type { Metal3MachineSeen } from './machine-seen.ts';

/** A merge patch of a host: of exactly the version that was seen, so that two can never take one host. */
export interface HostPatch {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

interface SecretName {
  readonly name: string;
  readonly namespace: string;
}

/** The Secrets with the data of the first boot. */
export interface BootData {
  readonly userData?: SecretName;
  readonly metaData?: SecretName;
  readonly networkData?: SecretName;
}

const bootFields = ['userData', 'metaData', 'networkData'] as const;

/** The Secrets that a host is given: what the machine names, and the bootstrap data of its Machine as user data. */
export function bootDataOf({ object, machine }: Pick<Metal3MachineSeen, 'object' | 'machine'>): BootData {
  const { userData, metaData, networkData } = object.spec;
  const home = namespaceOf(object);
  const secret = machine?.spec.bootstrap.dataSecretName;
  const bootstrap = secret === undefined || secret === '' ? undefined : { name: secret };
  const own = { userData: userData ?? bootstrap, metaData, networkData };
  return Object.fromEntries(
    bootFields.flatMap((field) => {
      const found = own[field];
      // Secrets of other namespaces are never handed out, whatever is written there.
      return found?.name === undefined ? [] : [[field, { name: found.name, namespace: home }]];
    }),
  );
}

function seenVersion({ metadata }: BareMetalHost): Readonly<Record<string, unknown>> {
  const { resourceVersion, uid } = metadata;
  return { resourceVersion, uid };
}

/** Takes a host, and tells it what to run. */
export function claimPatch(seen: Metal3MachineSeen, host: BareMetalHost): HostPatch {
  const { object, machine } = seen;
  const labels = { [clusterLabels.clusterName]: machine?.spec.clusterName, [clusterLabels.nodeReuse]: null };
  const consumerRef = {
    apiVersion: infrastructureApiVersion,
    kind: 'Metal3Machine',
    name: nameOf(object),
    namespace: namespaceOf(object),
  };
  return { metadata: { ...seenVersion(host), labels }, spec: { ...deploySpec(seen, host), consumerRef } };
}

/** Tells a host that is taken what to run. */
export function deployPatch(seen: Metal3MachineSeen, host: BareMetalHost): HostPatch {
  return { metadata: seenVersion(host), spec: deploySpec(seen, host) };
}

function deploySpec(seen: Metal3MachineSeen, host: BareMetalHost): Readonly<Record<string, unknown>> {
  const { image, customDeploy, automatedCleaningMode, networkConfiguration = [] } = seen.object.spec;
  const { diskFormat, ...file } = image ?? {};
  const ports = seen.network.configureNetwork(networkConfiguration, host);
  return {
    ...(image === undefined ? {} : { image: { ...file, ...(diskFormat === undefined ? {} : { format: diskFormat }) } }),
    ...(customDeploy === undefined ? {} : { customDeploy }),
    ...bootDataOf(seen),
    ...(automatedCleaningMode === undefined ? {} : { automatedCleaningMode }),
    ...(ports === undefined ? {} : { ports }),
    online: true,
  };
}

/** True when a host was told what to run. What somebody else installed runs without being told. */
export function isDeployed({ spec, status }: BareMetalHost): boolean {
  if (status?.provisioning.state === 'externally provisioned') return true;
  return spec?.image !== undefined || spec?.customDeploy !== undefined;
}

/** Tells a host to stop running what it runs; undefined when it was told already. */
export function deprovisionPatch(seen: Metal3MachineSeen, host: BareMetalHost): HostPatch | undefined {
  const { spec, status } = host;
  const isOthers = status?.provisioning.state === 'externally provisioned' || spec?.externallyProvisioned === true;
  const isToldToRun = spec?.image !== undefined || spec?.customDeploy !== undefined;
  const online = staysOn(seen, host);
  if (isOthers) {
    return spec?.online === true && !online ? { metadata: seenVersion(host), spec: { online } } : undefined;
  }
  if (!isToldToRun) return undefined;
  // Without a word of the machine about networks, what is there is the owner's.
  const isOurs = (seen.object.spec.networkConfiguration ?? []).length > 0;
  const ports = isOurs ? seen.network.deconfigureNetwork(host) : undefined;
  const cleared = { image: null, customDeploy: null, ...clearedData(seen, host), online };
  return { metadata: seenVersion(host), spec: { ...cleared, ...(ports === undefined ? {} : { ports }) } };
}

function staysOn({ settings }: Metal3MachineSeen, { spec }: BareMetalHost): boolean {
  if (spec?.disablePowerOff === true) return true;
  return settings.isFastTrack && spec?.automatedCleaningMode !== 'disabled';
}

/** Only what was given for this machine goes: what the owner of a host has put there stays. */
function clearedData(seen: Metal3MachineSeen, { spec }: BareMetalHost): Readonly<Record<string, null>> {
  const [given, noted] = [bootDataOf(seen), seen.object.status ?? {}];
  const gone = bootFields.filter((field) => {
    const name = spec?.[field]?.name;
    return name !== undefined && (name === given[field]?.name || name === noted[field]?.name);
  });
  return Object.fromEntries(gone.map((field) => [field, null]));
}

/** Gives a host back, or keeps it for the machine that takes the place of this one. */
export function releasePatch({ object, reuse, cluster }: Metal3MachineSeen, host: BareMetalHost): HostPatch {
  const isKept = reuse !== undefined && cluster !== undefined;
  const labels = { [clusterLabels.clusterName]: null, ...(isKept ? { [clusterLabels.nodeReuse]: reuse.name } : {}) };
  const keeper = { apiVersion: clusterApiVersion, kind: 'Cluster', namespace: namespaceOf(object) };
  const consumerRef = isKept ? { ...keeper, name: nameOf(cluster) } : null;
  const annotations = isPausedByUs(host) ? unpaused : undefined;
  return {
    metadata: { ...seenVersion(host), labels, ...(annotations === undefined ? {} : { annotations }) },
    spec: { consumerRef },
  };
}

const unpaused = { [hostAnnotations.paused]: null, [hostAnnotations.status]: null };

/** True when this room paused the host, for the pause of its Cluster. */
export function isPausedByUs({ metadata }: BareMetalHost): boolean {
  return metadata.annotations?.[hostAnnotations.paused] === ownPause;
}

/** Pauses a host with its machine, and notes its status down so that it survives a move to another cluster. */
export function pausePatch(host: BareMetalHost): HostPatch | undefined {
  if (host.metadata.annotations?.[hostAnnotations.paused] !== undefined) return undefined;
  const { hardware: _, ...status } = host.status ?? {};
  const annotations = { [hostAnnotations.paused]: ownPause, [hostAnnotations.status]: JSON.stringify(status) };
  return { metadata: { ...seenVersion(host), annotations } };
}

/** Takes our own pause off a host; undefined when there is none. */
export function unpausePatch(host: BareMetalHost): HostPatch | undefined {
  return isPausedByUs(host) ? { metadata: { ...seenVersion(host), annotations: unpaused } } : undefined;
}

/** Brings the way a host is cleaned to what the machine asks for; undefined when it is so, or nothing is asked for. */
export function cleaningPatch({ spec }: Metal3Machine, host: BareMetalHost): HostPatch | undefined {
  const { automatedCleaningMode } = spec;
  if (automatedCleaningMode === undefined || host.spec?.automatedCleaningMode === automatedCleaningMode)
    return undefined;
  return { metadata: seenVersion(host), spec: { automatedCleaningMode } };
}
