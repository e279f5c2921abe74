/** Who blocks whom, among objects that are being deleted in the foreground. */
export interface Blocking {
  /** The dependents that keep an owner from going, by uid. */
  blockersOf(uid: string): readonly string[];
  /** True for one that is itself being deleted and waits for its dependents. */
  isWaiting(uid: string): boolean;
}

/**
 * True when an owner has to wait for dependents that will go without it. Objects that wait for each other in a circle
 * would wait for ever: when nothing but the circle is left, each of them may go.
 */
export function isBlocked(owner: string, blocking: Blocking): boolean {
  const circle = reachableFrom(owner, blocking);
  if (circle === undefined) return true;
  for (const each of circle) if (each !== owner && reachableFrom(each, blocking)?.has(owner) !== true) return true;
  return false;
}

/** Everybody an object waits for, directly or not; undefined when one of them does not itself wait. */
function reachableFrom(start: string, { blockersOf, isWaiting }: Blocking): Set<string> | undefined {
  const found = new Set<string>();
  const open = [start];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const blocker of blockersOf(next)) {
      if (!isWaiting(blocker)) return undefined;
      if (found.has(blocker)) continue;
      found.add(blocker);
      open.push(blocker);
    }
  }
  return found;
}
