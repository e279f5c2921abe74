import type { JsonObject, JsonValue } from '../../engine/index.ts';
import { countsOf, resultOf, showSkipped } from './install-outcome.ts';
import type { ActionProgress, InstallProgress } from './progress.ts';

/** What people are told of an install: percent, step, component, the last messages, and how each image fares. */
export function statusOf(progress: InstallProgress, about: { readonly isDryRun: boolean }): JsonObject {
  const action = progress.actions[progress.at];
  const isOver = progress.state === 'succeeded' || progress.state === 'failed';
  return {
    step: progress.state,
    percent: progress.percent ?? 0,
    ...(action === undefined || isOver ? {} : { component: action.firmware.component }),
    message: progress.records.at(-1)?.msg ?? '',
    records: progress.records.map(({ ts, msg }) => ({ ts, msg })),
    dry_run: about.isDryRun,
    powered_on: progress.hasPoweredOn === true,
    ...(isOver ? { result: resultOf(progress) } : {}),
    counts: { ...countsOf(progress) },
    actions: progress.actions.map(actionStatus),
    skipped: progress.skipped.map((one) => ({ ...showSkipped(one) })),
  };
}

function actionStatus(action: ActionProgress): JsonObject {
  const { firmware, slots, state, message, attempts } = action;
  const optional: Record<string, JsonValue | undefined> = {
    percent: action.percent,
    bmc_task: action.started?.taskUri,
    started_at: isoOf(action.beganAt),
    completed_at: isoOf(action.endedAt),
    downgrade: action.isGoingBack,
    may_be_writing_until: isoOf(action.mayBeWritingUntil),
    warnings: action.warnings.length === 0 ? undefined : action.warnings,
  };
  const given = Object.entries(optional).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  return {
    firmware_id: firmware.id,
    vendor: firmware.vendor,
    component: firmware.component,
    version: action.installedVersion ?? firmware.version,
    installed_before: [...new Set(slots.map(({ version }) => version))].join(', '),
    slots: slots.map(({ slot }) => slot),
    state,
    message,
    attempts,
    ...Object.fromEntries(given),
  };
}

/** How much of an action is done when it reaches a state, in percent; the flash itself is most of it. */
const shares: Readonly<Record<string, number>> = {
  fetching: 2,
  preparing: 8,
  'awaiting-other': 8,
  'resetting-bmc': 8,
  'powering-off': 8,
  marking: 9,
  sending: 10,
  finding: 15,
  starting: 18,
  following: 20,
  settling: 80,
  activating: 82,
  rechecking: 85,
  verifying: 90,
  closing: 100,
};

const followShare = 60;

/** How much of all is done; it never goes back, also where a restart lets the BMC begin to count anew. */
export function percentOf(progress: InstallProgress): number {
  return Math.max(progress.percent ?? 0, progress.state === 'succeeded' ? 100 : shareOf(progress));
}

function shareOf({ actions, at, state }: InstallProgress): number {
  if (actions.length === 0) return 0;
  const over = Math.min(at, actions.length);
  const percent = actions[at]?.percent ?? 0;
  const inside = state === 'following' ? followShare * (Math.min(100, Math.max(0, percent)) / 100) : 0;
  const current = over >= actions.length ? 0 : (shares[state] ?? 0) + inside;
  return Math.min(99, Math.floor((over * 100 + current) / actions.length));
}

function isoOf(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
