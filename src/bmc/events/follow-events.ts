import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { backoffDelay, sleep } from '../../kube/index.ts';
import type { Bmc } from '../bmc.ts';
import { BmcError, type BmcErrorCode, isBmcError } from '../errors.ts';
import { linkIn } from '../redfish/index.ts';
import { type EventHint, parseEvents } from './hint.ts';
import { createSseParser } from './sse-parser.ts';

/** How a BMC's events are followed. */
export interface FollowOptions {
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly onHint: (hint: EventHint) => void;
  /** Called when the stream was cut and is open again: events may be missing, so look at everything. */
  readonly onGap?: () => void;
}

/** What a stream brought. */
export interface FollowCounts {
  hints: number;
  /** Pieces that were no events; they were passed over. */
  malformed: number;
  /** How often the stream was opened. */
  connections: number;
}

/** After these there is no use in trying again by ourselves. */
const finalCodes: readonly BmcErrorCode[] = [
  'credentials',
  'lockedOut',
  'certificate',
  'otherBmc',
  'leaseLost',
  'closed',
  'unsupported',
  'badAddress',
];
const backoff = { baseMs: 1_000, maxMs: 60_000 };
const leastPauseMs = 500;

/**
 * Follows the BMC's stream of events until the signal ends it, connecting again when it is cut, where the BMC can from
 * the last event on. Throws `unsupported` where there is no stream, and what nobody but a person can mend.
 */
export async function followEvents(bmc: Bmc, options: FollowOptions): Promise<FollowCounts> {
  const { signal } = options;
  const counts: FollowCounts = { hints: 0, malformed: 0, connections: 0 };
  const place = { path: await readStreamPath(bmc), lastEventId: undefined as string | undefined };
  let failures = 0;
  let askedMs = 0;
  while (!signal.aborted) {
    try {
      const headers = place.lastEventId === undefined ? {} : { 'Last-Event-ID': place.lastEventId };
      const stream = await bmc.gate.openEventStream(place.path, signal, headers);
      counts.connections += 1;
      if (counts.connections > 1) options.onGap?.();
      const read = await readStream(stream, { ...options, counts, onId: (id) => (place.lastEventId = id) });
      askedMs = Math.min(read.retryMs ?? 0, backoff.maxMs);
      // A stream that brought something was a good one.
      failures = read.events > 0 ? 0 : failures + 1;
    } catch (error) {
      if (signal.aborted || isBmcError(error, 'cancelled')) break;
      if (!isBmcError(error) || isBmcError(error, ...finalCodes)) throw error;
      failures += 1;
    }
    const pause = Math.max(leastPauseMs, askedMs, backoffDelay(backoff, failures, bmc.random));
    await sleep(bmc.clock, pause, signal);
  }
  return counts;
}

/** Where the stream is. */
async function readStreamPath(bmc: Bmc): Promise<string> {
  const { eventService } = await bmc.root();
  const body = eventService === undefined ? {} : (await bmc.gate.request({ method: 'GET', path: eventService })).body;
  const path = linkIn(body, 'ServerSentEventUri');
  if (path !== undefined) return path;
  const detail = 'its event service has no ServerSentEventUri';
  throw new BmcError('unsupported', { origin: bmc.gate.origin, what: 'stream events', detail });
}

async function readStream(
  stream: Readable,
  how: FollowOptions & { readonly counts: FollowCounts; readonly onId: (id: string) => void },
): Promise<{ readonly events: number; readonly retryMs: number | undefined }> {
  const parser = createSseParser();
  const decoder = new StringDecoder('utf8');
  let events = 0;
  let dropped = 0;
  for await (const chunk of pieces(stream)) {
    for (const event of parser.push(decoder.write(chunk))) {
      events += 1;
      take(event.data, how);
      if (event.id !== undefined) how.onId(event.id);
    }
    how.counts.malformed += parser.dropped - dropped;
    dropped = parser.dropped;
  }
  return { events, retryMs: parser.retryMs };
}

/** What comes down a stream until it ends or is cut, by the BMC or by our signal: the caller knows which. */
async function* pieces(stream: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield Buffer.from(chunk);
  } catch {
    // A cut is the usual end; the number of connections tells of it.
  } finally {
    stream.destroy();
  }
}

function take(data: string, how: FollowOptions & { readonly counts: FollowCounts }): void {
  const { hints, malformed } = parseEvents(toJson(data));
  how.counts.malformed += malformed;
  for (const hint of hints) {
    how.counts.hints += 1;
    how.onHint(hint);
  }
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Counted as malformed by whoever looks at it.
    return undefined;
  }
}
