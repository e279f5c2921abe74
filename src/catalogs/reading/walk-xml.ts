import { SaxesParser } from 'saxes';
import { CatalogError } from '../errors.ts';
import { type ReadContext, refusal } from './context.ts';

/** Who wants to know what is in an XML file. */
export interface XmlListener {
  /** An element begins; its name is without prefix. */
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  /** An element ends, with the text right before that. */
  close(name: string, text: string): void;
}

/**
 * Reads XML piece by piece and tells what is in it. Document types are refused, and with them entities; depth and the
 * size of a tag or text are bounded, so that memory does not depend on the size of the file.
 */
export async function walkXml(text: AsyncIterable<string>, listener: XmlListener, context: ReadContext): Promise<void> {
  const walk = createWalk(listener, context);
  for await (const chunk of text) walk.write(chunk);
  walk.end();
}

function createWalk(listener: XmlListener, context: ReadContext) {
  const { maxDepth, maxPieceBytes } = context.limits;
  const parser = new SaxesParser<{ xmlns: false }>({ xmlns: false });
  let depth = 0;
  let piece = '';
  let heardAt = 0;
  const heard = (): void => {
    heardAt = parser.position;
  };
  parser.on('doctype', () => {
    throw refusal(context, 'hostile', { detail: 'it has a document type, with which entities could be declared' });
  });
  parser.on('text', (more) => {
    piece += more;
    heard();
  });
  parser.on('cdata', (more) => {
    piece += more;
    heard();
  });
  parser.on('comment', heard);
  parser.on('processinginstruction', heard);
  parser.on('opentag', ({ name, attributes }) => {
    heard();
    piece = '';
    depth += 1;
    if (depth > maxDepth) throw refusal(context, 'tooLarge', { limit: `${maxDepth} elements in each other` });
    listener.open(bare(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    heard();
    depth -= 1;
    listener.close(bare(name), piece);
    piece = '';
  });
  // Errors are thrown where they are found, since no handler is set for them.
  const guard = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (error instanceof CatalogError) throw error;
      throw wrong(error, context, depth);
    }
  };
  return {
    write(chunk: string) {
      guard(() => parser.write(chunk));
      if (parser.position - heardAt > maxPieceBytes || piece.length > maxPieceBytes) {
        throw refusal(context, 'tooLarge', { limit: `${maxPieceBytes} characters in one tag or text` });
      }
    },
    end() {
      if (depth > 0) throw refusal(context, 'truncated', { detail: `${depth} elements are not closed` });
      guard(() => parser.close());
    },
  };
}

function wrong(error: unknown, context: ReadContext, depth: number): CatalogError {
  const detail = error instanceof Error ? error.message : String(error);
  // The parser says so when a tag or comment is cut in its middle.
  if (depth === 0 && /unexpected end|document must contain a root element/.test(detail)) {
    return refusal(context, 'truncated', { detail }, error);
  }
  return refusal(context, 'malformed', { detail }, error);
}

function bare(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
