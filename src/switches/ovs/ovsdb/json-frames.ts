const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Cuts a stream of JSON objects that nothing separates (RFC 7047 section 4) into its objects. */
export interface JsonFrames {
  /** The objects that this piece of the stream completes; throws where the stream is no JSON or an object too large. */
  push(chunk: Uint8Array): unknown[];
}

/** Starts cutting. Bytes are counted, so that a character cut in two by the network stays whole. */
export function createJsonFrames(limits: { readonly maxBytes: number }): JsonFrames {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let depth = 0;
  let isInText = false;
  let isEscaped = false;

  /** Looks at one byte; true when an object ends with it. */
  const ends = (byte: number): boolean => {
    if (isInText) {
      if (isEscaped) isEscaped = false;
      else if (byte === backslash) isEscaped = true;
      else if (byte === quote) isInText = false;
      return false;
    }
    if (byte === quote) isInText = true;
    else if (byte === openBrace) depth += 1;
    else if (byte === closeBrace) {
      depth -= 1;
      return depth === 0;
    }
    return false;
  };

  const finish = (): unknown => {
    const text = Buffer.concat(pieces).toString('utf8');
    pieces = [];
    size = 0;
    return JSON.parse(text);
  };

  return {
    push(chunk) {
      const found: unknown[] = [];
      let start = 0;
      for (let at = 0; at < chunk.length; at += 1) {
        if (!ends(chunk[at] ?? 0)) continue;
        pieces.push(chunk.subarray(start, at + 1));
        found.push(finish());
        start = at + 1;
      }
      const rest = chunk.subarray(start);
      size += rest.length;
      if (size > limits.maxBytes) throw new Error(`an object of more than ${limits.maxBytes} bytes`);
      if (rest.length > 0) pieces.push(rest);
      return found;
    },
  };
}
