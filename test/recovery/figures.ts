import type { InstallState } from '../../src/flasher/install/install-table.ts';
import type { Verdict, Violation } from './check-log.ts';
import type { Line } from './line-process.ts';
import { steps } from './moments.ts';
import type { SeenCondition } from './work-order.ts';

/** How often something was hit, in each way. */
export interface Hits {
  kill: number;
  freeze: number;
  suspend: number;
  /** While another install of the same process was meant. */
  beside: number;
}

/** What a run came to. */
export interface Figures {
  readonly seed: number;
  readonly installs: number;
  readonly conditions: number;
  readonly seconds: number;
  /** Conditions by how they ended. */
  readonly ends: Readonly<Record<string, number>>;
  /** Those that did not succeed, and why. */
  readonly unhappy: readonly string[];
  /** Installs that were hit at least once. */
  readonly hitInstalls: number;
  readonly blows: { readonly kill: number; readonly freeze: number; readonly suspend: number; readonly stray: number };
  readonly hits: Readonly<Record<string, Hits>>;
  /** Writes and requests of woken workers that were refused, by whom. */
  readonly refused: Readonly<Record<string, number>>;
  /** Leases of a condition: how many at most. */
  readonly mostLeases: number;
  readonly taken: number;
  readonly neededAgain: number;
  readonly hostResets: number;
  readonly refusedByBmc: number;
  readonly violations: readonly Violation[];
}

/** Counts what the processes of a run say. */
export class Tally {
  readonly #hits: Record<string, Hits>;
  readonly #hitTargets = new Set<string>();
  readonly #blows = { kill: 0, freeze: 0, suspend: 0, stray: 0 };
  readonly #refused: Record<string, number> = {};

  constructor() {
    this.#hits = Object.fromEntries(steps.map((step) => [step, { kill: 0, freeze: 0, suspend: 0, beside: 0 }]));
  }

  hear(line: Line): void {
    if (line.say === 'hit') this.#hit(line);
    if (line.say === 'refused') this.#count(`${line.by} ${line.what}`);
  }

  stray(): void {
    this.#blows.stray += 1;
  }

  #hit({ target, step, blow, others }: Line): void {
    const how = blow as 'kill' | 'freeze' | 'suspend';
    this.#hitTargets.add(String(target));
    this.#blows[how] += 1;
    const hits = this.#hits[String(step)];
    if (hits !== undefined) hits[how] += 1;
    for (const other of others as InstallState[]) {
      const beside = this.#hits[other];
      if (beside !== undefined) beside.beside += 1;
    }
  }

  #count(what: string): void {
    this.#refused[what] = (this.#refused[what] ?? 0) + 1;
  }

  close(about: {
    readonly seed: number;
    readonly installs: number;
    readonly seconds: number;
    readonly conditions: readonly SeenCondition[];
    readonly verdicts: readonly Verdict[];
  }): Figures {
    const { conditions, verdicts } = about;
    const sum = (pick: (verdict: Verdict) => number): number => verdicts.reduce((all, one) => all + pick(one), 0);
    const ends = Map.groupBy(conditions, ({ state }) => state);
    return {
      seed: about.seed,
      installs: about.installs,
      conditions: conditions.length,
      seconds: about.seconds,
      ends: Object.fromEntries([...ends].map(([state, many]) => [state, many.length])),
      unhappy: conditions
        .filter(({ state }) => state !== 'succeeded')
        .map(({ kind, target, state, why, leases }) => `${kind} on ${target}: ${state} after ${leases} leases, ${why}`),
      hitInstalls: this.#hitTargets.size,
      blows: this.#blows,
      hits: this.#hits,
      refused: this.#refused,
      mostLeases: Math.max(0, ...conditions.map(({ leases }) => leases)),
      taken: sum(({ taken }) => taken),
      neededAgain: sum(({ neededAgain }) => neededAgain),
      hostResets: sum(({ hostResets }) => hostResets),
      refusedByBmc: sum(({ refusedLate }) => refusedLate),
      violations: verdicts.flatMap(({ violations }) => violations),
    };
  }
}

/** The figures as people read them. */
export function showFigures(title: string, figures: Figures): string {
  const { blows, violations } = figures;
  const count = (rule: Violation['rule']): number => violations.filter((one) => one.rule === rule).length;
  const row = (name: string, ...cells: readonly (string | number)[]): string =>
    `  ${name.padEnd(16)}${cells.map((cell) => String(cell).padStart(9)).join('')}`;
  return [
    `${title}: seed ${figures.seed}, ${figures.installs} installs, ${figures.conditions} conditions, ${figures.seconds} s`,
    `  ended ${JSON.stringify(figures.ends)}; at most ${figures.mostLeases} leases of one`,
    `  ${figures.hitInstalls} installs hit: ${blows.kill} kills, ${blows.freeze} freezes, ${blows.suspend} suspensions; ${blows.stray} strays besides`,
    `  refused ${JSON.stringify(figures.refused)}; by BMCs ${figures.refusedByBmc}`,
    `  ${figures.taken} images taken, ${figures.neededAgain} of them since the BMC had failed; ${figures.hostResets} restarts of hosts`,
    `  written twice ${count('twice')}, destroyed ${count('destroyed')}, overlaps ${count('overlap')}, wrong results ${count('result')}`,
    row('step', 'kill', 'freeze', 'suspend', 'beside'),
    ...Object.entries(figures.hits).map(([step, hits]) => row(step, hits.kill, hits.freeze, hits.suspend, hits.beside)),
    ...figures.unhappy.map((text) => `  ${text}`),
    ...violations.map(({ machine, rule, message }) => `  ${rule} on ${machine}: ${message}`),
  ].join('\n');
}
