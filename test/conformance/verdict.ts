import { compareTranscripts, type Difference } from './compare.ts';
import type { KnownDifference } from './known-differences.ts';
import type { Transcript } from './transcript.ts';

/** What comparing one case gave. */
export interface Verdict {
  readonly caseId: string;
  readonly outcome: 'equal' | 'known' | 'different' | 'stale';
  /** Differences that nothing permits. */
  readonly differences: readonly Difference[];
  /** Permissions that nothing needed. */
  readonly stale: readonly KnownDifference[];
}

/** Compares one case and holds the result against the permitted differences. */
export function judge(
  pair: { expected: Transcript; actual: Transcript },
  permitted: readonly KnownDifference[],
): Verdict {
  const caseId = pair.expected.caseId;
  const mine = permitted.filter((known) => known.caseId === caseId);
  const all = compareTranscripts(pair.expected, pair.actual);
  const differences = all.filter(({ at }) => !mine.some((known) => at.includes(known.at)));
  const stale = mine.filter((known) => !all.some(({ at }) => at.includes(known.at)));
  return { caseId, outcome: outcomeOf({ all, differences, stale }), differences, stale };
}

function outcomeOf(found: { all: readonly unknown[]; differences: readonly unknown[]; stale: readonly unknown[] }) {
  if (found.differences.length > 0) return 'different';
  if (found.stale.length > 0) return 'stale';
  return found.all.length > 0 ? 'known' : 'equal';
}
