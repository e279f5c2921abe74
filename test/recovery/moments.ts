import { type InstallState, installTable } from '../../src/flasher/install/install-table.ts';

/** The steps of an install at which a worker can be hit: all but its ends, and but what needs an update of somebody else. */
export const steps: readonly InstallState[] = installTable.states.filter(
  (state) => !isEnd(state) && state !== 'awaiting-other' && state !== 'keeping-off',
);

function isEnd(state: InstallState): boolean {
  return state === 'succeeded' || state === 'failed';
}

/** What is done to a worker: kill -9, a stop of the process, or a stop in which also its steady clock stands still. */
export type Blow = 'kill' | 'freeze' | 'suspend';

/**
 * Where in a step: `begun`, it is stored and nothing is done; `asked`, before a request to the BMC; `changing`, before one
 * that changes something, and before the lease is looked at for it; `checked`, when the lease was found to be held and the
 * request has not left; `changed`, after the BMC's answer to it; `answered`, after any answer; `writing`, a report is in
 * the store's hands and not committed; `done`, the step is over and that is stored nowhere.
 */
export type Place = 'begun' | 'asked' | 'changing' | 'checked' | 'changed' | 'answered' | 'writing' | 'done';

/** When a worker is hit, and how. */
export interface Moment {
  readonly step: InstallState;
  readonly place: Place;
  /** Which of the requests of that step, from 1; only for places at requests. */
  readonly nth: number;
  readonly blow: Blow;
  /** How long it is stopped, in real time. */
  readonly forMs: number;
}

/** Something that a worker has just come to. */
export interface Reached {
  readonly step: InstallState;
  readonly place: Place;
  readonly nth: number;
}

/**
 * Whether a moment has come. Where a step has fewer requests than the moment asks for, its end will do; where an install
 * never comes to the step at all, the first moment strikes in the last step, so that nobody gets off.
 */
export function hasCome(moment: Moment, reached: Reached, about: { readonly isFirst: boolean }): boolean {
  if (reached.step !== moment.step) {
    const isLastStep = reached.step === 'restoring-power' && reached.place === 'begun';
    return isLastStep && about.isFirst;
  }
  if (reached.place !== moment.place) return reached.place === 'done';
  return moment.place === 'begun' || moment.place === 'done' || reached.nth === moment.nth;
}

/** The step that follows on a result, by the table. */
export function stepAfter(step: InstallState, result: string): InstallState | undefined {
  const row = installTable.rows.find(({ from, when }) => isOneOf(from, step) && isOneOf(when.result, result));
  return row?.to;
}

function isOneOf(many: unknown, one: string): boolean {
  return Array.isArray(many) ? many.includes(one) : many === one;
}
