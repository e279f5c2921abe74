import { createHash } from 'node:crypto';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * Names for new machines of a set. They follow from the version of the set that they are made for: two processes that
 * make machines for one version make the same ones, and no name is given out twice, since no version comes again.
 */
export function newMachineNames(
  set: { readonly name: string; readonly uid: string; readonly version: string },
  count: number,
  isTaken: (name: string) => boolean,
): string[] {
  const names = new Set<string>();
  for (let number = 0; names.size < count; number++) {
    const name = `${set.name}-${suffixOf(`${set.uid}/${set.version}/${number}`)}`;
    if (!isTaken(name)) names.add(name);
  }
  return [...names];
}

function suffixOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 5);
  return [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('');
}
