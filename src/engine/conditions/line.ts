import type { Sharing } from '../kinds.ts';

/** Somebody in the line before a lock: an un-finalized condition of the lock key. */
export interface InLine {
  readonly id: string;
  readonly isActive: boolean;
  /** Exclusive work that somebody had already: the device may be in the middle of it. */
  readonly isBegun: boolean;
  readonly sharing: Sharing;
  readonly priority: number;
  readonly createdAt: number;
  /** Those before it in its unit have succeeded. */
  readonly isTurn: boolean;
  /** What it is done to, where several machines may share the lock. */
  readonly target?: string;
  /** What keeps it waiting besides the lock: the machine is in use, or its owner has not made way. */
  readonly hold: { readonly code: string; readonly message: string } | undefined;
}

/** Where a pending condition stands: ready to be leased, or why not. */
export interface Standing {
  readonly id: string;
  readonly isReady: boolean;
  readonly reason: { readonly code: string; readonly message: string } | undefined;
}

const waitsForUnit = { code: 'WaitsForUnit', message: 'waits for the conditions before it in its unit' };
const waitsForLock = { code: 'WaitsForLock', message: 'waits for other work on the same device' };

/** Why it waits for what is before it in line. */
function waitsFor(one: InLine, before: readonly InLine[]): typeof waitsForLock {
  const other = before.find(({ target }) => target !== undefined && target !== one.target)?.target;
  if (one.target === undefined || other === undefined) return waitsForLock;
  return { ...waitsForLock, message: `${waitsForLock.message}: ${other} has the same BMC` };
}

/**
 * The order in which conditions of one lock key run: what has begun, then by priority, then by age. Ids grow with time.
 * Nothing is so urgent that it may come between the two halves of a flash.
 */
export function compareInLine(a: Omit<InLine, 'hold'>, b: Omit<InLine, 'hold'>): number {
  return (
    Number(b.isBegun) - Number(a.isBegun) ||
    b.priority - a.priority ||
    a.createdAt - b.createdAt ||
    (a.id < b.id ? -1 : 1)
  );
}

/**
 * Who of a line may go on. Exclusive work goes alone; shared work beside shared work, but never past exclusive work that
 * waits before it, so that exclusive work is not starved; passive work always. Who is held back, or whose turn in its
 * unit has not come, keeps nobody waiting. What has begun is brought to its end even if its machine is held since.
 */
export function decideLine(line: readonly InLine[]): readonly Standing[] {
  const active = line.filter((one) => one.isActive && one.sharing !== 'passive');
  const before = [...active];
  let hasExclusive = active.some((one) => one.sharing === 'exclusive');
  let hasAny = active.length > 0;
  const standings: Standing[] = [];
  for (const one of line.filter((each) => !each.isActive).sort(compareInLine)) {
    if (!one.isTurn) standings.push({ id: one.id, isReady: false, reason: waitsForUnit });
    else if (one.hold !== undefined && !one.isBegun) standings.push({ id: one.id, isReady: false, reason: one.hold });
    else {
      const isBlocked = one.sharing === 'exclusive' ? hasAny : one.sharing === 'shared' && hasExclusive;
      standings.push({ id: one.id, isReady: !isBlocked, reason: isBlocked ? waitsFor(one, before) : undefined });
      if (one.sharing !== 'passive') before.push(one);
      if (one.sharing !== 'passive') hasAny = true;
      if (one.sharing === 'exclusive') hasExclusive = true;
    }
  }
  return standings;
}
