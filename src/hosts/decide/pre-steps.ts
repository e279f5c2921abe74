import { hasFinalizer, type Instant, isBeingDeleted, isSameJson } from '../../kube/index.ts';
import {
  discoveredHardware,
  discoveryNote,
  readDiscoveryNote,
  writeDiscoveryNote,
} from '../annotations/discovery-note.ts';
import { annotationsOf, isInspectionDisabled, isPaused } from '../annotations/read-annotations.ts';
import { readDetails, readStatus } from '../annotations/read-values.ts';
import { annotations, finalizers } from '../resources.ts';
import { textOfMoment } from '../status/host-status.ts';
import { leftHardwareData, ownHardwareData } from './own-hardware-data.ts';
import {
  type Draft,
  type HostChange,
  type HostEffect,
  type HostSeen,
  rest,
  type Step,
  telling,
  withStatus,
} from './seen.ts';

/** What has to be seen to before anything else: undefined when nothing is left of it. */
export function preStep(seen: HostSeen, draft: Draft, now: Instant): Step | undefined {
  const { host } = seen;
  if (isPaused(host)) {
    const why = [{ code: 'Paused', message: `it is paused (${annotations.paused})` }];
    return { kind: 'rest', draft, wake: { on: 'change' }, why, isLeftAlone: true };
  }
  if (isBeingDeleted(host)) {
    const isHeld = seen.hardwareData !== undefined && hasFinalizer(seen.hardwareData, finalizers.hardwareData);
    return isHeld ? { kind: 'do', draft, effects: [releaseDetails] } : undefined;
  }
  return restoreStatus(seen, draft, now) ?? changeHost(seen, takeDetails(seen, draft)) ?? keepDetails(seen, draft);
}

const releaseDetails: HostEffect = { kind: 'release-hardware-data', key: 'release-hardware-data' };

/** A host that comes from elsewhere brings its status along; it counts only while there is none. */
function restoreStatus(seen: HostSeen, draft: Draft, now: Instant): Step | undefined {
  const text = annotationsOf(seen.host)[annotations.status];
  if (text === undefined || draft.status.lastUpdated !== undefined) return undefined;
  const reading = readStatus(text);
  if ('problem' in reading) {
    const message = `the annotation ${annotations.status} is no status (${reading.problem}); correct or remove it`;
    return rest(
      telling(draft, 'Warning', 'InvalidAnnotationValue', message),
      { on: 'change' },
      'InvalidStatus',
      message,
    );
  }
  const restored = reading.value;
  const hardware = ownHardwareData(seen)?.spec?.hardware ?? restored.hardware;
  const status = {
    ...restored,
    ...(hardware === undefined ? {} : { hardware }),
    lastUpdated: textOfMoment(now),
  };
  return { kind: 'do', draft: withStatus(draft, status), effects: [{ kind: 'store-status', key: 'status' }] };
}

/** Hardware that is known without an inspection: from HardwareData, else from an annotation, else from discovery. */
function takeDetails(seen: HostSeen, draft: Draft): Draft {
  const text = annotationsOf(seen.host)[annotations.hardwareDetails];
  const isWanted = draft.status.hardware === undefined || isInspectionDisabled(seen.host);
  const noted = ownHardwareData(seen)?.spec?.hardware;
  const reading = text === undefined || noted !== undefined ? undefined : readDetails(text);
  const given = reading !== undefined && 'value' in reading ? reading.value : undefined;
  const discovered = noted === undefined && given === undefined ? discoveredHardware(seen.host) : undefined;
  const hardware = isWanted ? (noted ?? given ?? discovered) : undefined;
  const isUnused = text !== undefined && (given === undefined || !isWanted);
  const told = isUnused
    ? telling(
        draft,
        'Normal',
        'RemoveAnnotation',
        `the annotation ${annotations.hardwareDetails} was not used and is removed`,
      )
    : draft;
  if (hardware === undefined || isSameJson(hardware, draft.status.hardware)) return told;
  const source = noted !== undefined ? 'HardwareData' : given !== undefined ? 'annotation' : 'discovery';
  const message = `Set hardware details from ${source}.`;
  return telling(withStatus(told, { ...draft.status, hardware }), 'Normal', 'UpdateHardwareDetails', message);
}

/** What discovery told of the hardware goes into HardwareData, once the host is held: nobody else would let it go. */
function keepDetails(seen: HostSeen, draft: Draft): Step | undefined {
  const left = leftHardwareData(seen);
  if (left === 'held') return { kind: 'do', draft, effects: [releaseDetails] };
  // One that another host left is taken over; what goes already cannot be, and its end wakes this host again.
  const hardware = ownHardwareData(seen) === undefined && left !== 'going' ? discoveredHardware(seen.host) : undefined;
  if (hardware === undefined) return undefined;
  return { kind: 'do', draft, effects: [{ kind: 'put-hardware-data', key: 'put-hardware-data', hardware }] };
}

/** Of the note only the id is kept then: what it says of the hardware is in HardwareData and in the status. */
function shortenNote(seen: HostSeen): Pick<HostChange, 'setAnnotations'> {
  const reading = ownHardwareData(seen)?.spec?.hardware === undefined ? undefined : readDiscoveryNote(seen.host);
  if (reading === undefined || 'problem' in reading || reading.value.hardware === undefined) return {};
  const { provisionerId } = reading.value;
  return { setAnnotations: { [discoveryNote]: writeDiscoveryNote({ provisionerId }) } };
}

/** All that is to be changed in the host itself, in one write. */
function changeHost(seen: HostSeen, draft: Draft): Step | undefined {
  const { host } = seen;
  const arch = ownHardwareData(seen)?.spec?.hardware?.cpu?.arch;
  const isArchMissing = (host.spec?.architecture ?? '') === '' && arch !== undefined && arch !== '';
  const used = [annotations.status, annotations.hardwareDetails].filter((name) => name in annotationsOf(host));
  const change: HostChange = {
    ...(hasFinalizer(host, finalizers.host) ? {} : { addFinalizer: finalizers.host }),
    ...(used.length === 0 ? {} : { removeAnnotations: used }),
    ...shortenNote(seen),
    ...(isArchMissing ? { architecture: arch } : {}),
  };
  if (Object.keys(change).length === 0) return draft.status === seen.status ? undefined : { kind: 'again', draft };
  return { kind: 'do', draft, effects: [{ kind: 'change-host', key: 'change-host', change }] };
}
