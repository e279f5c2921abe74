import { isSameJson } from '../../kube/index.ts';
import { discoveredHardware } from '../annotations/discovery-note.ts';
import {
  annotationsOf,
  isInspectionAsked,
  isInspectionDisabled,
  rebootWishOf,
} from '../annotations/read-annotations.ts';
import { annotations } from '../resources.ts';
import { ask } from './ask.ts';
import { bootModeOf } from './deployment.ts';
import { type Found, facts, stepFirst, type Work } from './found.ts';
import { leftHardwareData, ownHardwareData } from './own-hardware-data.ts';
import { type HostEffect, type HostSeen, telling, withStatus } from './seen.ts';

/** Finds out what a host is made of. */
export function inspect({ seen, draft }: Work): Found {
  const { host } = seen;
  if (isInspectionDisabled(host)) {
    return facts(telling(draft, 'Normal', 'InspectionSkipped', 'Inspection of the hardware is disabled'), {
      work: 'done',
    });
  }
  const order = {
    isRetry: draft.status.errorType === 'inspection error',
    isRefresh: isInspectionAsked(host),
    isForced: rebootWishOf(host, { isForcedOnly: true }).isAsked,
    bootMode: bootModeOf(host),
  };
  const asked = ask(seen, draft, {
    question: { name: 'inspect', order },
    errorType: 'inspection error',
    onStart: (going) => ({
      draft: telling(going, 'Normal', 'InspectionStarted', started),
      effects: forgetWishes(seen),
    }),
  });
  if (asked.kind === 'not yet') return stepFirst(asked.step);
  const effects = [...forgetWishes(seen), ...noteHardware(seen, asked.value)];
  const details = withStatus(draft, { ...draft.status, hardware: asked.value });
  if (effects.length > 0) return stepFirst({ kind: 'do', draft: details, effects });
  // Begun and ended in one go: then nobody has told yet that it began.
  const begun = seen.beganIn === 'inspecting' ? details : telling(details, 'Normal', 'InspectionStarted', started);
  return facts(telling(begun, 'Normal', 'InspectionComplete', 'Hardware inspection completed'), { work: 'done' });
}

const started = 'Hardware inspection started';

/** An inspection that has begun was not asked for in vain. */
function forgetWishes({ host }: HostSeen): HostEffect[] {
  const names = [
    ...(isInspectionAsked(host) ? [annotations.inspect] : []),
    ...(rebootWishOf(host, { isForcedOnly: true }).isOneShot ? [annotations.reboot] : []),
  ].filter((name) => name in annotationsOf(host));
  if (names.length === 0) return [];
  return [{ kind: 'change-host', key: 'forget-wishes', change: { removeAnnotations: names } }];
}

/** What there is to do so that HardwareData says what a host is made of. */
export function noteHardware(seen: HostSeen, hardware: NonNullable<HostSeen['status']['hardware']>): HostEffect[] {
  if (isSameJson(ownHardwareData(seen)?.spec?.hardware, hardware)) return [];
  // It is noted still what discovery told: that is written once the HardwareData of the host before has gone.
  if (leftHardwareData(seen) === 'going' && discoveredHardware(seen.host) !== undefined) return [];
  return [{ kind: 'put-hardware-data', key: 'put-hardware-data', hardware }];
}
