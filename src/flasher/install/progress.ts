import type { ComponentType, InstallMark, StartedUpdate, Unsticking } from '../../bmc/index.ts';
import type { JsonObject } from '../../engine/index.ts';
import { FlasherError } from '../errors.ts';
import type { Firmware } from '../plan/firmware.ts';
import { type InstallState, installTable } from './install-table.ts';

/** How one image fared. */
export type ActionState = 'pending' | 'active' | 'succeeded' | 'failed' | 'not-started';

/** Why an action failed, as far as it decides what to do about it. */
export interface ActionFailure {
  readonly code: string;
  readonly message: string;
  readonly messageIds: readonly string[];
  /** Trying the same again may go better. */
  readonly mayPass: boolean;
}

/** One image and how far it has got. */
export interface ActionProgress {
  readonly firmware: Firmware;
  readonly component: ComponentType;
  readonly slots: readonly { readonly slot: string; readonly uri: string; readonly version: string }[];
  state: ActionState;
  message: string;
  /** The image is older than what was installed. */
  readonly isGoingBack?: boolean;
  /** The slots that this attempt is for: those that are behind, or all when it is forced. */
  targets?: string[];
  /** The version was there before this attempt, so that finding it says nothing about whether it was written. */
  wasThere?: boolean;
  /** Begun so many times. */
  attempts: number;
  /** The image was sent so many times in this attempt. */
  sends: number;
  /** What was on the BMC before the image was sent; there is one from before each sending. */
  mark?: InstallMark;
  /** Since when the BMC may have all of the image, or of the request to start it, that was sent last. */
  wholeAt?: number;
  /** The update that the BMC took. */
  started?: StartedUpdate;
  /** The BMC is done with its part, or shows no more of it. */
  isTaskOver?: boolean;
  /** The BMC said that the update succeeded. */
  hasTaskSucceeded?: boolean;
  /** The version that an image of unknown version brought. */
  installedVersion?: string;
  /** The reset that makes the firmware run. Stored before it is asked for. */
  reset?: ResetProgress;
  /** The reset of last resort was tried. */
  hasFallenBack?: boolean;
  failure?: ActionFailure;
  /** It was left while it may still be written: nothing may be switched off or reset by us. */
  isUnsettled?: boolean;
  /** Until when it may still be written, where it was left so. */
  mayBeWritingUntil?: number;
  cures: Unsticking[];
  percent?: number;
  warnings: string[];
  beganAt?: number;
  endedAt?: number;
}

/** A reset that firmware needs to run. */
export interface ResetProgress {
  readonly what: 'host' | 'bmc';
  /** How often it was asked for. */
  count: number;
  isDone: boolean;
  /** It was put off once, for a self-test that was under way. */
  hasSpared?: boolean;
}

/** All that another process needs to go on. Stored as JSON. */
export interface InstallProgress {
  readonly format: 1;
  state: InstallState;
  /** Since when it is in that state, by the store's time. */
  since: number;
  /** The state lasts until then at least: its time was over when a worker came to it. Given once. */
  extendedTo?: number;
  /** How often each state was entered for the action that goes on. */
  entries?: Partial<Record<InstallState, number>>;
  /** Since when the end of a self-test of the host is waited for. */
  postSince?: number;
  /** The host's power when the work began: so it is left. */
  powerBefore?: 'on' | 'off';
  /** The host was off and was switched on for this. */
  hasPoweredOn?: boolean;
  hasResetBmcFirst?: boolean;
  actions: ActionProgress[];
  /** The action that goes on. */
  at: number;
  skipped: { readonly firmware: Firmware; readonly why: string; readonly message: string }[];
  /** Why the whole of it failed. */
  ending?: { readonly code: string; readonly message: string };
  /** How much of all was done at most. */
  percent?: number;
  /** What people are told: the last few messages. */
  records: { readonly ts: string; readonly msg: string }[];
}

/** Where an install begins. */
export function beginProgress(now: number): InstallProgress {
  return { format: 1, state: installTable.initial, since: now, actions: [], at: 0, skipped: [], records: [] };
}

/** Reads what an earlier holder stored; a new beginning when nothing is there. */
export function loadProgress(id: string, stored: JsonObject, now: number): InstallProgress {
  if (Object.keys(stored).length === 0) return beginProgress(now);
  if (isInstallProgress(stored)) return structuredClone(stored) as unknown as InstallProgress;
  const detail = 'it is of another version of this program; cancel the condition and ask again';
  throw new FlasherError('badProgress', { id, detail });
}

/** True for what an install stored, and for nothing that another kind of worker did. */
export function isInstallProgress(stored: JsonObject): boolean {
  const { format, state, actions, records } = stored as unknown as Partial<InstallProgress>;
  const isKnown = format === 1 && state !== undefined && installTable.states.includes(state);
  return isKnown && Array.isArray(actions) && Array.isArray(records);
}

/** The progress as it is to be stored: a copy of all that changes in place, so that what comes later is not in it. */
export function storedProgress(progress: InstallProgress): JsonObject {
  const { actions, entries } = progress;
  const copy = {
    ...progress,
    actions: actions.map(copyOf),
    ...(entries === undefined ? {} : { entries: { ...entries } }),
  };
  return copy as unknown as JsonObject;
}

function copyOf(action: ActionProgress): ActionProgress {
  const { cures, warnings, reset } = action;
  const copy = { ...action, cures: [...cures], warnings: [...warnings] };
  return reset === undefined ? copy : { ...copy, reset: { ...reset } };
}

const mostRecords = 5;

/** Adds a message for people; the same one twice in a row is said once, and only the last few are kept. */
export function tell(progress: InstallProgress, now: number, msg: string): void {
  if (progress.records.at(-1)?.msg === msg) return;
  progress.records = [...progress.records, { ts: new Date(now).toISOString(), msg }].slice(-mostRecords);
}

/** Notes that a reset is needed; how often one was asked for stays known. */
export function wantReset(action: ActionProgress, what: 'host' | 'bmc'): void {
  action.reset = { ...action.reset, what, count: action.reset?.count ?? 0, isDone: false };
}
