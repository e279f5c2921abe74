import { defaultPostTimes, goneSettleMs, type PostTimes, shortSignMs, startPatienceMs } from '../../bmc/index.ts';

/** When something is looked at again: after `first`, and `factor` times later each time that nothing changed. */
export interface PollTimes {
  readonly first: number;
  readonly most: number;
  /** 2 unless given; what ends after a time is seen at most about `factor - 1` of that time later. */
  readonly factor?: number;
}

/** How an install goes about it. Times are milliseconds. */
export interface InstallSettings {
  /** How often one image may be begun with before it is given up. */
  readonly maxAttempts: number;
  /** How often one image may be sent in one attempt, each time after it was certain that the BMC did not take it. */
  readonly maxSends: number;
  readonly maxResets: number;
  /** Between two tries of what failed in passing. */
  readonly retry: { readonly baseMs: number; readonly maxMs: number };
  /** Between two looks at an update. Where it counts percents they decide, between these two. */
  readonly poll: PollTimes;
  /** Listen to the events of BMCs that offer them, so that an end is seen when it comes. */
  readonly areEventsHeard: boolean;
  /** How long an update may be queued before the host is restarted for it. */
  readonly startPatienceMs: number;
  /** How long an update may take. */
  readonly followMs: number;
  /** After so long nothing is written any more by an update that the BMC shows nothing of. */
  readonly settleMs: number;
  /** How the new version is looked for: so many good reads in a row, and how long. */
  readonly verify: {
    readonly consecutiveReads: number;
    readonly deadlineMs: number;
    readonly poll: PollTimes;
  };
  /** How long a host that shows nothing but its power is watched for a sign of its restart. */
  readonly signMs: number;
  /** How long the self-test of a host may take, and how its end is known. */
  readonly post: PostTimes;
  /** How long a lost answer is looked for. */
  readonly findMs: number;
  /** Progress is told at most so often while nothing but a percentage changes. */
  readonly tellEveryMs: number;
  /** How long the BMC may check an uploaded image. */
  readonly checkImageMs: number;
}

const minute = 60_000;

/** Settings that suit the servers on the market. */
export const defaultInstallSettings: InstallSettings = {
  maxAttempts: 3,
  maxSends: 3,
  maxResets: 3,
  retry: { baseMs: 5000, maxMs: minute },
  poll: { first: 1000, most: 30_000, factor: 1.25 },
  areEventsHeard: true,
  startPatienceMs,
  followMs: 120 * minute,
  settleMs: goneSettleMs,
  verify: { consecutiveReads: 3, deadlineMs: 15 * minute, poll: { first: 1000, most: 30_000, factor: 1.25 } },
  signMs: shortSignMs,
  post: defaultPostTimes,
  findMs: 20 * minute,
  tellEveryMs: 10_000,
  checkImageMs: 20 * minute,
};
