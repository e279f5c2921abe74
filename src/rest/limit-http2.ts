import { constants, type Http2SecureServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';

/** How long clients of HTTP/2 may take. */
export interface Http2Limits {
  /** Until all of a request is here. */
  readonly requestMs: number;
  /** No request on a connection. */
  readonly idleMs: number;
  /** Nothing sent and nothing taken on a stream; 0 for no limit. */
  readonly silentMs: number;
}

/** What a server of HTTP/2 offers its clients. */
export const http2Settings = { settings: { maxConcurrentStreams: 100 } };

/** How long a client may take to read that its connection ends. */
const farewellMs = 1000;

/**
 * Gives connections of HTTP/2 the limits that those of HTTP/1.1 have by themselves: a request has to come in time, a stream may
 * not stand still, and a connection without requests is ended. Who answers may lift the second for its stream.
 */
export function limitHttp2(server: Http2Server | Http2SecureServer, limits: Http2Limits): void {
  // First: who answers may lift a limit as soon as it hears of the request.
  server.prependListener('stream', (stream: ServerHttp2Stream) => limitStream(stream, limits));
  server.on('session', (session) => {
    let streams = 0;
    let callOff = (): void => {};
    const rest = (): void => {
      callOff = onceSilent(limits.idleMs, () => {
        if (session.destroyed) return;
        // A request that comes just now is known not to have been looked at.
        session.goaway();
        callOff = onceSilent(farewellMs, () => session.destroy());
      });
    };
    session.on('stream', (stream) => {
      callOff();
      streams += 1;
      stream.once('close', () => {
        streams -= 1;
        if (streams === 0 && !session.destroyed) rest();
      });
    });
    session.once('close', () => callOff());
    rest();
  });
}

function limitStream(stream: ServerHttp2Stream, { requestMs, silentMs }: Http2Limits): void {
  const giveUp = (): void => stream.close(constants.NGHTTP2_CANCEL);
  if (silentMs > 0) stream.setTimeout(silentMs, giveUp);
  if (stream.endAfterHeaders) return;
  const here = onceSilent(requestMs, giveUp);
  stream.once('end', here);
  stream.once('close', here);
}

/**
 * Acts when the time is over, unless it is called off with what this returns. After a machine stood still all timers are due before
 * anybody was heard, so what has come meanwhile is read first.
 */
function onceSilent(ms: number, act: () => void): () => void {
  let turn: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    turn = setImmediate(act);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}
