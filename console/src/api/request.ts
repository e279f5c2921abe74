import { RefusedError } from './refused.ts';
import { authorizationHeader, logOut } from './session.ts';

/** One question to a server. */
export interface Question {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Of the body, where it is not plain JSON. */
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Below this path the REST services answer. */
export const restBase = '/console/rest';

/** Sends a question with the token of whoever is logged in; throws what the server said when it refuses. */
export async function send({ method = 'GET', path, body, contentType, signal }: Question): Promise<Response> {
  const answer = await fetch(path, {
    method,
    headers: {
      ...authorizationHeader(),
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: signal ?? null,
  });
  if (answer.ok) return answer;
  const message = await messageOf(answer);
  if (answer.status === 401) logOut();
  throw new RefusedError(answer.status, message);
}

/** Sends a question and reads the JSON of the answer. */
export async function ask<T>(question: Question): Promise<T> {
  const answer = await send(question);
  return (await answer.json()) as T;
}

/** Asks the REST services: conditions, inventory, plans and audit. */
export function askRest<T>(question: Question): Promise<T> {
  return ask<T>({ ...question, path: `${restBase}${question.path}` });
}

async function messageOf(answer: Response): Promise<string> {
  const text = await answer.text().catch(() => '');
  try {
    const { message, problems } = JSON.parse(text) as { message?: string; problems?: string[] };
    if (message !== undefined) return [message, ...(problems ?? [])].join(' ');
  } catch {
    // No JSON: the text is all there is.
  }
  return text.trim() === '' ? `The server answered ${answer.status}.` : text.trim().slice(0, 500);
}
