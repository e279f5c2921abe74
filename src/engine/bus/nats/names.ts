import { createHash } from 'node:crypto';
import { BusError } from '../errors.ts';

const plain = /^[A-Za-z0-9-]$/;
const longestToken = 80;
const keptOfLong = 40;

/**
 * One token of a subject, or part of a name in NATS, for any text. Letters, digits and hyphens stay; every other byte
 * becomes `_` and two hex digits, so that no dot, wildcard or blank gets through and different texts stay different.
 */
export function encodeToken(text: string): string {
  if (text === '') return '_';
  let token = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    const char = String.fromCharCode(byte);
    token += plain.test(char) ? char : `_${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  if (token.length <= longestToken) return token;
  // `h` is no upper-case hex digit, so a shortened token is never that of another text.
  const digest = createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 32);
  return `${token.slice(0, keptOfLong)}_h${digest}`;
}

/** What a fleet is called in NATS: its subjects, its stream, its consumers and its bucket. */
export interface NatsNames {
  /** Every subject of work. */
  readonly allWork: string;
  /** The stream that keeps work until somebody took it. */
  readonly workStream: string;
  /** The subject of one piece of work. */
  work(hint: { readonly facility: string; readonly kind: string; readonly conditionId: string }): string;
  /** All work of a facility and kind. */
  workOf(place: WorkPlace): string;
  /** The durable consumer that all workers of a facility and kind share. */
  consumer(place: WorkPlace): string;
  /** Where hints about something are told to everybody. */
  hint(about: string): string;
  readonly allHints: string;
  /** The bucket with signs of life. */
  readonly lifeBucket: string;
  /** The subject under which the bucket keeps a worker's sign of life. */
  life(workerId: string): string;
}

/** Where work is done and what is done. */
export interface WorkPlace {
  readonly facility: string;
  readonly kind: string;
}

/** The names under a prefix; fleets that share a NATS account need different ones. */
export function natsNames(prefix: string): NatsNames {
  if (!/^[A-Za-z0-9-]{1,40}$/.test(prefix)) {
    throw new BusError('badSettings', { detail: 'the prefix may have letters, digits and hyphens only, at most 40' });
  }
  const workOf = ({ facility, kind }: WorkPlace) =>
    `${prefix}.work.${encodeToken(facility)}.${encodeToken(kind)}` as const;
  const lifeBucket = `${prefix}-alive`;
  return {
    allWork: `${prefix}.work.*.*.*`,
    workStream: `${prefix}-work`,
    work: (hint) => `${workOf(hint)}.${encodeToken(hint.conditionId)}`,
    workOf: (place) => `${workOf(place)}.*`,
    // Two underscores are in no token, so different places have different consumers.
    consumer: ({ facility, kind }) => `${encodeToken(facility)}__${encodeToken(kind)}`,
    hint: (about) => `${prefix}.hint.${encodeToken(about)}`,
    allHints: `${prefix}.hint.*`,
    lifeBucket,
    life: (workerId) => `$KV.${lifeBucket}.${encodeToken(workerId)}`,
  };
}
