import type { BareMetalHostDiscovery } from '../../api/index.ts';
import type {
  DiscoverySource,
  KnownMachine,
  MachineDetails,
  Outcome,
  RefusedMachine,
} from '../../provisioners/index.ts';
import { readMac } from '../naming/mac.ts';
import { eachAtOnce } from './at-once.ts';
import { type HostPlan, type PlanContext, planHosts, type Told } from './plan-hosts.ts';
import {
  type Arrival,
  type Candidate,
  compareArrivals,
  type HostLookup,
  type Refusal,
  type SortedMachines,
  sortMachines,
} from './sort-machines.ts';

/** Why sources could not be asked. */
export interface SourceProblem {
  readonly reason: 'NoSource' | 'SourceUnavailable' | 'CreateFailed';
  readonly message: string;
  /** When to ask again. */
  readonly afterMs: number;
}

/** What one poll found. */
export interface PollResult {
  readonly sorted: SortedMachines;
  readonly plan: HostPlan;
  /** Machines that nobody had the time to ask for details. */
  readonly unread: number;
  readonly problem: SourceProblem | undefined;
  /** Every MAC that was told, of whatever machine. */
  readonly macs: ReadonlySet<string>;
  /** The machine that was asked last; undefined where the next poll begins with the first one. */
  readonly cursor: Arrival | undefined;
  /** When each machine that was listed was first heard of, by id. */
  readonly arrivals: ReadonlyMap<string, number>;
}

/** What a poll is made with. */
export interface PollParts {
  readonly sources: readonly DiscoverySource[];
  readonly hosts: HostLookup;
  readonly context: Omit<PlanContext, 'names'>;
  readonly readsPerPoll: number;
  readonly concurrency: number;
  readonly retryMs: number;
  /** What is said where there is no source. */
  readonly noSource: string;
  /** As the poll before left them. */
  readonly cursor: Arrival | undefined;
  readonly arrivals: ReadonlyMap<string, number>;
  readonly now: number;
  /** Which machine has which name, of the plan of the poll before. */
  readonly names: ReadonlyMap<string, string>;
}

/** Asks all sources, and those machines for details that may become hosts. Nothing is changed by it. */
export async function pollSources(object: BareMetalHostDiscovery, parts: PollParts): Promise<PollResult> {
  const listed = await Promise.all(parts.sources.map((source) => listOf(source, parts)));
  const listings = listed.map((each) => ('machines' in each ? each.machines : []));
  const arrivals = arrivalsOf(listings.flat(), parts);
  const sorted = sortMachines(listings, object.spec, parts.hosts, arrivals);
  const kept = await Promise.all(parts.sources.map(keptOut));
  // What cannot become a host now need not be in memory now; a few more, since some of them are refused.
  const reads = Math.min(parts.readsPerPoll, parts.context.allowance.hosts + spareReads);
  const turn = rotated(sorted.candidates, parts.cursor).slice(0, reads);
  const told = await readAll(turn, parts);
  const answers = told.answers.toSorted((one, other) => compareArrivals(one.machine, other.machine));
  const problems = listed.flatMap((each) => ('reason' in each ? [each] : [])).concat(told.problem ?? []);
  return {
    sorted: { ...sorted, refused: [...sorted.refused, ...kept.flat()] },
    plan: planHosts(object, answers, { ...parts.context, names: namesKept(parts, sorted.candidates) }),
    unread: sorted.candidates.length - told.answers.length,
    problem: parts.sources.length === 0 ? withoutSource(parts) : problems[0],
    macs: new Set(listings.flat().flatMap(macsOf)),
    cursor: sorted.candidates.length > turn.length ? turn.at(-1) : undefined,
    arrivals,
  };
}

const spareReads = 200;

/** A machine that introduces itself again came when it did so first; of a source that cannot tell, when it was first listed. */
function arrivalsOf(machines: readonly KnownMachine[], { arrivals, now }: PollParts): ReadonlyMap<string, number> {
  return new Map(machines.map(({ id, sinceMs = now }) => [id, Math.min(arrivals.get(id) ?? sinceMs, sinceMs)]));
}

/** The names of machines that were told before and still have no host: what held these back must not cost them the name. */
function namesKept({ names }: PollParts, candidates: readonly Candidate[]): ReadonlyMap<string, Candidate> {
  const waiting = new Map(candidates.map((candidate) => [candidate.id, candidate]));
  return new Map(
    [...names].flatMap(([name, id]) => {
      const candidate = waiting.get(id);
      return candidate === undefined ? [] : [[name, candidate] as const];
    }),
  );
}

function macsOf({ bootMac, macs }: KnownMachine): string[] {
  return [bootMac, ...macs].flatMap((mac) => readMac(mac) ?? []);
}

function withoutSource({ noSource }: PollParts): SourceProblem {
  return { reason: 'NoSource', message: noSource, afterMs: 600_000 };
}

async function listOf(
  source: DiscoverySource,
  { retryMs }: PollParts,
): Promise<{ readonly machines: readonly KnownMachine[] } | SourceProblem> {
  const answer = await asked(() => source.list(), retryMs);
  return 'reason' in answer ? answer : { machines: answer.value };
}

/** Machines that the source itself keeps out; where it cannot say, the listing has told that already. */
async function keptOut(source: DiscoverySource): Promise<readonly Refusal[]> {
  if (source.refused === undefined) return [];
  const answer = await asked(() => source.refused?.() ?? none, 0);
  if ('reason' in answer) return [];
  return answer.value.map(({ mac, reason }) => ({
    id: mac,
    bootMac: readMac(mac),
    reason: 'SourceRefused',
    message: reason,
  }));
}

const none: Promise<Outcome<readonly RefusedMachine[]>> = Promise.resolve({ kind: 'done', value: [] });

interface AskProblem extends SourceProblem {
  /** True where that says something of one machine and not of the source. */
  readonly isOfMachine?: boolean;
}

/** What a source throws is told like what it answers: others must not suffer from it. */
async function asked<T>(ask: () => Promise<Outcome<T>>, retryMs: number): Promise<{ readonly value: T } | AskProblem> {
  const reason = 'SourceUnavailable';
  let outcome: Outcome<T>;
  try {
    outcome = await ask();
  } catch (error) {
    const message = `Asking the provisioner failed: ${error instanceof Error ? error.message : String(error)}`;
    return { reason, message: message.slice(0, 500), afterMs: retryMs, isOfMachine: true };
  }
  if (outcome.kind === 'done') return { value: outcome.value };
  const message = 'message' in outcome ? outcome.message : `The provisioner answered "${outcome.kind}".`;
  const afterMs = 'afterMs' in outcome ? Math.max(retryMs, outcome.afterMs) : retryMs;
  return { reason, message: message.slice(0, 500), afterMs, isOfMachine: outcome.kind !== 'unavailable' };
}

/** In the order of arrival, beginning behind the cursor, so that machines that are refused hold up no others. */
function rotated(candidates: readonly Candidate[], cursor: Arrival | undefined): readonly Candidate[] {
  const start = cursor === undefined ? 0 : candidates.findIndex((each) => compareArrivals(each, cursor) > 0);
  return start <= 0 ? candidates : [...candidates.slice(start), ...candidates.slice(0, start)];
}

/** What one machine does wrong holds up no other; only a source that is not there ends it. */
async function readAll(
  machines: readonly Candidate[],
  parts: PollParts,
): Promise<{ readonly answers: readonly Told[]; readonly problem?: SourceProblem }> {
  const details = new Map<Candidate, MachineDetails | undefined>();
  let problem: SourceProblem | undefined;
  let isGone = false;
  await eachAtOnce(machines, { concurrency: parts.concurrency }, async (machine) => {
    const from = parts.sources[machine.source];
    if (isGone || from === undefined) return;
    const answer = await asked(() => from.read(machine.id), parts.retryMs);
    if (!('reason' in answer)) details.set(machine, answer.value);
    else if (answer.isOfMachine === true) details.set(machine, undefined);
    else {
      problem = answer;
      isGone = true;
    }
  });
  const answers = machines.flatMap((machine) =>
    details.has(machine) ? [{ machine, details: details.get(machine) }] : [],
  );
  return problem === undefined ? { answers } : { answers, problem };
}
