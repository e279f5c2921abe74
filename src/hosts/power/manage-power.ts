import type { Instant } from '../../kube/index.ts';
import type { PowerOrder } from '../../provisioners/index.ts';
import { annotationsOf, type RebootWish, rebootWishOf } from '../annotations/read-annotations.ts';
import { isWithoutBmc } from '../credentials/judge-credentials.ts';
import { ask } from '../decide/ask.ts';
import {
  counting,
  type Draft,
  type HostSeen,
  releaseWork,
  rest,
  type Step,
  telling,
  withStatus,
} from '../decide/seen.ts';
import { dataImageStep } from '../images/data-image.ts';
import { annotations } from '../resources.ts';
import { serviceStep } from '../servicing/decide-service.ts';
import { stateOf, withoutError } from '../status/host-status.ts';
import { checkBmc } from './check-bmc.ts';
import { forgetReboot, forgetRebootNote, isRebootNoteStale, isRebootSeenTo, noteReboot } from './reboot-note.ts';
import { leavePower } from './without-power.ts';

/** Brings the power of a host at rest to what its owner wants. */
export function managePower(seen: HostSeen, given: Draft, now: Instant): Step {
  if (isWithoutBmc(seen.host)) return leavePower(seen, given, now);
  const looked = ask(seen, given, { question: { name: 'look' }, errorType: 'power management error' });
  if (looked.kind === 'not yet') return looked.step;
  const checked = checkBmc(seen, given, now);
  if (checked.kind === 'silent') return checked.step;
  const isInUse = stateOf(given.status) !== 'available';
  const reboot = rebootWishOf(seen.host, { isForcedOnly: !isInUse });
  const draft = notePower(seen, checked.draft, { isPoweredOn: looked.value.isPoweredOn, reboot });
  const serviced = isInUse ? serviceStep(seen, draft, now) : undefined;
  if (serviced !== undefined) return serviced;
  const isBeingStarted =
    stateOf(draft.status) === 'provisioned' && seen.host.spec?.online === true && !draft.status.poweredOn;
  const drive = isBeingStarted ? dataImageStep(seen, draft) : undefined;
  if (drive !== undefined) return drive;
  if (!draft.status.poweredOn && reboot.isOneShot && looked.value.isPoweredOn === false) {
    return { kind: 'do', draft, effects: [forgetReboot] };
  }
  const stale = isRebootNoteStale(seen) ? forgetRebootNote(seen) : undefined;
  if (stale !== undefined) return { kind: 'do', draft, effects: [stale] };
  return seen.host.spec?.disablePowerOff === true ? restart(seen, draft, reboot) : switchPower(seen, draft, reboot);
}

/** A power that changed ends an error about it; that it did is told where it was asked for. */
function notePower(
  { powerAsked }: HostSeen,
  draft: Draft,
  { isPoweredOn, reboot }: { readonly isPoweredOn: boolean | undefined; readonly reboot: RebootWish },
): Draft {
  if (isPoweredOn === undefined || isPoweredOn === draft.status.poweredOn) return draft;
  const status = { ...withoutError(draft.status, 'power management error'), poweredOn: isPoweredOn };
  const noted = withStatus(draft, status);
  if (powerAsked?.target !== (isPoweredOn ? 'on' : 'off')) return noted;
  const off = powerAsked.mode === 'soft' ? 'soft-off' : 'off';
  return tellPower(tellUnreadable(noted, reboot), isPoweredOn ? 'on' : off);
}

function switchPower(seen: HostSeen, draft: Draft, reboot: RebootWish): Step {
  const isWantedOn = seen.host.spec?.online === true && !reboot.isAsked;
  const hasPowerError = draft.status.errorType === 'power management error';
  if (isWantedOn === draft.status.poweredOn) {
    const fine = hasPowerError ? withStatus(draft, { ...withoutError(draft.status), errorCount: 0 }) : draft;
    return atRest(seen, fine, reboot);
  }
  const target = isWantedOn ? 'on' : 'off';
  const mode = modeOf(seen, draft, { target, reboot });
  const isSoftOff = !isWantedOn && mode === 'soft';
  const asked = ask(seen, draft, {
    question: { name: 'power', order: { target, mode, isForced: reboot.isForced, isRetry: hasPowerError } },
    errorType: 'power management error',
    ...(isSoftOff
      ? { worded: (m) => `Continuing with hard poweroff after soft poweroff fails. More details: ${m}` }
      : {}),
  });
  if (asked.kind === 'not yet') return asked.step;
  const status = { ...withoutError(draft.status, 'power management error'), poweredOn: isWantedOn };
  const settled = withStatus(draft, { ...status, errorCount: hasPowerError ? 0 : status.errorCount });
  const told = tellPower(tellUnreadable(settled, reboot), isWantedOn ? 'on' : isSoftOff ? 'soft-off' : 'off');
  if (!isWantedOn && reboot.isOneShot)
    return rest(told, { after: 0 }, 'Rebooting', 'it is off and is switched on again');
  return atRest(seen, told, reboot);
}

/** What did not go softly once is not tried softly again. */
function modeOf(
  { powerAsked }: HostSeen,
  { status }: Draft,
  { target, reboot }: { readonly target: PowerOrder['target']; readonly reboot: RebootWish },
): PowerOrder['mode'] {
  const isHardAlready = powerAsked?.target === target && powerAsked.mode === 'hard';
  return isHardAlready || status.errorType === 'power management error' ? 'hard' : reboot.mode;
}

function tellPower(draft: Draft, change: 'on' | 'off' | 'soft-off'): Draft {
  const onOff = change === 'on' ? 'on' : 'off';
  const counted = counting(draft, 'powerChange', { labels: { on_off: onOff } });
  const words = { on: 'Host powered on', off: 'Host powered off', 'soft-off': 'Host soft powered off' };
  return telling(counted, 'Normal', change === 'on' ? 'PowerOn' : 'PowerOff', words[change]);
}

function tellUnreadable(draft: Draft, { unreadable }: RebootWish): Draft {
  return unreadable.reduce(
    (told, name) =>
      telling(
        told,
        'Warning',
        'InvalidAnnotationValue',
        `the value of ${name} cannot be read; it counts as a soft reboot`,
      ),
    draft,
  );
}

/** A host that must not be off is restarted where others are switched off. */
function restart(seen: HostSeen, draft: Draft, reboot: RebootWish): Step {
  if (!draft.status.poweredOn) return switchPower(seen, draft, { ...reboot, isAsked: false });
  // One that is held off cannot be: restarting it over and over would help nobody.
  if (!reboot.isOneShot || !(annotations.reboot in annotationsOf(seen.host))) return atRest(seen, draft, reboot);
  const isAnswered = seen.answers.power !== undefined;
  // Whether it was rebooted by that is not known, but nobody who uses it wants it twice.
  if (!isAnswered && isRebootSeenTo(seen)) return rebooted(draft);
  const note = isAnswered ? undefined : noteReboot(seen);
  if (note !== undefined) return { kind: 'do', draft, effects: [note] };
  const isRetry = draft.status.errorType === 'power management error';
  const mode = modeOf(seen, draft, { target: 'reboot', reboot });
  const asked = ask(seen, draft, {
    question: { name: 'power', order: { target: 'reboot', mode, isForced: reboot.isForced, isRetry } },
    errorType: 'power management error',
  });
  if (asked.kind === 'not yet') {
    const unnote = isAnswered ? forgetRebootNote(seen) : undefined;
    return unnote === undefined ? asked.step : { kind: 'do', draft, effects: [unnote] };
  }
  return rebooted(draft);
}

function rebooted(draft: Draft): Step {
  const told = tellPower(
    withStatus(draft, { ...withoutError(draft.status, 'power management error'), errorCount: 0 }),
    'on',
  );
  return { kind: 'do', draft: told, effects: [forgetReboot] };
}

function atRest(seen: HostSeen, given: Draft, reboot: RebootWish): Step {
  const isFine = given.status.errorType === undefined && given.status.errorCount > 0;
  const draft = isFine ? withStatus(given, { ...given.status, errorCount: 0 }) : given;
  const power = draft.status.poweredOn ? 'on' : 'off';
  const held = reboot.isHeld ? '; somebody holds it off with a reboot annotation' : '';
  const wake = { after: seen.settings.powerPollMs };
  const why = [{ code: 'AtRest', message: `its power is ${power} as it should be${held}` }];
  return { kind: 'rest', draft, wake, why, effects: [releaseWork] };
}
