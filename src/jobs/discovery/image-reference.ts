const prefix = 'discovery/';

/** Under which reference a discovery holds images in the store: each run under its own, so that none takes away another's. */
export function imageReference(conditionId: string): string {
  return `${prefix}${conditionId}`;
}

/** The discovery that holds an image under a reference; undefined where somebody else does. */
export function readImageReference(reference: string): string | undefined {
  return reference.startsWith(prefix) ? reference.slice(prefix.length) : undefined;
}
