import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExtraAnswer, ExtraRoute } from '../../apiserver/index.ts';

const maxBodyBytes = 1024 * 1024;

/**
 * Answers one of these paths beside an API server that is not ours; false when it is none of them. Nobody judges the path
 * itself here: routes act with the token of whoever asks, so that they learn what they could have read themselves.
 */
export function answerExtraPath(
  routes: readonly ExtraRoute[],
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  // Not by the parser of URLs, which throws for some of what clients may send, such as `//%00/`.
  const [target = '', ...query] = (request.url ?? '/').split('?');
  const route = routes.find(({ path, method }) => path === target && method === request.method);
  if (route === undefined) return false;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { authorization } = request.headers;
  readJson(request)
    .then((body) =>
      body === tooLarge
        ? ({ code: 413, message: `a body may have ${maxBodyBytes} bytes` } as const)
        : route.answer({ query: new URLSearchParams(query.join('?')), body, authorization, signal: gone.signal }),
    )
    .then((answer) => send(response, answer))
    .catch((error: unknown) => {
      if (error instanceof SyntaxError)
        send(response, { code: 400, message: `the body is not JSON: ${error.message}` });
      else send(response, { code: 502, message: error instanceof Error ? error.message : String(error) });
    });
  return true;
}

const tooLarge = Symbol('a body that is too large');

async function readJson(request: IncomingMessage): Promise<unknown> {
  if (request.method === 'GET') return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) return tooLarge;
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

function send(response: ServerResponse, answer: ExtraAnswer): void {
  if (response.destroyed) return;
  const body =
    'message' in answer
      ? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: answer.code, message: answer.message }
      : answer.body;
  const text = JSON.stringify(body);
  response
    .writeHead(answer.code, {
      'Cache-Control': 'no-store',
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
    })
    .end(text);
}
