import type { ConnectRouter } from '@connectrpc/connect';

type Handler = ConnectRouter['handlers'][number];
type Answer = Awaited<ReturnType<Handler>>;

/**
 * Answers bytes that are no message with 400 and `invalid_argument`, as it answers text that is no JSON: Connect says
 * 500 and `internal`, for a mistake of the client.
 */
export function refuseUnreadable(routes: (router: ConnectRouter) => void): (router: ConnectRouter) => void {
  return (router) => {
    routes(router);
    for (const [at, handler] of router.handlers.entries()) {
      const answer = async (...call: Parameters<Handler>): Promise<Answer> => judged(await handler(...call));
      (router.handlers as Handler[])[at] = Object.assign(answer, handler);
    }
  };
}

async function judged(answer: Answer): Promise<Answer> {
  if (answer.status !== 500 || answer.body === undefined) return answer;
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  if (!/^\{"code":"internal","message":"parse binary: /.test(text)) return { ...answer, body: only(text) };
  const header = new Headers(answer.header);
  header.delete('content-length');
  return { ...answer, status: 400, header, body: only(text.replace('"internal"', '"invalid_argument"')) };
}

async function* only(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
