import type { Bmc } from '../bmc.ts';
import { BmcError, type BmcErrorCode, isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';

/** Something that could not be read, and why. */
export interface Gap {
  readonly path: string;
  readonly reason: string;
  /** The BMC was busy or away: read again, it may be there. */
  readonly mayPass?: boolean;
}

/** Errors after which nothing else can be read either: going on would only do harm, or take for ever. */
const finalCodes: readonly BmcErrorCode[] = [
  'credentials',
  'lockedOut',
  'leaseLost',
  'certificate',
  'otherBmc',
  'sessionsExhausted',
  'cancelled',
  'closed',
  'badAddress',
];

/** Errors that may be of one resource or of the whole BMC. */
const wearingCodes: readonly BmcErrorCode[] = ['unreachable', 'timeout', 'busy'];
const mostWearing = 3;

/**
 * Reads resource by resource and goes on past those that fail: they become gaps. A BMC that does not answer three times
 * in a row is given up.
 */
export interface Reading {
  readonly bmc: Bmc;
  readonly gaps: readonly Gap[];
  /** The body of a resource; throws when it cannot be read. */
  fetch(path: string): Promise<JsonObject>;
  /** The body of a resource; undefined when it could not be read. */
  get(path: string): Promise<JsonObject | undefined>;
  /** Notes an error as a gap, or throws it when there is no use in going on. */
  note(path: string, error: unknown): void;
  addGap(gap: Gap): void;
}

/** How a reading goes. */
export interface ReadingOptions {
  readonly signal?: AbortSignal;
  /** For each request. */
  readonly deadlineMs?: number;
}

/** Begins a reading. */
export function beginReading(bmc: Bmc, options: ReadingOptions = {}): Reading {
  const gaps: Gap[] = [];
  let wearing = 0;
  const reading: Reading = {
    bmc,
    gaps,
    addGap: (gap) => void gaps.push(gap),
    async fetch(path) {
      const { body } = await bmc.gate.request({ method: 'GET', path, ...options });
      wearing = 0;
      return body;
    },
    async get(path) {
      try {
        return await reading.fetch(path);
      } catch (error) {
        reading.note(path, error);
        return undefined;
      }
    },
    note(path, error) {
      if (!(error instanceof BmcError) || finalCodes.includes(error.code)) throw error;
      const mayPass = isBmcError(error, ...wearingCodes);
      wearing = mayPass ? wearing + 1 : 0;
      if (wearing >= mostWearing) throw error;
      gaps.push({ path, reason: error.message, ...(mayPass ? { mayPass } : {}) });
    },
  };
  return reading;
}
