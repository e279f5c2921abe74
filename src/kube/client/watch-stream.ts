import { KubeError, type KubeStatus, kubeError } from '../errors.ts';
import type { KubeObject } from '../object.ts';

/** One event of a watch. A bookmark's object carries a resourceVersion and nothing else of use. */
export interface WatchEvent<T extends KubeObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

/** More than any object the API stores, so that a stream without line ends cannot eat the memory. */
const maxLineBytes = 16 * 1024 * 1024;
const newline = 10;

/** Splits bytes into lines; a last line without an end is given too. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  const take = (last: Uint8Array): string => {
    const whole = pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
    pieces = [];
    size = 0;
    return Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString('utf8');
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      yield take(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start === chunk.length) continue;
    pieces.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > maxLineBytes) throw kubeError('MalformedAnswer', `a watch event is larger than ${maxLineBytes} bytes`);
  }
  if (size > 0) yield take(new Uint8Array(0));
}

/** Decodes the events of a watch. Throws a KubeError on an ERROR event, on a broken line and on an unknown type. */
export async function* readWatchEvents<T extends KubeObject>(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  for await (const line of readLines(chunks)) {
    if (line.trim() === '') continue;
    yield decodeEvent<T>(line);
  }
}

function decodeEvent<T extends KubeObject>(line: string): WatchEvent<T> {
  let event: { type?: unknown; object?: unknown } | null;
  try {
    event = JSON.parse(line) as typeof event;
  } catch (cause) {
    throw kubeError('MalformedAnswer', 'a watch sent a line that is not JSON, or ended inside one', cause);
  }
  if (typeof event?.object !== 'object' || event.object === null) {
    throw kubeError('MalformedAnswer', 'a watch sent an event without an object');
  }
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      return { type: event.type, object: event.object as T };
    case 'ERROR':
      throw new KubeError(event.object as KubeStatus);
    default:
      throw kubeError('MalformedAnswer', `a watch sent an event of the unknown type "${String(event.type)}"`);
  }
}
