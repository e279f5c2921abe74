import type { Clock } from '../../kube/index.ts';
import type { PortState, SwitchResult } from '../../switches/index.ts';
import { isAboutTheSwitch } from '../errors.ts';
import { isSameUnit } from '../fabric/unit.ts';
import type { PortMemory } from '../port/port-seen.ts';
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
  memoryOf(port: string): PortMemory;
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
  readonly wake: (port: string) => void;
}

const nothing: PortMemory = {};

/** Makes the book. */
export function createPortBook({ switches, clock, wake }: PortBookOptions): PortBook {
  const memories = new Map<string, PortMemory>();
  const end = (work: PortWork & { readonly unit: string }, result: SwitchResult<PortState>): void => {
    const before = memories.get(work.port);
    // The port is gone: whatever came of it concerns nobody.
    if (before === undefined) return;
    memories.set(work.port, memoryAfter(before, work, { result, now: clock.now() }));
    if (result.kind !== 'done' && isAboutTheSwitch(result)) switches.doubt(work.owner);
    wake(work.port);
  };
  return {
    memoryOf: (port) => memories.get(port) ?? nothing,
    begin(work) {
      const before = memories.get(work.port) ?? nothing;
      if (before.work !== undefined) return;
      const lane = switches.laneOf(work.owner);
      const standing = switches.standingOf(work.owner);
      // Another switch may have taken its place since: whoever waits is woken when that has answered.
      if (lane === undefined || standing.kind !== 'ready') return;
      const { unit } = standing;
      memories.set(work.port, { ...before, work: { kind: work.call.kind, since: clock.now() } });
      lane.ask(work.call).then(
        (result) => end({ ...work, unit }, result),
        (error: unknown) => {
          const message = error instanceof Error ? error.message : String(error);
          end({ ...work, unit }, { kind: 'uncertain', message });
        },
      );
    },
    resolve(port) {
      const { failure: _, ...rest } = memories.get(port) ?? nothing;
      memories.set(port, rest);
    },
    doubt(port) {
      const before = memories.get(port);
      // Our own change is read back anyway.
      if (before?.reading === undefined || before.work !== undefined) return;
      memories.set(port, { ...before, reading: { ...before.reading, isStale: true } });
      wake(port);
    },
    forget: (port) => void memories.delete(port),
  };
}

/** What is known once something has ended. */
export function memoryAfter(
  before: PortMemory,
  { call, goal, unit }: Pick<PortWork, 'call' | 'goal'> & { readonly unit: string },
  { result, now }: { readonly result: SwitchResult<PortState>; readonly now: number },
): PortMemory {
  if (result.kind === 'done') {
    const applied =
      call.kind === 'apply'
        ? call.wanted
        : call.kind === 'clear'
          ? { isDisabled: false, untaggedVlan: call.parkingVlan, taggedVlans: [], acl: [] }
          : isSameUnit(before.unit, unit)
            ? before.applied
            : undefined;
    // A port that can be read still has not taken the change that it refused.
    const isOpenStill = call.kind === 'read' && before.failure !== undefined && before.failure.call !== 'read';
    const failure = isOpenStill ? { failure: before.failure } : {};
    return { reading: { at: now, state: result.value }, applied, unit, ...failure };
  }
  const isSame = before.failure?.goal === goal && before.failure.call === call.kind;
  const attempts = isSame ? (before.failure?.attempts ?? 0) + 1 : 1;
  const failure = { at: now, call: call.kind, goal, attempts, failure: result };
  if (result.kind === 'mismatch') return { reading: { at: now, state: result.seen }, failure, unit };
  // After a change that may or may not have been made nothing that was read before counts.
  const isStillTrue = call.kind === 'read' || result.kind === 'unsupported' || result.kind === 'denied';
  return isStillTrue ? { ...before, work: undefined, failure } : { failure };
}
