import { type ReadContext, refusal } from './context.ts';
import { type Bytes, peek } from './unpack.ts';

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/**
 * Turns bytes into text. What the bytes look like counts and not what the text says of itself: Dell's catalogue comes in
 * UTF-16, and copies of it in UTF-8 still say UTF-16. Bytes that are no text are refused.
 */
export async function* decode(bytes: Bytes, context: ReadContext): AsyncGenerator<string> {
  const [start, all] = await peek(bytes, 4);
  const encoding = encodingOf(start);
  const decoder = new TextDecoder(encoding, { fatal: true });
  let at = 0;
  const text = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch (error) {
      if (chunk === undefined)
        throw refusal(context, 'truncated', { detail: 'its last character is not whole' }, error);
      throw refusal(context, 'malformed', { detail: `it is no ${encoding} near byte ${at}` }, error);
    }
  };
  for await (const chunk of all) {
    yield text(chunk);
    at += chunk.length;
  }
  const rest = text();
  if (rest !== '') yield rest;
}

function encodingOf(start: Uint8Array): Encoding {
  const [a, b] = start;
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  // Without a mark: a markup or JSON character and a zero.
  if (a !== 0 && b === 0) return 'utf-16le';
  if (a === 0 && b !== 0 && b !== undefined) return 'utf-16be';
  return 'utf-8';
}
