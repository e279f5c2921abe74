import type { Clock } from '../../kube/index.ts';
import { type PortPlan, planPort } from '../port-plan.ts';
import { cleanSettings, type PortState } from '../port-settings.ts';
import type { CallOptions, PortChange, SwitchDevice } from '../switch-device.ts';
import { failedForAll, type PortResults, resultFor, type SwitchFailure, type SwitchResult } from '../switch-result.ts';
import { applyChanges } from './apply-changes.ts';
import { type CallLimit, limitCall, orAborted } from './call-limit.ts';
import { whyNotSettable } from './check-change.ts';
import { readNamed } from './read-named.ts';
import type { SwitchDriver } from './switch-driver.ts';

/** What a device needs besides its driver. */
export interface SwitchDeviceOptions {
  readonly clock: Clock;
  /** How long one call may take before the switch counts as unreachable, or its change as uncertain. */
  readonly timeoutMs: number;
}

/** Makes a device of a driver: names checked, one change at a time, deadlines, reading back. */
export function createSwitchDevice(driver: SwitchDriver, { clock, timeoutMs }: SwitchDeviceOptions): SwitchDevice {
  const closing = new AbortController();
  let lastWrite: Promise<unknown> = Promise.resolve();

  const cancelled: SwitchFailure = { kind: 'cancelled', message: `talking to ${driver.title} was given up` };
  const endOf = (limit: CallLimit): SwitchFailure =>
    limit.why() === 'cancelled'
      ? cancelled
      : { kind: 'unreachable', message: `${driver.title} did not answer within ${timeoutMs} ms` };

  async function within<T>(
    work: (signal: AbortSignal) => Promise<T>,
    ended: (failure: SwitchFailure) => T,
    options: CallOptions = {},
  ): Promise<T> {
    const limit = limitCall(clock, { timeoutMs, signals: [options.signal, closing.signal] });
    try {
      if (limit.signal.aborted) return ended(cancelled);
      return (await orAborted(work(limit.signal), limit.signal)) ?? ended(endOf(limit));
    } finally {
      limit.release();
    }
  }

  const once = <T>(work: (signal: AbortSignal) => Promise<SwitchResult<T>>, options?: CallOptions) =>
    within<SwitchResult<T>>(work, (failure) => failure, options);

  function read(ports: readonly string[], options?: CallOptions): Promise<PortResults<PortState>> {
    return within<PortResults<PortState>>(
      (signal) => readNamed(driver, ports, signal),
      (failure) => failedForAll(ports, failure),
      options,
    );
  }

  /** Changes take turns; the deadline of one begins with its turn. */
  function apply(changes: readonly PortChange[], options?: CallOptions): Promise<PortResults<PortState>> {
    const turn = lastWrite.then(() => {
      const told = new Set<string>();
      const ended = (failure: SwitchFailure): PortResults<PortState> =>
        new Map(changes.map(({ port }) => [port, told.has(port) ? uncertain(port, failure) : failure]));
      return within<PortResults<PortState>>(
        (signal) => applyChanges(driver, { changes, signal, told }),
        ended,
        options,
      );
    });
    lastWrite = turn.catch(() => undefined);
    return turn;
  }

  return {
    abilities: driver.abilities,
    verify: (options) => once((signal) => driver.verify(signal), options),
    listPorts: (options) => once((signal) => driver.listPorts(signal), options),
    readPorts: read,
    async plan(changes, options) {
      const seen = await read(
        changes.map(({ port }) => port),
        options,
      );
      return new Map(changes.map((change) => [change.port, planOf(driver, change, resultFor(seen, change.port))]));
    },
    apply,
    clear: (ports, options) =>
      apply(
        ports.map(({ port, parkingVlan }) => ({ port, wanted: cleanSettings(parkingVlan) })),
        options,
      ),
    readNeighbours: (options) =>
      once(async (signal) => (await driver.readNeighbours?.(signal)) ?? noNeighbours(driver), options),
    watch: (listener) => driver.watch?.(listener),
    async close() {
      closing.abort();
      await driver.close();
    },
  };
}

function uncertain(port: string, failure: SwitchFailure): SwitchFailure {
  return {
    kind: 'uncertain',
    message: `port ${port} was told, but nothing says whether it did it: ${failure.message}`,
  };
}

function planOf(driver: SwitchDriver, { wanted }: PortChange, seen: SwitchResult<PortState>): SwitchResult<PortPlan> {
  if (seen.kind !== 'done') return seen;
  return whyNotSettable(driver, seen.value, wanted) ?? { kind: 'done', value: planPort(seen.value, wanted) };
}

function noNeighbours(driver: SwitchDriver): SwitchFailure {
  return { kind: 'unsupported', aspects: [], message: `${driver.title} does not tell what it hears by LLDP` };
}
