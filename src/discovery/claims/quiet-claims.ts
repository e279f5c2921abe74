import type { Clock, Informer } from '../../kube/index.ts';
import type { ClaimObject } from './claim.ts';

/** Says how long claims have been seen not to change, by the clock of this process. */
export interface QuietClaims {
  quietForMs(claim: ClaimObject): number;
  close(): void;
}

/** Watches claims. One that the cache holds in another version, or not at all, was not quiet. */
export function watchQuietClaims(claims: Informer<ClaimObject>, clock: Clock): QuietClaims {
  const since = new Map<string, { readonly version: string | undefined; readonly atMs: number }>();
  const leave = claims.onChange((key, { current }) => {
    const version = current?.metadata.resourceVersion;
    if (current === undefined) since.delete(key);
    else if (since.get(key)?.version !== version) since.set(key, { version, atMs: clock.monotonic() });
  });
  return {
    quietForMs({ metadata }) {
      const seen = since.get(`${metadata.namespace}/${metadata.name}`);
      if (seen === undefined || seen.version !== metadata.resourceVersion) return 0;
      return clock.monotonic() - seen.atMs;
    },
    close: leave,
  };
}
