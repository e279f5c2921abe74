import type { BareMetalHost } from '../../api/index.ts';
import { annotationsOf } from '../annotations/read-annotations.ts';
import type { HostEffect, HostSeen } from '../decide/seen.ts';
import { annotations, rebootNote } from '../resources.ts';

/** Forgets that a host is to be rebooted, and that it was asked for. */
export const forgetReboot: HostEffect = {
  kind: 'change-host',
  key: 'forget-reboot',
  change: { removeAnnotations: [annotations.reboot, rebootNote] },
};

/** Forgets that a reboot was asked for; undefined when nobody noted that. */
export function forgetRebootNote({ host }: HostSeen): HostEffect | undefined {
  if (!(rebootNote in annotationsOf(host))) return undefined;
  return { kind: 'change-host', key: 'forget-reboot-note', change: { removeAnnotations: [rebootNote] } };
}

/**
 * Notes that a reboot is about to be asked for; undefined when it is noted. Nothing tells later that a host was
 * rebooted, so whoever finds the annotation still there must know that it was seen to.
 */
export function noteReboot({ host }: HostSeen): HostEffect | undefined {
  if (isNotedOn(host)) return undefined;
  const setAnnotations = { [rebootNote]: annotationsOf(host)[annotations.reboot] ?? '' };
  return { kind: 'change-host', key: 'note-reboot', change: { setAnnotations } };
}

/** True when a round before this one was about to ask for the reboot that is wanted, and could not conclude it. */
export function isRebootSeenTo({ host, hostBefore }: HostSeen): boolean {
  return isNotedOn(hostBefore) && isNotedOn(host);
}

/** True when the note is left over from a wish that was taken back. */
export function isRebootNoteStale({ host }: HostSeen): boolean {
  const all = annotationsOf(host);
  return rebootNote in all && !(annotations.reboot in all);
}

function isNotedOn(host: BareMetalHost): boolean {
  const all = annotationsOf(host);
  return annotations.reboot in all && all[rebootNote] === all[annotations.reboot];
}
