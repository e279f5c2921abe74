import type { Clock } from '../../kube/index.ts';
import {
  type PortChange,
  type PortClearing,
  type PortResults,
  type PortState,
  resultFor,
  type SwitchDevice,
  type SwitchResult,
} from '../../switches/index.ts';
import { withDeadline } from './deadline.ts';

/** Something that is asked of one port. */
export type PortCall =
  | { readonly kind: 'read'; readonly port: string }
  | ({ readonly kind: 'clear' } & PortClearing)
  | ({ readonly kind: 'apply' } & PortChange);

/** The way to one switch: one call at a time, and together what comes together. */
export interface Lane {
  /** Never throws: what goes wrong is a result. */
  ask(call: PortCall): Promise<SwitchResult<PortState>>;
  /** Takes no more calls; those that wait end as cancelled. */
  close(): void;
}

/** How a lane behaves. */
export interface LaneOptions {
  readonly device: SwitchDevice;
  readonly clock: Clock;
  readonly gatherMs: number;
  readonly batchSize: number;
  readonly callMs: number;
}

interface Waiting {
  readonly call: PortCall;
  readonly answer: (result: SwitchResult<PortState>) => void;
}

/** Makes the way to one switch. */
export function createLane(options: LaneOptions): Lane {
  const { device, clock, gatherMs } = options;
  let waiting: Waiting[] = [];
  let isBusy = false;
  let isClosed = false;

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = nextBatch(waiting, device.abilities.canBatch ? options.batchSize : 1);
      waiting = waiting.filter((each) => !batch.includes(each));
      const results = await callDevice(
        options,
        batch.map(({ call }) => call),
      );
      for (const { call, answer } of batch) answer(resultFor(results, call.port));
    }
    isBusy = false;
  };
  return {
    ask: (call) =>
      new Promise((answer) => {
        if (isClosed) return answer({ kind: 'cancelled', message: 'the way to the switch was closed' });
        waiting.push({ call, answer });
        if (isBusy) return;
        isBusy = true;
        clock.after(gatherMs, () => void work());
      }),
    close() {
      isClosed = true;
      for (const { answer } of waiting.splice(0)) {
        answer({ kind: 'cancelled', message: 'the way to the switch was closed' });
      }
    },
  };
}

/** Changes before reads, each kind in the order it was asked for; no port twice in one call. */
function nextBatch(waiting: readonly Waiting[], size: number): Waiting[] {
  const first = waiting.find(({ call }) => call.kind !== 'read') ?? waiting[0];
  const ports = new Set<string>();
  return waiting
    .filter(({ call }) => {
      if (call.kind !== first?.call.kind || ports.has(call.port)) return false;
      ports.add(call.port);
      return true;
    })
    .slice(0, size);
}

async function callDevice(
  { device, clock, callMs }: LaneOptions,
  calls: readonly PortCall[],
): Promise<PortResults<PortState>> {
  const ports = calls.map(({ port }) => port);
  const isChange = calls.some(({ kind }) => kind !== 'read');
  const seconds = Math.round(callMs / 1000);
  const late = isChange
    ? ({ kind: 'uncertain', message: `no answer within ${seconds} s; it may still have been done` } as const)
    : ({ kind: 'unreachable', message: `no answer within ${seconds} s` } as const);
  const clears = calls.filter((call) => call.kind === 'clear');
  const changes = calls.filter((call) => call.kind === 'apply');
  return withDeadline<PortResults<PortState>>(
    { clock, ms: callMs },
    (signal) => {
      if (clears.length > 0) return device.clear(clears.map(withoutKind), { signal });
      if (changes.length > 0) return device.apply(changes.map(withoutKind), { signal });
      return device.readPorts(ports, { signal });
    },
    () => new Map(ports.map((port) => [port, late])),
  );
}

function withoutKind<T extends PortCall>({ kind: _, ...rest }: T): Omit<T, 'kind'> {
  return rest;
}
