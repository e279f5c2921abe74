import { ApiError } from '../status.ts';

/** Why a request or a connection was sent away; the label of the metric that counts them. */
export type Rejection =
  | 'queue-full'
  | 'time-out'
  | 'body-bytes'
  | 'too-many-watches'
  | 'heavy-work'
  | 'connections'
  | 'connections-per-address';

/** Clients that are told to wait come back after this long. */
const retryAfterSeconds = 1;
/** However much longer it would take: they may have given up by then. */
const longestRetrySeconds = 60;

const causes: Readonly<Record<Exclude<Rejection, 'connections' | 'connections-per-address'>, string>> = {
  'queue-full': 'too many requests wait already',
  'time-out': 'the request waited for its turn for too long',
  'body-bytes': 'the bodies of the requests that wait take too much memory already',
  'too-many-watches': 'this user has too many watches open',
  'heavy-work': 'this user has sent more than its share of large objects',
};

/** 429: the server has more to do than it can; the request was not looked at, and may be sent again. */
export class Overloaded extends ApiError {
  readonly why: keyof typeof causes;

  constructor(why: keyof typeof causes, seconds = retryAfterSeconds) {
    super({
      code: 429,
      reason: 'TooManyRequests',
      message: `Too many requests, please try again later: ${causes[why]}`,
      details: { retryAfterSeconds: Math.min(seconds, longestRetrySeconds) },
    });
    this.why = why;
  }
}
