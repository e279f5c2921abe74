import type { Transaction } from '../store/database.ts';
import { readController } from './controllers.ts';

/** Which work the workers that are online take. */
export interface ServedWork {
  /** True when a worker for this kind is online for the facility; work of no facility is anybody's. */
  isServed(kind: string, facility: string): boolean;
  /** The facilities that workers for this kind are online for, in order of their names. */
  facilitiesOf(kind: string): readonly string[];
}

/** Reads which work the workers that are online take. */
export async function readServedWork(tx: Transaction): Promise<ServedWork> {
  const workers = (await tx.all(`SELECT * FROM controllers WHERE is_online = 1`)).map(readController);
  const served = new Map<string, Set<string>>();
  for (const { kinds, facilities } of workers) {
    for (const kind of kinds) {
      const known = served.get(kind) ?? new Set();
      served.set(kind, known);
      for (const facility of facilities) known.add(facility);
    }
  }
  return {
    isServed: (kind, facility) => {
      const facilities = served.get(kind);
      return facilities !== undefined && (facility === '' || facilities.has(facility));
    },
    facilitiesOf: (kind) => [...(served.get(kind) ?? [])].filter((one) => one !== '').sort(),
  };
}
