import { createHash } from 'node:crypto';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * Names for new machines of a set. They follow from the set and a number, so that whoever asks twice because it does not
 * see its own writes yet gets the same names, and makes no machine twice.
 */
export function newMachineNames(
  set: { readonly name: string; readonly uid: string },
  count: number,
  isTaken: (name: string) => boolean,
): string[] {
  const names = new Set<string>();
  for (let number = 0; names.size < count; number++) {
    const name = `${set.name}-${suffixOf(`${set.uid}/${number}`)}`;
    if (!isTaken(name)) names.add(name);
  }
  return [...names];
}

function suffixOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 5);
  return [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('');
}
