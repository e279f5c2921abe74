import type { SwitchPort } from '../../api/index.ts';
import type { Clock, Instant } from '../../kube/index.ts';
import {
  areSameSettings,
  cleanSettings,
  type PortSettings,
  type PortState,
  type SwitchResult,
} from '../../switches/index.ts';
import { isAboutTheSwitch } from '../errors.ts';
import { objectKey } from '../fabric/references.ts';
import { isSameUnit } from '../fabric/unit.ts';
import { type PortMemory, settledAt, type UnsettledChange } from '../port/port-seen.ts';
import type { PortCall } from './lane.ts';
import type { SwitchBook } from './switch-book.ts';

/** What is to be done for a port, and what for. */
export interface PortWork {
  /** Namespace and name of the SwitchPort. */
  readonly port: string;
  /** Namespace and name of its Switch. */
  readonly owner: string;
  readonly call: PortCall;
  readonly goal: string;
}

/** What is known of ports besides their objects, and what is being done to them. */
export interface PortBook {
  memoryOf(port: SwitchPort): PortMemory;
  /** Begins something and returns at once, so that a slow switch holds up nobody else; the port is woken when it ends. */
  begin(work: PortWork): void;
  /** What failed before is over: the port is as it should be. */
  resolve(port: string): void;
  /** What was read of a port may be out of date. */
  doubt(port: string): void;
  forget(port: string): void;
}

/** What the book is made with. */
export interface PortBookOptions {
  readonly switches: SwitchBook;
  readonly clock: Clock;
  readonly settleMs: number;
  readonly wake: (port: string) => void;
}

const nothing: PortMemory = {};

/** Makes the book. */
export function createPortBook({ switches, clock, settleMs, wake }: PortBookOptions): PortBook {
  const startedAt = clock.now();
  const memories = new Map<string, PortMemory>();
  const end = (work: EndedWork & PortWork, result: SwitchResult<PortState>): void => {
    const before = memories.get(work.port);
    // The port is gone: whatever came of it concerns nobody.
    if (before === undefined) return;
    memories.set(work.port, memoryAfter(before, work, { result, now: clock.now() }));
    if (result.kind !== 'done' && isAboutTheSwitch(result)) switches.doubt(work.owner);
    wake(work.port);
  };
  return {
    memoryOf(port) {
      const key = objectKey(port);
      const known = memories.get(key) ?? firstMemoryOf(port, startedAt);
      memories.set(key, known);
      return known;
    },
    begin(work) {
      const before = memories.get(work.port) ?? nothing;
      if (before.work !== undefined) return;
      const lane = switches.laneOf(work.owner);
      const standing = switches.standingOf(work.owner);
      // Another switch may have taken its place since: whoever waits is woken when that has answered.
      if (lane === undefined || standing.kind !== 'ready') return;
      const { unit } = standing;
      const now = clock.now();
      const isSettled = before.unsettled === undefined || settledAt(before.unsettled, standing, settleMs) <= now;
      memories.set(work.port, { ...before, work: { kind: work.call.kind, since: now } });
      lane.ask(work.call).then(
        (result) => end({ ...work, unit, isSettled }, result),
        (error: unknown) => {
          const message = error instanceof Error ? error.message : String(error);
          end({ ...work, unit, isSettled }, { kind: 'uncertain', message });
        },
      );
    },
    resolve(port) {
      const { failure: _, ...rest } = memories.get(port) ?? nothing;
      memories.set(port, rest);
    },
    doubt(port) {
      const before = memories.get(port);
      if (before === undefined) return;
      // Our own change is read back anyway; a reading that has begun may have missed what changed since.
      if (before.work?.kind === 'read') memories.set(port, { ...before, work: { ...before.work, isStale: true } });
      if (before.reading === undefined || before.work !== undefined) return;
      memories.set(port, { ...before, reading: { ...before.reading, isStale: true } });
      wake(port);
    },
    forget: (port) => void memories.delete(port),
  };
}

/** A process that was in the middle of a change may have left it under way; the status says when it was. */
function firstMemoryOf({ status }: SwitchPort, startedAt: Instant): PortMemory {
  const isChanging = status?.state === 'Configuring' || status?.state === 'Cleaning';
  return isChanging ? { unsettled: { at: startedAt, wanted: undefined } } : nothing;
}

/** A call that ended. */
export interface EndedWork extends Pick<PortWork, 'call' | 'goal'> {
  readonly unit: string;
  /** It began after every earlier change had ended. */
  readonly isSettled: boolean;
}

interface WorkResult {
  readonly result: SwitchResult<PortState>;
  readonly now: Instant;
}

/** What is known once something has ended. */
export function memoryAfter(before: PortMemory, work: EndedWork, { result, now }: WorkResult): PortMemory {
  const { call, goal, unit } = work;
  const later = unsettledAfter(before, work, { result, now });
  const unsettled = later === undefined ? {} : { unsettled: later };
  if (result.kind === 'done') {
    // A port that can be read still has not taken the change that it refused.
    const isOpenStill = call.kind === 'read' && before.failure !== undefined && before.failure.call !== 'read';
    const failure = isOpenStill ? { failure: before.failure } : {};
    const isStale = before.work?.isStale === true ? { isStale: true } : {};
    const reading = { at: now, state: result.value, ...isStale };
    return { reading, applied: appliedAfter(before, work), unit, ...failure, ...unsettled };
  }
  const isSame = before.failure?.goal === goal && before.failure.call === call.kind;
  const attempts = isSame ? (before.failure?.attempts ?? 0) + 1 : 1;
  const failure = { at: now, call: call.kind, goal, attempts, failure: result };
  if (result.kind === 'mismatch') return { reading: { at: now, state: result.seen }, failure, unit, ...unsettled };
  // After a change that may or may not have been made nothing that was read before counts.
  const isStillTrue = call.kind === 'read' || result.kind === 'unsupported';
  return isStillTrue ? { ...before, work: undefined, failure } : { failure, ...unsettled };
}

function wantedBy(call: PortCall): PortSettings | undefined {
  if (call.kind === 'apply') return call.wanted;
  return call.kind === 'clear' ? cleanSettings(call.parkingVlan) : undefined;
}

/** What was last set with success; a change that ended after that may have set something else. */
function appliedAfter(before: PortMemory, { call, unit, isSettled }: EndedWork): PortSettings | undefined {
  const wanted = wantedBy(call);
  if (wanted !== undefined) return wanted;
  const isOvertaken = isSettled && before.unsettled !== undefined;
  return isSameUnit(before.unit, unit) && !isOvertaken ? before.applied : undefined;
}

/** The change that may still be carried out once a call has ended. */
function unsettledAfter(
  { unsettled }: PortMemory,
  { call, isSettled }: EndedWork,
  { result, now }: WorkResult,
): UnsettledChange | undefined {
  const wanted = wantedBy(call);
  // A switch that said yes and shows something else may be about to do it.
  const isUnsettled = wanted !== undefined && (result.kind === 'uncertain' || result.kind === 'mismatch');
  const left = isSettled && (result.kind === 'done' || isUnsettled) ? undefined : unsettled;
  if (!isUnsettled) return left;
  return { at: now, wanted: left === undefined || areSameSettings(left.wanted, wanted) ? wanted : undefined };
}
