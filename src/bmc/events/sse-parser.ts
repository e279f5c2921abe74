/** One event of a stream of server-sent events. */
export interface SseEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** Cuts a stream into events, however it was cut on the way. */
export interface SseParser {
  /** The events that are complete with this piece. */
  push(piece: string): readonly SseEvent[];
  /** Milliseconds that the BMC asks to wait before connecting again. */
  readonly retryMs: number | undefined;
  /** Events that were thrown away for their size. */
  readonly dropped: number;
}

/** Makes a parser that keeps at most this many characters of an unfinished event. */
export function createSseParser(mostCharacters = 1024 * 1024): SseParser {
  let rest = '';
  let lines: string[] = [];
  let kept = 0;
  let isSkipping = false;
  let retryMs: number | undefined;
  let dropped = 0;

  const startSkipping = (): void => {
    if (!isSkipping) dropped += 1;
    isSkipping = true;
    lines = [];
    kept = 0;
  };

  const finish = (): readonly SseEvent[] => {
    const event = isSkipping ? undefined : toEvent(lines);
    lines = [];
    kept = 0;
    isSkipping = false;
    return event === undefined ? [] : [event];
  };

  const take = (line: string): readonly SseEvent[] => {
    if (line === '') return finish();
    const retry = /^retry:\s*(\d{1,8})\s*$/.exec(line)?.[1];
    if (retry !== undefined) retryMs = Number(retry);
    kept += line.length;
    if (kept > mostCharacters) startSkipping();
    if (!isSkipping) lines.push(line);
    return [];
  };

  return {
    push(piece) {
      const events: SseEvent[] = [];
      const text = rest + piece;
      // A carriage return at the very end may be half of a line end.
      const end = text.endsWith('\r') ? text.length - 1 : text.length;
      const parts = text.slice(0, end).split(/\r\n|\n|\r/);
      rest = (parts.pop() ?? '') + text.slice(end);
      for (const line of parts) events.push(...take(line));
      if (rest.length > mostCharacters) {
        startSkipping();
        rest = '';
      }
      return events;
    },
    get retryMs() {
      return retryMs;
    },
    get dropped() {
      return dropped;
    },
  };
}

function toEvent(lines: readonly string[]): SseEvent | undefined {
  const data: string[] = [];
  let id: string | undefined;
  for (const line of lines) {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'data') data.push(value);
    if (name === 'id' && !value.includes('\0') && value.length <= 256) id = value;
  }
  return data.length === 0 ? undefined : { id, data: data.join('\n') };
}
