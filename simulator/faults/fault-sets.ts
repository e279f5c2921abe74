import type { Random } from '../../src/kube/index.ts';
import type { EventLog } from '../machine/event-log.ts';
import { createRandom } from '../time/random.ts';
import type { FaultKind, FaultOpportunity, FaultRule, FaultSet } from './fault.ts';
import { matches } from './match-text.ts';

/** What the faults of a machine need of it. */
export interface FaultSubject {
  readonly name: string;
  readonly clock: { elapsedMs(): number };
  readonly log: EventLog;
}

/** The faults of a data centre. */
export interface FaultSets {
  readonly rules: readonly FaultRule[];
  /** Replaces all rules; takes effect with the next opportunity, and counts start anew. */
  replace(rules: readonly FaultRule[]): void;
  /** The faults of one machine. */
  of(subject: FaultSubject): FaultSet;
}

class SharedRules implements FaultSets {
  readonly seed: number;
  rules: readonly FaultRule[];
  revision = 0;

  constructor(rules: readonly FaultRule[], seed: number) {
    this.rules = [...rules];
    this.seed = seed;
  }

  replace(rules: readonly FaultRule[]): void {
    this.rules = [...rules];
    this.revision++;
  }

  of(subject: FaultSubject): FaultSet {
    return new MachineFaults(this, subject);
  }
}

/** A rule that concerns a machine, and how often it struck there. */
interface OwnRule {
  readonly rule: FaultRule;
  struck: number;
}

class MachineFaults implements FaultSet {
  readonly #shared: SharedRules;
  readonly #subject: FaultSubject;
  #own: readonly OwnRule[] | undefined;
  #ownRevision = -1;
  #randoms: Map<string, Random> | undefined;

  constructor(shared: SharedRules, subject: FaultSubject) {
    this.#shared = shared;
    this.#subject = subject;
  }

  get revision(): number {
    return this.#shared.revision;
  }

  strike(kind: FaultKind, opportunity: FaultOpportunity = {}): FaultRule | undefined {
    if (this.#shared.rules.length === 0) return undefined;
    for (const own of this.#ownRules()) {
      if (own.rule.kind !== kind || !this.#isDue(own) || !fits(own.rule, opportunity)) continue;
      // Drawn only when everything else fits, so that a rule's history does not depend on the traffic it ignores.
      if (own.rule.rate !== undefined && this.#random(kind)() >= own.rule.rate) continue;
      own.struck++;
      this.#subject.log.add('fault', describe(kind, opportunity));
      return own.rule;
    }
    return undefined;
  }

  #ownRules(): readonly OwnRule[] {
    if (this.#own !== undefined && this.#ownRevision === this.#shared.revision) return this.#own;
    this.#ownRevision = this.#shared.revision;
    this.#own = this.#shared.rules.filter((rule) => this.#concerns(rule)).map((rule) => ({ rule, struck: 0 }));
    return this.#own;
  }

  #concerns(rule: FaultRule): boolean {
    if (rule.machines !== undefined && !matches(rule.machines, this.#subject.name)) return false;
    if (rule.machineRate === undefined) return true;
    return createRandom(this.#shared.seed, this.#subject.name, rule.kind, 'has')() < rule.machineRate;
  }

  #isDue(own: OwnRule): boolean {
    const { times, afterMs, untilMs } = own.rule;
    if (times !== undefined && own.struck >= times) return false;
    if (afterMs === undefined && untilMs === undefined) return true;
    const nowMs = this.#subject.clock.elapsedMs();
    return nowMs >= (afterMs ?? 0) && nowMs <= (untilMs ?? Number.POSITIVE_INFINITY);
  }

  #random(kind: FaultKind): Random {
    this.#randoms ??= new Map();
    const known = this.#randoms.get(kind);
    if (known !== undefined) return known;
    const random = createRandom(this.#shared.seed, this.#subject.name, kind);
    this.#randoms.set(kind, random);
    return random;
  }
}

function fits(rule: FaultRule, opportunity: FaultOpportunity): boolean {
  if (rule.method !== undefined && !matches(rule.method.toUpperCase(), opportunity.method ?? '')) return false;
  if (rule.path !== undefined && !matches(rule.path, opportunity.path ?? '')) return false;
  // A component is often not known yet, as while an image is being fetched: then the restriction does not count.
  return (
    rule.component === undefined || opportunity.component === undefined || rule.component === opportunity.component
  );
}

function describe(kind: FaultKind, opportunity: FaultOpportunity): string {
  const parts: string[] = [`kind=${kind}`];
  if (opportunity.component !== undefined) parts.push(`component=${opportunity.component}`);
  if (opportunity.method !== undefined) parts.push(`method=${opportunity.method}`);
  if (opportunity.path !== undefined) parts.push(`path=${opportunity.path}`);
  return parts.join(' ');
}

/** Makes the faults of a data centre: one seed gives one choice of machines and moments. */
export function createFaultSets(rules: readonly FaultRule[], seed: number): FaultSets {
  return new SharedRules(rules, seed);
}
