/** Who is logged in. The token itself never leaves this module but in the header of a request. */
export interface Session {
  readonly userName: string;
  readonly groups: readonly string[];
}

interface Stored {
  readonly token: string;
  readonly session: Session;
}

const key = 'rackwright-session';
const listeners = new Set<() => void>();
let current: Stored | undefined = readStored();

function readStored(): Stored | undefined {
  try {
    const text = sessionStorage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as Stored);
  } catch {
    // Storage that is switched off or broken means logging in again, no more.
    return undefined;
  }
}

/** Who is logged in; undefined when nobody is. */
export function currentSession(): Session | undefined {
  return current?.session;
}

/** The header that proves who asks. */
export function authorizationHeader(): Record<string, string> {
  return current === undefined ? {} : { authorization: `Bearer ${current.token}` };
}

/** Told when somebody logs in or out. */
export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Forgets the token. */
export function logOut(): void {
  setStored(undefined);
}

/** Asks the server whose token it is, and keeps it for as long as this tab is open. */
export async function logIn(token: string): Promise<Session> {
  const trimmed = token.trim();
  if (!/^[\x21-\x7e]+$/.test(trimmed)) throw new Error('A token is one word of plain characters.');
  const answer = await fetch('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    method: 'POST',
    headers: { authorization: `Bearer ${trimmed}`, 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
  });
  if (answer.status === 401) throw new Error('The server does not know this token. It may have expired.');
  if (!answer.ok) throw new Error(`The server answered ${answer.status} to the question whose token this is.`);
  const review = (await answer.json()) as { status?: { userInfo?: { username?: string; groups?: string[] } } };
  const { username = '', groups = [] } = review.status?.userInfo ?? {};
  if (username === '' || username === 'system:anonymous') throw new Error('The server does not know this token.');
  const session = { userName: username, groups };
  setStored({ token: trimmed, session });
  return session;
}

function setStored(stored: Stored | undefined): void {
  current = stored;
  if (stored === undefined) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, JSON.stringify(stored));
  for (const listener of [...listeners]) listener();
}
