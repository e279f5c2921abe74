import { type Instant, isSameJson } from '../../kube/index.ts';
import type { FirmwareUpdate, Preparation } from '../../provisioners/index.ts';
import { type Aftermath, ask, fail } from './ask.ts';
import { areSettingsDirty, type DiskSettings, madeSettings, wantedSettings, withSettings } from './deployment.ts';
import { type FirmwareWish, firmwareWishOf } from './firmware-wish.ts';
import { type Found, facts, stepFirst, type Work } from './found.ts';
import {
  changesOf,
  doubt,
  forgetNote,
  isUnderWay,
  isWritten,
  noteFirst,
  noteOn,
  unheardOf,
} from './preparation-note.ts';
import { type Draft, type HostEffect, type HostSeen, rest, type Step, withStatus } from './seen.ts';

/** Sets up disks and firmware before a host is available. */
export function prepare({ seen, draft, now }: Work): Found {
  const wish = firmwareWishOf(seen);
  if (!wish.isReady) {
    const wake = { after: seen.settings.companionWaitMs };
    return stepFirst(rest(draft, wake, 'FirmwareUnread', 'its firmware companions are not up to date yet'));
  }
  // Somebody else may have begun it: whether anything is left of it is asked before it is begun again.
  const isUnsure = seen.begun === undefined && seen.beganIn === 'preparing' && !seen.isFirmwareFresh;
  if (wish.settings !== undefined && isUnsure) {
    return stepFirst({ kind: 'do', draft, effects: [refresh] });
  }
  const unheard = unheardStep(seen, draft, wish);
  if (unheard !== undefined) return stepFirst(unheard);
  const wanted = wantedSettings(seen.host, draft.status);
  const order = orderOf(seen, draft, { wish, wanted });
  const first = noteStep(seen, draft, { wish, wanted, order, now });
  if (first !== undefined) return stepFirst(first);
  const asked = ask(seen, draft, {
    question: { name: 'prepare', order },
    errorType: 'preparation error',
    isStoredFirst: order.settings !== undefined || order.updates !== undefined || order.raid !== undefined,
    onStart: (going) => ({
      draft: withStatus(going, withSettings(going.status, wanted)),
      effects: begunEffects(seen, wish),
    }),
    onFailure: (failed) => forgetBegun(seen, failed),
  });
  if (asked.kind === 'not yet') return stepFirst(asked.step);
  return conclude(seen, draft, { wish, wanted });
}

/** Updates that may have begun, and ended since, are not written again where their components were. */
function unheardStep(seen: HostSeen, draft: Draft, { updates = [] }: FirmwareWish): Step | undefined {
  if (seen.answers.prepare !== undefined) return undefined;
  const unheard = unheardOf(seen, updates);
  if (unheard.length === 0) return undefined;
  if (!seen.isFirmwareFresh) return { kind: 'do', draft, effects: [refresh] };
  const written = unheard.filter((update) => isWritten(seen, update));
  if (written.length === 0) return undefined;
  return { kind: 'do', draft, effects: [tellUpdates([...seenUpdates(seen), ...written])] };
}

/** What is about to begin is noted before that; what is seen to be under way then has begun, though nobody heard so. */
function noteStep(
  seen: HostSeen,
  draft: Draft,
  { wish, wanted, order, now }: Wanted & { readonly order: Preparation; readonly now: Instant },
): Step | undefined {
  const changes = changesOf(seen, order);
  if (changes === undefined) return undefined;
  const answer = seen.answers.prepare;
  if (answer === undefined) {
    const note = noteFirst(seen, changes, now);
    return note === undefined ? undefined : { kind: 'do', draft, effects: [note] };
  }
  if (answer.kind !== 'continue' || answer.isUnderWay !== true) return undefined;
  if (isUnderWay(seen, changes)) {
    const begun = withStatus(draft, withSettings(draft.status, wanted));
    return { kind: 'do', draft: begun, effects: [storeFirst, ...begunEffects(seen, wish)] };
  }
  const doubted = doubt(seen);
  return doubted === undefined ? undefined : { kind: 'do', draft, effects: [doubted] };
}

interface Wanted {
  readonly wish: FirmwareWish;
  readonly wanted: DiskSettings;
}

function orderOf(seen: HostSeen, draft: Draft, { wish, wanted }: Wanted): Preparation {
  const isBegun = isSettingsBegun(seen);
  const settings = isBegun ? undefined : wish.settings;
  const isRaidOther = !isSameJson(wanted.raid, madeSettings(draft.status).raid);
  return {
    isRetry: draft.status.errorType === 'preparation error',
    ...(isRaidOther && wanted.raid !== undefined ? { raid: wanted.raid } : {}),
    ...(wanted.rootDeviceHints === undefined ? {} : { rootDeviceHints: wanted.rootDeviceHints }),
    ...(settings === undefined ? {} : { settings }),
    ...(wish.updates === undefined ? {} : { updates: wish.updates }),
    isWanted: areSettingsDirty(seen.host, draft.status) || settings !== undefined || wish.updates !== undefined,
  };
}

/** Something is under way that was begun here. */
function hasBegun({ begun }: HostSeen): boolean {
  return begun !== undefined && (begun.settingsGeneration !== undefined || begun.updates.length > 0);
}

/** Nothing is under way, as opposed to not knowing what is. */
const noteEnd: HostEffect = {
  kind: 'note-begun',
  key: 'note-begun',
  begun: { settingsGeneration: undefined, updates: [] },
};

/** What there is to do so that nothing is noted to be under way. */
function noteNothing(seen: HostSeen): HostEffect[] {
  const forget = forgetNote(seen);
  return [...(hasBegun(seen) ? [noteEnd] : []), ...(forget === undefined ? [] : [forget])];
}

const storeFirst: HostEffect = { kind: 'store-status', key: 'status' };
const refresh: HostEffect = { kind: 'refresh-firmware', key: 'refresh-firmware' };

function isSettingsBegun({ begun, firmwareSettings }: HostSeen): boolean {
  const generation = firmwareSettings?.metadata.generation;
  return generation !== undefined && begun?.settingsGeneration === generation;
}

/** What was begun is noted; the companion is told of updates, as Metal3 does, when they begin. */
function begunEffects(seen: HostSeen, { settings, updates }: FirmwareWish): HostEffect[] {
  const effects: HostEffect[] = [];
  const generation = settings === undefined ? undefined : seen.firmwareSettings?.metadata.generation;
  const isNoted = hasBegun(seen) && (generation === undefined || isSettingsBegun(seen));
  if (!isNoted && (settings !== undefined || updates !== undefined)) {
    const begun = { settingsGeneration: generation, updates: updates ?? [] };
    effects.push({ kind: 'note-begun', key: 'note-begun', begun });
  }
  if (updates !== undefined) effects.push(tellUpdates([...seenUpdates(seen), ...updates]));
  return effects;
}

function seenUpdates({ firmwareComponents }: HostSeen): readonly FirmwareUpdate[] {
  const wanted = firmwareComponents?.spec?.updates ?? [];
  return (firmwareComponents?.status?.updates ?? []).filter((update) =>
    wanted.some((each) => isSameJson(each, update)),
  );
}

function tellUpdates(updates: readonly FirmwareUpdate[]): HostEffect {
  return { kind: 'tell-updates', key: 'tell-updates', updates };
}

/** What failed is wanted again: otherwise a new try would find nothing to do and call that success. */
function forgetBegun(seen: HostSeen, draft: Draft): Aftermath {
  const told = seen.firmwareComponents?.status?.updates ?? [];
  // Where nobody knows what was under way, all that was told may have been flashed long ago.
  const begun = [...(seen.begun?.updates ?? []), ...(noteOn(seen.host)?.updates ?? [])];
  const { prepare: answer } = seen.answers;
  const made = answer?.kind === 'failed' ? (answer.serviced?.updates ?? []) : [];
  const failed = begun.filter((update) => !made.some((each) => isSameJson(each, update)));
  const kept = told.filter((update) => !failed.some((each) => isSameJson(each, update)));
  const effects: HostEffect[] = [];
  if (kept.length < told.length) effects.push(tellUpdates(kept));
  else effects.push(...noteNothing(seen));
  return { draft: withStatus(draft, withSettings(draft.status)), effects };
}

/** The end of a change is not believed before the settings were read again. */
function conclude(seen: HostSeen, draft: Draft, { wish, wanted }: Wanted): Found {
  const ends = noteNothing(seen);
  const hasChanged = wish.settings !== undefined || ends.length > 0;
  if (wish.updates !== undefined) {
    return stepFirst({ kind: 'do', draft, effects: [tellUpdates([...seenUpdates(seen), ...wish.updates])] });
  }
  const made = withStatus(draft, withSettings(draft.status, wanted));
  // Reading may fail, and whoever begins anew then must see what was made.
  if (hasChanged && !seen.isFirmwareFresh) {
    return stepFirst({ kind: 'do', draft: made, effects: [storeFirst, refresh] });
  }
  if (ends.length > 0) return stepFirst({ kind: 'do', draft: made, effects: ends });
  if (wish.settings !== undefined) {
    const names = Object.keys(wish.settings).join(', ');
    const message = `settings of its firmware did not take effect: ${names}`;
    return stepFirst(fail(seen, withStatus(draft, withSettings(draft.status)), 'preparation error', message));
  }
  return facts(made, { work: 'done' });
}
