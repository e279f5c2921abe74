import {
  type BareMetalHost,
  classificationLabelPrefix,
  type HardwareClassification,
  type HardwareClassificationStatus,
} from '../../api/index.ts';
import { type Decision, type Effect, isBeingDeleted } from '../../kube/index.ts';
import { asksForAnything, matchHardware } from './match-hardware.ts';

/** What is known of a host that is to be sorted. */
export interface HostSeen {
  readonly host: BareMetalHost;
  /** Every classification of its namespace. */
  readonly profiles: readonly HardwareClassification[];
}

/** Labels that a host gets, and those that it loses. */
export interface LabelEffect extends Effect {
  readonly kind: 'label';
  readonly labels: Readonly<Record<string, string | null>>;
}

/** Decides the labels of a host: only those of classifications are touched. Pure. */
export function decideHostLabels({ host, profiles }: HostSeen): Decision<LabelEffect, never> {
  const rest = { status: undefined, wake: { on: 'change' as const } };
  if (isBeingDeleted(host)) return { ...rest, effects: [], why: [] };
  const wanted = new Map(profiles.flatMap((profile) => (isMatch(profile, host) ? [labelOf(profile)] : [])));
  const present = Object.entries(host.metadata.labels ?? {}).filter(([name]) =>
    name.startsWith(classificationLabelPrefix),
  );
  const labels: Record<string, string | null> = {};
  for (const [name, value] of wanted) if (host.metadata.labels?.[name] !== value) labels[name] = value;
  for (const [name] of present) if (!wanted.has(name)) labels[name] = null;
  if (Object.keys(labels).length === 0) return { ...rest, effects: [], why: [] };
  const key = `label/${host.metadata.uid}/${JSON.stringify(labels)}`;
  const why = [{ code: 'Classified', message: `Labels ${Object.keys(labels).join(', ')} follow its hardware.` }];
  return { ...rest, effects: [{ kind: 'label', key, labels }], why };
}

/** Whether the hardware of a host is as a classification asks for. */
export function isMatch({ metadata, spec }: HardwareClassification, { status }: BareMetalHost): boolean {
  const asked = spec.hardwareCharacteristics;
  if (metadata.deletionTimestamp !== undefined || status?.hardware === undefined || !asksForAnything(asked))
    return false;
  return matchHardware(asked, status.hardware) === undefined;
}

/** A label of the classification that has its own name says which value its hosts get. */
function labelOf({ metadata }: HardwareClassification): readonly [string, string] {
  const name = metadata.name ?? '';
  return [`${classificationLabelPrefix}${name}`, metadata.labels?.[name] ?? 'matches'];
}

/** What is known of a classification. */
export interface ClassificationSeen {
  readonly profile: HardwareClassification;
  /** Every host of its namespace. */
  readonly hosts: readonly BareMetalHost[];
}

/** Decides what a classification tells. Pure. */
export function decideClassification({
  profile,
  hosts,
}: ClassificationSeen): Decision<never, HardwareClassificationStatus> {
  const isError = ({ status }: BareMetalHost): boolean =>
    status?.hardware === undefined && status?.operationalStatus === 'error';
  const matchedCount = hosts.filter((host) => isMatch(profile, host)).length;
  const errorHosts = hosts.filter(isError).length;
  const matchStatus = hosts.length === 0 ? 'No BareMetalHosts Found' : matchedCount > 0 ? 'matched' : 'unmatched';
  const status: HardwareClassificationStatus = {
    profileMatchStatus: matchStatus,
    matchedCount,
    unmatchedCount: hosts.length - matchedCount - errorHosts,
    errorHosts,
    ...(asksForAnything(profile.spec.hardwareCharacteristics) ? {} : emptyProfile),
  };
  const message = `${matchedCount} of ${hosts.length} hosts match.`;
  return { effects: [], status, wake: { on: 'change' }, why: [{ code: 'Classified', message }] };
}

const emptyProfile = {
  errorType: 'Empty Profile Error',
  errorMessage: 'hardwareCharacteristics asks for nothing: no host matches.',
} as const;
