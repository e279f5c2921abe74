/** What is noted on a Node while it is drained for a host: whoever goes on after us knows what was done, and by whom. */
export interface DrainNote {
  /** `namespace/name` of the host. */
  readonly host: string;
  /** True when it was us who cordoned it: only then do we uncordon it. */
  readonly isCordonedByUs: boolean;
  /** The attempt for which all pods had left; what comes to be in the way later, while it is down, does not count. */
  readonly drainedFor?: string;
}

/** The annotation of a Node that has the note. */
export const drainNote = 'hosts.rackwright.io/drained-for';

/** Reads the note of a Node; what cannot be read is none of ours. */
export function readDrainNote(text: string | undefined): DrainNote | undefined {
  if (text === undefined) return undefined;
  try {
    const read = JSON.parse(text) as Partial<DrainNote> | null;
    if (typeof read?.host !== 'string') return undefined;
    const { host, drainedFor } = read;
    const isCordonedByUs = read.isCordonedByUs === true;
    return { host, isCordonedByUs, ...(typeof drainedFor === 'string' ? { drainedFor } : {}) };
  } catch {
    return undefined;
  }
}
