import type { ClaimOutcome } from './claims/claim-host.ts';
import { type Allowance, conflictMessage, type PlannedHost } from './poll/plan-hosts.ts';
import type { PollResult, SourceProblem } from './poll/poll-sources.ts';
import { type Refusal, type RefusalReason, shortened } from './poll/sort-machines.ts';

/** What became of one host that was planned. */
export type HostResult =
  | ClaimOutcome
  /** The API refuses it. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The API did not answer, or there was no time. */
  | { readonly kind: 'failed'; readonly message: string };

/** What one poll came to, for the status. */
export interface Report {
  readonly known: number;
  readonly ignored: number;
  readonly refused: readonly Refusal[];
  readonly waiting: number;
  readonly throttled: number;
  readonly throttledBy: Allowance['by'];
  /** Discovered hosts that nobody uses, those that were created with them. */
  readonly unused: number;
  /** Names of hosts that were created. */
  readonly created: readonly string[];
  /** Machines that were refused for the first time. */
  readonly news: readonly Refusal[];
  readonly problem: SourceProblem | undefined;
}

/** Sums up a poll and what became of the hosts that it planned. Pure. */
export function reportOf(
  { sorted, plan, unread, problem }: PollResult,
  results: readonly { readonly planned: PlannedHost; readonly result: HostResult }[],
  before: { readonly last: Report | undefined; readonly isUntold: boolean; readonly unused: number },
): Report {
  const of = (kind: HostResult['kind']) => results.filter(({ result }) => result.kind === kind);
  const refused = [...sorted.refused, ...plan.refused, ...results.flatMap(refusalIn)];
  const late = plan.hosts.length - results.length;
  const waiting = of('claimed').length + of('again').length + of('failed').length + late;
  // What no status has told yet is told with this one.
  const untold = before.isUntold ? before.last : undefined;
  const told = new Set(before.last?.refused.map(keyOf));
  return {
    known: sorted.known + of('created').length + of('known').length,
    ignored: sorted.ignored + plan.unselected,
    refused,
    waiting: plan.untold + plan.throttled + unread + waiting,
    throttled: plan.throttled,
    throttledBy: plan.throttledBy,
    unused: before.unused + of('created').length,
    created: [...(untold?.created ?? []), ...of('created').map(({ planned }) => planned.host.metadata.name ?? '')],
    news: [...(untold?.news ?? []).slice(0, mostNews), ...refused.filter((each) => !told.has(keyOf(each)))],
    problem: problem ?? failureIn(of('failed').map(({ result }) => result)),
  };
}

const mostNews = 100;

function keyOf({ id, reason }: Refusal): string {
  return `${reason} ${id}`;
}

function refusalIn({ planned, result }: { readonly planned: PlannedHost; readonly result: HostResult }): Refusal[] {
  const { id, bootMac } = planned.machine;
  const refuse = (reason: RefusalReason, message: string): Refusal[] => [{ id, bootMac, reason, message }];
  if (result.kind === 'name-taken') return refuse('NameConflict', conflictMessage(planned.host.metadata.name ?? ''));
  return result.kind === 'refused' ? refuse('HostRefused', result.message.slice(0, 300)) : [];
}

function failureIn(failures: readonly HostResult[]): SourceProblem | undefined {
  const [first] = failures;
  if (first === undefined || !('message' in first)) return undefined;
  const message = `${failures.length === 1 ? 'A host' : `${failures.length} hosts`} could not be created: ${first.message}`;
  return { reason: 'CreateFailed', message: message.slice(0, 500), afterMs: 0 };
}

/** Refusals in a few words, for events. */
export function refusalsForPeople(refusals: readonly Refusal[], most = 5): string {
  const shown = refusals.slice(0, most).map(({ id, message }) => `${shortened(id)}: ${message}`);
  const more = refusals.length - shown.length;
  return more > 0 ? `${shown.join(' ')} And ${more} more.` : shown.join(' ');
}
