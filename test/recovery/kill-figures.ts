import type { Violation } from './check-log.ts';
import type { LeaseEvent } from './work-order.ts';

/** One kill -9 of a worker, by the clock of the store. */
export interface Kill {
  /** The worker as the engine knows it. */
  readonly controller: string;
  readonly at: number;
}

/** One install that lost its worker, and when another had gone on with it. */
export interface Resumption {
  readonly conditionId: string;
  readonly killedAt: number;
  /** Undefined while nobody has. */
  readonly resumedMs: number | undefined;
}

/** The first answer of a BMC to a worker, under each lease. */
export type Answer = Pick<LeaseEvent, 'at' | 'target' | 'controller'>;

/** The same events, with the first answers of BMCs among them. */
export function withAnswers(events: readonly LeaseEvent[], answers: readonly Answer[]): readonly LeaseEvent[] {
  const ids = new Map(events.map(({ target, conditionId }) => [target, conditionId]));
  const answered = answers.flatMap((one) => {
    const conditionId = ids.get(one.target);
    return conditionId === undefined ? [] : [{ ...one, conditionId, event: 'answered' }];
  });
  return [...events, ...answered].sort((a, b) => a.at - b.at);
}

/**
 * What each kill did to the installs of its worker. An install is resumed when the worker that leased it next had its
 * first answer from the BMC or reported on it, or was killed in turn before it could.
 */
export function findResumptions(kills: readonly Kill[], events: readonly LeaseEvent[]): readonly Resumption[] {
  const killedAt = new Map(kills.map(({ controller, at }) => [controller, at]));
  const byCondition = Map.groupBy(events, ({ conditionId }) => conditionId);
  return [...byCondition].flatMap(([conditionId, own]) =>
    own.flatMap((lease, index) => {
      const at = killedAt.get(lease.controller);
      if (lease.event !== 'leased' || at === undefined) return [];
      const rest = own.slice(index + 1);
      const isHeldAtKill = !rest.some((one) => one.at <= at && ['leased', 'released', 'finalized'].includes(one.event));
      if (!isHeldAtKill) return [];
      const next = rest.findIndex((one) => one.event === 'leased');
      const [leased, ...after] = next < 0 ? [] : rest.slice(next);
      const told = after.find((one) => ['reported', 'answered', 'finalized'].includes(one.event));
      const nextKill = leased === undefined ? undefined : killedAt.get(leased.controller);
      const isKilledFirst = nextKill !== undefined && (told === undefined || told.at > nextKill);
      const resumedAt = isKilledFirst ? leased?.at : told?.at;
      return [{ conditionId, killedAt: at, resumedMs: resumedAt === undefined ? undefined : resumedAt - at }];
    }),
  );
}

/** What a run of kills came to. */
export interface KillFigures {
  readonly seed: number;
  readonly kills: number;
  readonly installs: number;
  readonly seconds: number;
  readonly resumptions: readonly Resumption[];
  readonly unhappy: readonly string[];
  readonly taken: number;
  readonly neededAgain: number;
  readonly violations: readonly Violation[];
}

/** How long it took: of all that lost their worker, sorted. */
export function durationsOf({ resumptions }: Pick<KillFigures, 'resumptions'>): readonly number[] {
  return resumptions.map(({ resumedMs = Number.POSITIVE_INFINITY }) => resumedMs).sort((a, b) => a - b);
}

/** The figures as people read them. */
export function showKillFigures(title: string, figures: KillFigures): string {
  const { violations, resumptions } = figures;
  const sorted = durationsOf(figures);
  const at = (part: number): string => `${((sorted[Math.ceil(sorted.length * part) - 1] ?? 0) / 1000).toFixed(1)} s`;
  const count = (rule: Violation['rule']): number => violations.filter((one) => one.rule === rule).length;
  return [
    `${title}: seed ${figures.seed}, ${figures.kills} kills, ${figures.installs} installs, ${figures.seconds} s`,
    `  ${resumptions.length} installs lost their worker; resumed within: median ${at(0.5)}, p95 ${at(0.95)}, worst ${at(1)}`,
    `  ${figures.taken} images taken, ${figures.neededAgain} of them since the BMC had failed`,
    `  flashed twice ${count('twice')}, destroyed ${count('destroyed')}, overlaps ${count('overlap')}, wrong results ${count('result')}`,
    ...figures.unhappy.map((text) => `  ${text}`),
    ...violations.map(({ machine, rule, message }) => `  ${rule} on ${machine}: ${message}`),
  ].join('\n');
}
