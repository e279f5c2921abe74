import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestWork } from './heavy/heavy-work.ts';
import type { MediaChoice } from './http/media.ts';
import type { RequestInfo } from './http/request-info.ts';
import type { UserInfo } from './resource.ts';

/** One request on its way through the server. */
export interface RequestContext {
  readonly info: RequestInfo;
  readonly user: UserInfo;
  readonly media: MediaChoice;
  readonly now: Date;
  /** What the client asked for, as the handler understood it: the audit log says the same. */
  readonly asked: { isDryRun: boolean };
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Throws 403 unless the user may also do this to the same object: a PUT or apply that creates needs `create`. */
  demand(verb: string): void;
  /** Lets the next request be worked on: for what goes on for as long as its client likes. */
  giveWay(): void;
  /** What may take long: reading the body, working on large objects. */
  readonly work: RequestWork;
  /** Texts for `Warning:` headers, in order, without duplicates. */
  readonly warnings: Set<string>;
}

/** What a handler answers with. `json` is already text, so that stored objects are never parsed to be served. */
export interface Answer {
  readonly code: number;
  readonly json: string;
}
