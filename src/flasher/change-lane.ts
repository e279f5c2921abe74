import type { GateLane } from '../bmc/index.ts';

/** A lane that makes its requests in another way; the rest is that of the lane. */
export function withRequest(lane: GateLane, request: GateLane['request']): GateLane {
  return {
    origin: lane.origin,
    endpoint: lane.endpoint,
    get sessionUri() {
      return lane.sessionUri;
    },
    get state() {
      return lane.state;
    },
    request,
    openEventStream: (path, signal, headers) => lane.openEventStream(path, signal, headers),
    expectOutage: () => lane.expectOutage(),
    logOut: () => lane.logOut(),
  };
}
