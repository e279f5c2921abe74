import { createHash } from 'node:crypto';
import { type Instant, takeStep, type Wake } from '../../kube/index.ts';
import type { Inertness } from '../fleet/fleet.ts';
import type { BmcReading, SystemReading } from '../ports.ts';
import type { FirmwareSettings } from '../settings.ts';
import { growingWaitMs, textOfMoment } from '../times.ts';
import { type BmcPhase, bmcTable } from './bmc-table.ts';

/** A reading that is remembered. */
export interface RememberedReading {
  readonly at: Instant;
  /** Which address and credentials it was made with. */
  readonly access: string;
  readonly reading: BmcReading;
  /** Failures in a row, this one included. */
  readonly failures: number;
  /** What was behind it by the good reading before this one; undefined when there was none. */
  readonly before?: readonly SystemReading[] | undefined;
}

/** What tells how reading a BMC goes on. */
export interface ReadingSeen {
  /** Where it was left; undefined at the beginning. */
  readonly phase: BmcPhase | undefined;
  /** Names address and credentials; another one is another thing to read. */
  readonly access: string;
  /** Why it cannot be read or should not be. */
  readonly obstacle: Inertness | undefined;
  readonly remembered: RememberedReading | undefined;
  /** True when what was read is to be read once more soon, before it is believed. */
  readonly isDoubtful?: boolean;
  readonly settings: FirmwareSettings;
}

/** How reading a BMC goes on. */
export interface ReadingCourse {
  readonly phase: BmcPhase;
  /** True when it is to be read now. */
  readonly isReading: boolean;
  /** What was last read with the same address and credentials. */
  readonly current: RememberedReading | undefined;
  readonly nextAt: Instant | undefined;
  readonly wake: Wake;
}

/** Works out whether a BMC is to be read, and when it is looked at again. Pure. */
export function courseOf(seen: ReadingSeen, now: Instant): ReadingCourse {
  const { remembered, obstacle } = seen;
  const current = remembered?.access === seen.access ? remembered : undefined;
  const nextAt = current === undefined ? undefined : nextReadAt(current, seen, now);
  const facts = {
    access: obstacle === undefined ? 'usable' : 'unusable',
    reading: current === undefined ? 'none' : current.reading.kind === 'read' ? 'good' : 'failed',
    due: nextAt !== undefined && nextAt <= now,
  } as const;
  const { phase, isReading } = settle(seen.phase ?? bmcTable.initial, facts, now);
  const isResting = isReading || obstacle !== undefined || nextAt === undefined;
  const wake: Wake = isResting ? { on: 'change' } : { after: Math.max(1, nextAt - now) };
  return { phase, isReading, current, nextAt, wake };
}

function settle(
  from: BmcPhase,
  facts: Parameters<typeof takeStep<BmcPhase, typeof bmcTable.facts, 'read'>>[2],
  now: Instant,
): { readonly phase: BmcPhase; readonly isReading: boolean } {
  let state = from;
  for (let steps = 0; steps < 4; steps++) {
    const { position, actions } = takeStep(bmcTable, { state, since: now }, facts, now);
    if (actions.length > 0) return { phase: position.state, isReading: true };
    if (position.state === state) break;
    state = position.state;
  }
  return { phase: state, isReading: false };
}

function nextReadAt(
  { at, reading, failures }: RememberedReading,
  { settings, isDoubtful }: ReadingSeen,
  now: Instant,
): Instant {
  // The clock was wrong when it was read, and was set back since: that time may never come again.
  if (at > now + settings.bmcRetryFromMs) return now;
  if (reading.kind === 'read') return at + (isDoubtful === true ? settings.bmcRetryFromMs : settings.bmcIntervalMs);
  const wait = growingWaitMs(failures, { fromMs: settings.bmcRetryFromMs, toMs: settings.bmcRetryToMs });
  return Math.max(at + wait, reading.until ?? 0);
}

/** Why nothing good was read, in words. */
export function describeCourse({ current, nextAt }: ReadingCourse, obstacle: Inertness | undefined): Inertness {
  if (obstacle !== undefined) return obstacle;
  if (current === undefined) return { code: 'NotRead', message: 'it is being read' };
  if (current.reading.kind === 'read') return { code: 'Read', message: 'it was read' };
  const again = nextAt === undefined ? '' : ` It is read again at ${textOfMoment(nextAt)}.`;
  return { code: current.reading.code, message: `${current.reading.message}.${again}` };
}

/** Remembers one more reading. */
export function rememberReading(
  before: RememberedReading | undefined,
  { access, reading, at }: Pick<RememberedReading, 'access' | 'reading' | 'at'>,
): RememberedReading {
  const failures = reading.kind === 'read' ? 0 : (before?.access === access ? before.failures : 0) + 1;
  const last = before?.access === access ? before : undefined;
  return { at, access, reading, failures, before: last?.reading.kind === 'read' ? last.reading.systems : last?.before };
}

/** One failure says nothing yet of the servers behind a BMC: it may be restarting. */
const leastFailures = 2;

/** True when it is no passing trouble that a BMC cannot be read. */
export function isLastingFailure({ current }: ReadingCourse): boolean {
  return current?.reading.kind === 'failed' && current.failures >= leastFailures;
}

const fullTurnEvery = 24;

/**
 * True when it is the turn of a BMC to be read with all that takes many requests: in one of so many intervals. Which one
 * depends on its name, so that a fleet is not read in full at once, and on the clock, so that no restart puts it off.
 */
export function isFullTurn(name: string, { settings, now }: { settings: FirmwareSettings; now: Instant }): boolean {
  const offset = createHash('sha256').update(name).digest().readUInt16BE();
  return (Math.floor(now / settings.bmcIntervalMs) + offset) % fullTurnEvery === 0;
}
