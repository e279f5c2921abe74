import { JSONParser, TokenType } from '@streamparser/json';
import { CatalogError } from '../errors.ts';
import { type ReadContext, refusal } from './context.ts';

/** Who wants to know what is in a JSON file. */
export interface JsonListener {
  /** Which values are told of, as in `$.firmware.*`; all others are read over. Never all of them: `$` holds everything. */
  readonly paths: readonly string[];
  value(path: readonly (string | number)[], value: unknown): void;
  /** Told of each member of the whole, whatever its name is, before what is in it. */
  member?(name: string, kind: MemberKind): void;
}

/** What a member is; of lists and objects nothing more is known when they begin. */
export type MemberKind = 'list' | 'object' | 'plain';

/**
 * Reads JSON piece by piece and tells of some of its values. Depth and the size of a value are bounded, so that memory
 * does not depend on the size of the file.
 */
export async function walkJson(
  text: AsyncIterable<string>,
  listener: JsonListener,
  context: ReadContext,
): Promise<void> {
  const walk = createWalk(listener, context);
  for await (const chunk of text) walk.write(chunk);
  walk.end();
}

function createWalk({ paths, value: tell, member }: JsonListener, context: ReadContext) {
  const { maxDepth, maxPieceBytes } = context.limits;
  const parser = new JSONParser({ paths: [...paths], keepStack: false });
  let depth = 0;
  let written = 0;
  // Where the last value ended, or the last token outside of all values that are told of.
  let freeAt = 0;
  let name = '';
  let isAtValue = false;
  const takeMember = (token: TokenType, value: unknown): void => {
    if (isAtValue) member?.(name, kinds.get(token) ?? 'plain');
    else if (token === TokenType.STRING) name = String(value);
    isAtValue = token === TokenType.COLON;
  };
  parser.onToken = ({ token, value, offset }) => {
    if (depth === 0 && token !== TokenType.LEFT_BRACE)
      throw refusal(context, 'malformed', { detail: 'it is no object' });
    if (depth === 1) takeMember(token, value);
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) depth += 1;
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth -= 1;
    if (depth > maxDepth) throw refusal(context, 'tooLarge', { limit: `${maxDepth} values in each other` });
    if (depth <= 1) freeAt = offset;
  };
  parser.onValue = ({ value, key, stack }) => {
    const path = [...stack.slice(1).map((each) => each.key), key].filter((each) => each !== undefined);
    tell(path, value);
    freeAt = written;
  };
  const guard = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (error instanceof CatalogError) throw error;
      throw refusal(context, 'malformed', { detail: told(error) }, error);
    }
  };
  return {
    write(chunk: string) {
      written += Buffer.byteLength(chunk);
      if (parser.isEnded) {
        if (chunk.trim() === '') return;
        throw refusal(context, 'malformed', { detail: 'something comes after its end' });
      }
      guard(() => parser.write(chunk));
      if (written - freeAt > maxPieceBytes) {
        throw refusal(context, 'tooLarge', { limit: `${maxPieceBytes} bytes in one value` });
      }
    },
    end() {
      if (parser.isEnded) return;
      const detail = written === 0 ? 'it is empty' : `${depth} values are not closed`;
      throw refusal(context, 'truncated', { detail });
    },
  };
}

const kinds: ReadonlyMap<TokenType, MemberKind> = new Map([
  [TokenType.LEFT_BRACKET, 'list'],
  [TokenType.LEFT_BRACE, 'object'],
]);

function told(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
