import { type Facts, type Instant, isSameJson, takeStep } from '../../kube/index.ts';
import type { FirmwareUpdate, Outcome, Serviced, Servicing } from '../../provisioners/index.ts';
import { annotationsOf, rebootWishOf } from '../annotations/read-annotations.ts';
import { isWithoutBmc } from '../credentials/judge-credentials.ts';
import { ask, fail } from '../decide/ask.ts';
import {
  type BegunFirmware,
  counting,
  type Draft,
  type HostEffect,
  type HostSeen,
  rest,
  type Step,
  withStatus,
} from '../decide/seen.ts';
import { type Drained, drainStep, giveNodeBack } from '../nodes/drain-step.ts';
import { annotations } from '../resources.ts';
import { retryDelayMs, textOfMoment, withoutError } from '../status/host-status.ts';
import { describeServiced } from './describe-serviced.ts';
import { describeChange, hasSettings, hasUpdates, type LiveWish, liveWishOf, permissionsOf } from './live-wish.ts';
import { abandonService, beginService, endService, giveUpService, phaseOf, ticketOf } from './service-record.ts';
import { type ServiceAction, type ServicePhase, serviceTable } from './service-table.ts';
import { switchOnAgain } from './switch-on-again.ts';

type ServiceFacts = Facts<(typeof serviceTable)['facts']>;

/** A moment of a live update. */
interface Moment {
  readonly seen: HostSeen;
  readonly draft: Draft;
  readonly now: Instant;
  readonly phase: ServicePhase;
  readonly wish: LiveWish;
  /** A host that was let go of is none of ours: what is stored of it is closed by whoever does that. */
  readonly use: Exclude<ServiceFacts['use'], 'left'>;
  /** What is to become of a host that is leaving. */
  readonly end?: ServiceEnd;
}

/** What a live update is given up for, so that it is known how far it came. */
export type ServiceEnd = 'detached' | 'deprovisioned';

/**
 * What a host in use is serviced for, once its power was looked at and before it is switched: its provisioner does the
 * reboots. Undefined when there is nothing of that, and its power is nobody else's.
 */
export function serviceStep(seen: HostSeen, before: Draft, now: Instant): Step | undefined {
  const phase = phaseOf(before.status);
  // Its power is its provisioner's meanwhile, and was seen just now: an error about it is over.
  const draft = phase === 'none' ? before : withStatus(before, withoutError(before.status, 'power management error'));
  const given = phase === 'none' ? giveNodeBack(seen, draft) : undefined;
  return given ?? follow({ seen, draft, now, phase, wish: wishIn(seen, draft, phase), use: 'ours' });
}

/**
 * Gives up what is under way before a host is let go of, so that it is known how far it came; undefined when nothing is
 * left of it, or when it cannot be given up: then it is for its provisioner to say whether it lets go.
 */
export function giveUpFirst(
  seen: HostSeen,
  draft: Draft,
  { end, now }: { readonly end: ServiceEnd; readonly now: Instant },
): Step | undefined {
  const phase = phaseOf(draft.status);
  if (phase === 'none') return undefined;
  return follow({ seen, draft, now, phase, wish: liveWishOf(seen), use: 'leaving', end });
}

/** What is wanted. What an attempt does not change keeps none going, though it is specified and was so before. */
function wishIn(seen: HostSeen, draft: Draft, phase: ServicePhase): LiveWish {
  const wish = liveWishOf(seen);
  const changes = phase === 'servicing' ? changesIn(seen, draft) : undefined;
  if (changes === undefined) return wish;
  const [, , isSettingSpecified, isUpdateSpecified] = permissionsOf(seen);
  const isSpecified = (changes.settings && isSettingSpecified) || (changes.updates && isUpdateSpecified);
  return { ...wish, isSpecified: isSpecified === true };
}

/** What the attempt that is under way changes; undefined where this process has not heard it begin. */
function changesIn({ begun }: HostSeen, { status }: Draft): BegunFirmware['changes'] {
  return begun?.ticket === ticketOf(status) ? begun?.changes : undefined;
}

/** Goes by the table. */
function follow(moment: Moment): Step | undefined {
  const { seen, draft, now, phase, use } = moment;
  const looked = lookAtWork(moment);
  if ('kind' in looked) return looked;
  const facts: ServiceFacts = {
    use,
    wanted: moment.wish.isSpecified ? 'yes' : 'no',
    change: changeOf(moment.wish),
    reboot: rebootOf(seen, phase),
    ability: serviceProblemOf(seen) === undefined ? 'yes' : 'no',
    work: looked.work,
  };
  const { actions, isTaken } = takeStep(serviceTable, { state: phase, since: now }, facts, now);
  if (isTaken) return actions.reduce<Step | undefined>((_, action) => act(moment, looked, action), undefined);
  if (use === 'leaving' || facts.reboot !== 'asked' || facts.ability !== 'yes') return undefined;
  if (facts.change === 'unread') return waitForWish(draft, { after: seen.settings.companionWaitMs });
  return phase === 'none' && !isBeingSwitched(seen) ? checkWishes(seen, draft) : undefined;
}

function waitForWish(draft: Draft, wake: { readonly after: number }): Step {
  return rest(draft, wake, 'FirmwareUnread', 'what is to be changed in its firmware is not known yet');
}

/** Its power is on its way to what was asked for. */
function isBeingSwitched({ powerAsked, answers: { look } }: HostSeen): boolean {
  return powerAsked !== undefined && look?.kind === 'done' && look.value.isPoweredOn !== (powerAsked.target === 'on');
}

/**
 * A host is about to start anew with nothing to be changed, as far as anybody heard. What was wanted before the reboot was
 * asked for must not miss it, though each kind is told of by a watch of its own.
 */
function checkWishes({ wishes }: HostSeen, draft: Draft): Step | undefined {
  if (wishes === 'current') return undefined;
  if (wishes === 'behind') return waitForWish(draft, { after: 1000 });
  return { kind: 'do', draft, effects: [{ kind: 'check-wishes', key: 'check-wishes' }] };
}

/** Why its provisioner cannot service hosts; undefined where it can. */
export function serviceProblemOf({ host, answers: { look } }: HostSeen): string | undefined {
  if (isWithoutBmc(host)) return 'nothing is said about its BMC; set spec.bmc';
  return look?.kind === 'done' ? look.value.serviceProblem : undefined;
}

function changeOf({ isSpecified, isReady, settings, updates }: LiveWish): ServiceFacts['change'] {
  if (isSpecified && !isReady) return 'unread';
  return settings === undefined && updates === undefined ? 'none' : 'some';
}

/** Whether the host is about to start anew. One that failed waits for no other reboot than its own. */
export function rebootOf(seen: HostSeen, phase: ServicePhase): ServiceFacts['reboot'] {
  const reboot = rebootWishOf(seen.host, { isForcedOnly: false });
  // Servicing would boot a host that somebody keeps off, to fence it perhaps.
  if (reboot.isHeld) return 'held';
  if (seen.host.spec?.online !== true) return 'no';
  const { look } = seen.answers;
  const isOff = look?.kind === 'done' && look.value.isPoweredOn === false;
  return reboot.isOneShot || isOff || phase === 'failed' ? 'asked' : 'no';
}

/** What its provisioner says about the attempt. */
interface Looked {
  readonly work: ServiceFacts['work'];
  /** Of what failed. */
  readonly message?: string;
}

/** What its provisioner says, or what to do until it has. */
function lookAtWork(moment: Moment): Looked | Step {
  const { seen, draft, phase, wish } = moment;
  const ticket = ticketOf(draft.status);
  if (phase === 'giving up') {
    const looked = seeTo(moment, { ticket, isSpecified: false });
    const isOver = 'work' in looked && looked.work === 'done' && moment.end === 'detached';
    return (isOver ? switchOnAgain(seen, draft) : undefined) ?? looked;
  }
  if (phase !== 'servicing' || !wish.isSpecified || moment.use === 'leaving') return { work: 'unasked' };
  if (!wish.isReady && seen.begun?.ticket !== ticket) {
    return waitForWish(draft, { after: seen.settings.companionWaitMs });
  }
  const drained: Drained =
    seen.begun?.ticket === ticket ? { kind: 'clear' } : drainStep(seen, draft, { ticket, now: moment.now });
  if (drained.kind === 'not yet') return drained.step;
  if (drained.kind === 'gone by') return { work: 'failed', message: drained.message };
  const { settings, updates } = wish;
  return seeTo(moment, {
    ticket,
    isSpecified: true,
    ...(settings === undefined ? {} : { settings }),
    ...(updates === undefined ? {} : { updates }),
    ...(rebootWishOf(seen.host, { isForcedOnly: false }).mode === 'hard' ? { shutdown: 'hard' } : {}),
  });
}

function seeTo({ seen, draft, use }: Moment, order: Servicing): Looked | Step {
  const taken = order.isSpecified ? noteTaken(seen, order) : [];
  if (taken.length > 0) return { kind: 'do', draft, effects: taken };
  const { service } = seen.answers;
  if (service?.kind === 'failed') return accountForFailure(seen, draft, service);
  // A host that goes is not registered anew for it.
  if (use === 'leaving' && service?.kind === 'unregistered') return { work: 'failed' };
  const question = { name: 'service', order } as const;
  const asked = ask(seen, draft, { question, errorType: 'servicing error', isStoredFirst: true });
  return asked.kind === 'not yet' ? asked.step : conclude(seen, draft, { serviced: asked.value, order });
}

/** What was installed before it failed is told to its companion, so that the next try does not install it again. */
function accountForFailure(
  seen: HostSeen,
  draft: Draft,
  { message, serviced }: Extract<Outcome<never>, { kind: 'failed' }>,
): Looked | Step {
  if (serviced === undefined) return { work: 'failed', message };
  const step = accountFor(seen, draft, serviced);
  if (step !== undefined) return step;
  const { made, missing } = describeServiced(seen, serviced);
  const account = made === '' ? [] : [made, ...(missing === '' ? [] : [missing])];
  return { work: 'failed', message: [message, ...account].join('; ') };
}

/** Tells the companions what was made; undefined once they know. */
function accountFor(seen: HostSeen, draft: Draft, { updates }: Serviced): Step | undefined {
  const told = seen.firmwareComponents?.status?.updates ?? [];
  const installed = installedAfter(seen, updates);
  if (updates.length > 0 && !isSameJson(installed, told)) {
    return { kind: 'do', draft, effects: [{ kind: 'tell-updates', key: 'tell-updates', updates: installed }] };
  }
  if (seen.isFirmwareFresh) return undefined;
  return { kind: 'do', draft, effects: [{ kind: 'refresh-firmware', key: 'refresh-firmware' }] };
}

/** Once its provisioner has taken the attempt, the reboot that began it is on its way; one asked for later is another. */
function noteTaken({ answers, begun, host }: HostSeen, { ticket, settings, updates }: Servicing): HostEffect[] {
  const isTaken = ['continue', 'done', 'failed'].includes(answers.service?.kind ?? '');
  if (!isTaken || begun?.ticket === ticket) return [];
  const changes = { settings: settings !== undefined, updates: updates !== undefined };
  const isKnown = changes.settings || changes.updates;
  const note: HostEffect = {
    kind: 'note-begun',
    key: 'note-begun',
    begun: { settingsGeneration: undefined, updates: [], ticket, ...(isKnown ? { changes } : {}) },
  };
  if (!(annotations.reboot in annotationsOf(host))) return [note];
  const change = { removeAnnotations: [annotations.reboot] };
  return [{ kind: 'change-host', key: 'forget-reboot', change }, note];
}

/**
 * The end is not believed before the firmware was read again, and what was installed is told to its companion: also of
 * what was given up, since it would be installed again at the next reboot.
 */
function conclude(
  seen: HostSeen,
  draft: Draft,
  { serviced, order }: { readonly serviced: Serviced; readonly order: Servicing },
): Looked | Step {
  const account = accountFor(seen, draft, serviced);
  if (account !== undefined) return account;
  // Of what nobody wants any more nothing can be missing.
  if (!order.isSpecified) return { work: 'done' };
  const has = seen.firmwareSettings?.status?.settings ?? {};
  const without = Object.entries(serviced.settings).filter(([name, value]) => has[name] !== String(value));
  if (without.length === 0 || seen.firmwareSettings === undefined) return { work: 'done' };
  const names = without.map(([name]) => name).join(', ');
  return { work: 'failed', message: `settings of its firmware did not take effect: ${names}` };
}

/** Of what is asked for, what was installed before or is now. */
function installedAfter(
  { firmwareComponents }: HostSeen,
  updates: readonly FirmwareUpdate[],
): readonly FirmwareUpdate[] {
  const all = [...(firmwareComponents?.status?.updates ?? []), ...updates];
  return (firmwareComponents?.spec?.updates ?? []).filter(({ component, url }) =>
    all.some((each) => each.component === component && each.url === url),
  );
}

function act(moment: Moment, looked: Looked, action: ServiceAction): Step {
  const { seen, draft, now, wish } = moment;
  switch (action) {
    case 'begin': {
      const turn = awaitTurn(moment);
      if (turn !== undefined) return turn;
      const room = findRoom(seen, draft);
      if (room !== undefined) return room;
      const message = `Live update started: ${describeChange(wish)}`;
      return goOn(seen, beginService(withoutFailures(draft), now, message));
    }
    case 'begin-again': {
      const wait = awaitTurn(moment) ?? findRoom(seen, draft);
      if (wait !== undefined) return wait;
      return goOn(seen, beginService(draft, now, `Live update tried again: ${describeChange(wish)}`));
    }
    case 'give-up':
      return { kind: 'again', draft: giveUpService(draft, now) };
    case 'complete': {
      const message = `Live update completed: ${describeChange(servicedIn(seen))}`;
      const ended = endService(draft, now, { result: 'completed', message });
      return rest(ended, { after: 0 }, 'Serviced', 'its live update has ended');
    }
    case 'let-be': {
      const { made, missing } = describeServiced(seen, { settings: {}, updates: [], ...servicedIn(seen) });
      const account = [made === '' ? 'nothing was changed' : made, ...(missing === '' ? [] : [missing])];
      const message = `Live update aborted: ${[whyGivenUp(moment), ...account].join('; ')}`;
      const ended = endService(draft, now, { result: 'aborted', message });
      return rest(ended, { after: 0 }, 'Serviced', 'its live update was given up');
    }
    case 'abandon':
      return { kind: 'again', draft: abandonService(draft, now) };
    case 'tell-failure': {
      const counted = counting(draft, 'service', { labels: { result: 'failed' } });
      return fail(seen, counted, 'servicing error', looked.message ?? 'it failed');
    }
  }
}

function whyGivenUp({ seen, draft, end }: Moment): string {
  if (end !== undefined) return `the host is to be ${end}`;
  const changes = changesIn(seen, draft) ?? { settings: true, updates: true };
  const hasEither =
    (changes.settings && hasSettings(seen.firmwareSettings)) ||
    (changes.updates && hasUpdates(seen.firmwareComponents));
  return hasEither ? 'no HostUpdatePolicy allows what is specified' : 'spec cleared';
}

/** What its provisioner says that it has made. */
function servicedIn({ answers: { service } }: HostSeen): Partial<Serviced> {
  return service?.kind === 'done' ? service.value : {};
}

/** The moment that an attempt begins at is its name: another one in the same second would be taken for it. */
function awaitTurn({ draft, now }: Moment): Step | undefined {
  if (ticketOf(draft.status) !== textOfMoment(now)) return undefined;
  return rest(draft, { after: 1000 }, 'JustTried', 'its last live update began in this very second');
}

/** Where each host is booted with an image of its own, that is asked for by the next round, and waited for. */
function goOn({ images }: HostSeen, draft: Draft): Step {
  if (images.formats === undefined) return { kind: 'again', draft };
  return rest(draft, { after: 0 }, 'Servicing', 'the image that it is serviced with is asked for');
}

function withoutFailures(draft: Draft): Draft {
  return { ...draft, status: { ...draft.status, errorCount: 0 } };
}

/** Only so many hosts may be worked on at once. */
function findRoom(seen: HostSeen, draft: Draft): Step | undefined {
  const asked = ask(seen, draft, { question: { name: 'capacity', what: 'service' }, errorType: 'servicing error' });
  if (asked.kind === 'not yet') return asked.step;
  if (asked.value) return undefined;
  const wake = { after: retryDelayMs(1, seen.share) };
  return rest(draft, wake, 'NoCapacity', 'as many hosts as may be are worked on; its live update waits');
}
