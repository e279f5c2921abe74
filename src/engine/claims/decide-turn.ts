import { compareInLine, type InLine } from '../conditions/line.ts';
import type { Turn } from './claim.ts';

/** Somebody in the line of a claimed machine. */
export interface InTurn extends Omit<InLine, 'hold'> {
  /** Work of the owner. */
  readonly isOutside: boolean;
  /** It waits for something else than the turn. */
  readonly isHeld: boolean;
}

/** What it is decided from whose turn it is. */
export interface TurnSeen {
  readonly turn: Turn;
  /** The owner has work done that is not in the line. */
  readonly isMarked: boolean;
  readonly line: readonly InTurn[];
}

/**
 * Whose turn it is next. What has begun is brought to its end before the turn is passed on; then whoever is first in line
 * has it. Pure. What was `asked` for or is `over` is for the owner to end.
 */
export function decideTurn({ turn, isMarked, line }: TurnSeen): Turn {
  const alone = line.filter((one) => one.sharing === 'exclusive');
  const begun = alone.filter((one) => one.isActive || one.isBegun);
  const isOutsideBusy = isMarked || begun.some((one) => one.isOutside);
  const isInsideBusy = begun.some((one) => !one.isOutside);
  const waiting = alone.filter((one) => !begun.includes(one) && one.isTurn && !one.isHeld);
  const [next] = waiting.sort(compareInLine);
  const isInsideNext = isInsideBusy || next?.isOutside === false;
  if (turn === 'theirs') return !isOutsideBusy && isInsideNext ? 'asked' : 'theirs';
  if (turn === 'ours') return isInsideNext ? 'ours' : 'over';
  return turn;
}
