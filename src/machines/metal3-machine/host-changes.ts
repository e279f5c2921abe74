import {
  type BareMetalHost,
  clusterApiVersion,
  clusterLabels,
  type HostPort,
  infrastructureApiVersion,
  type Metal3Machine,
} from '../../api/index.ts';
import { isSameJson } from '../../kube/index.ts';
import type { MachinePorts } from '../../network/index.ts';
import { machinePortsAnnotation, readMachinePorts, writeMachinePorts } from '../../network/index.ts';
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
  const ports = networkOf(seen, host);
  return {
    metadata: { ...seenVersion(host), labels, ...recordOf(seen, host, ports) },
    spec: { ...deploySpec(seen, ports), consumerRef },
  };
}

/** Tells a host that is taken what to run. */
export function deployPatch(seen: Metal3MachineSeen, host: BareMetalHost): HostPatch {
  const ports = networkOf(seen, host);
  return { metadata: { ...seenVersion(host), ...recordOf(seen, host, ports) }, spec: deploySpec(seen, ports) };
}

/** The ports of a host as its machine needs them; undefined where they are so already. */
function networkOf({ object, network }: Metal3MachineSeen, host: BareMetalHost): readonly HostPort[] | undefined {
  const found = network.configureNetwork(object.spec.networkConfiguration ?? [], host);
  // Such a machine does not get here: its gate is closed.
  return found.kind === 'fits' ? found.ports : undefined;
}

/** Records which ports the machine writes, in the same write: what it asks for may be edited before it goes. */
function recordOf(
  { object }: Metal3MachineSeen,
  host: BareMetalHost,
  ports: readonly HostPort[] | undefined,
): Readonly<Record<string, unknown>> {
  const recorded = recordedPorts(host);
  if ((object.spec.networkConfiguration ?? []).length === 0 && recorded === undefined) return {};
  const present = host.spec?.ports ?? [];
  const isWritten = (entry: HostPort, at: number): boolean =>
    recorded?.includes(entry.mac.toLowerCase()) === true || !isSameJson(entry, present[at]);
  const entries = (ports ?? present).filter((entry, at) => entry.configuration !== undefined && isWritten(entry, at));
  return { annotations: { [machinePortsAnnotation]: writeMachinePorts(entries, namespaceOf(object)) } };
}

/** Brings the ports of a host that runs to what its machine asks for now; undefined when they are so, or cannot be. */
export function networkPatch(seen: Metal3MachineSeen, host: BareMetalHost): HostPatch | undefined {
  const found = reconfigured(seen, host);
  if (found.kind === 'unfit' || found.ports === undefined) return undefined;
  return { metadata: { ...seenVersion(host), ...recordOf(seen, host, found.ports) }, spec: { ports: found.ports } };
}

/** What the ports of a host that runs are to be for its machine. */
export function reconfigured({ object, network }: Metal3MachineSeen, host: BareMetalHost): MachinePorts {
  const needs = object.spec.networkConfiguration ?? [];
  const written = recordedPorts(host);
  // A machine that never asked for networks leaves the ports of its host to their owner.
  if (needs.length === 0 && written === undefined) return { kind: 'fits', ports: undefined };
  return network.reconfigureNetwork(needs, host, written ?? []);
}

/** MACs of the interfaces that a machine wrote to; undefined where nothing says so. */
function recordedPorts(host: BareMetalHost): readonly string[] | undefined {
  const written = readMachinePorts(host);
  return written === undefined ? undefined : [...written.keys()];
}

function deploySpec(
  seen: Metal3MachineSeen,
  ports: readonly HostPort[] | undefined,
): Readonly<Record<string, unknown>> {
  const { image, customDeploy, automatedCleaningMode } = seen.object.spec;
  const { diskFormat, ...file } = image ?? {};
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
  const cleared = clearedPorts(seen, host, { isToldToRun: isToldToRun && !isOthers });
  // The record goes with what it stands for: without it the ports are their owner's again.
  const isForgotten = cleared.ports !== undefined && recordedPorts(host) !== undefined;
  const gone = isForgotten ? { annotations: { [machinePortsAnnotation]: null } } : {};
  const metadata = { ...seenVersion(host), ...gone };
  const isOn = isOthers && spec?.online === true && !online;
  if (isOthers || !isToldToRun) {
    const left = { ...cleared, ...(isOn ? { online } : {}) };
    return Object.keys(left).length === 0 ? undefined : { metadata, spec: left };
  }
  const told = { image: null, customDeploy: null, ...clearedData(seen, host), online };
  return { metadata, spec: { ...told, ...cleared } };
}

/** What the machine wrote to the ports of its host goes; what the owner of the host has put there stays. */
function clearedPorts(
  { object, network }: Metal3MachineSeen,
  host: BareMetalHost,
  { isToldToRun }: { readonly isToldToRun: boolean },
): { readonly ports?: readonly HostPort[] } {
  const macs = recordedPorts(host);
  // A host that was taken before there was a record: all of it is taken for the machine's where that asks for networks.
  const isUnrecorded = macs === undefined && isToldToRun && (object.spec.networkConfiguration ?? []).length > 0;
  const ports = macs !== undefined || isUnrecorded ? network.deconfigureNetwork(host, macs) : undefined;
  return ports === undefined ? {} : { ports };
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
  const annotations = {
    ...(isPausedByUs(host) ? unpaused : {}),
    ...(recordedPorts(host) === undefined ? {} : { [machinePortsAnnotation]: null }),
  };
  return {
    metadata: { ...seenVersion(host), labels, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
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
