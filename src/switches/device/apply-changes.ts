import { describePlan, planPort } from '../port-plan.ts';
import type { PortState } from '../port-settings.ts';
import type { PortChange } from '../switch-device.ts';
import { done, type PortResults, resultFor, type SwitchResult } from '../switch-result.ts';
import { whyNotSettable } from './check-change.ts';
import { readNamed } from './read-named.ts';
import type { PortWrite, SwitchDriver } from './switch-driver.ts';

/** A batch of changes under way. */
export interface ChangesUnderWay {
  readonly changes: readonly PortChange[];
  readonly signal: AbortSignal;
  /** Ports that the switch was told about; filled in before it is. */
  readonly told: Set<string>;
}

/** Reads, writes what differs, reads back. */
export async function applyChanges(
  driver: SwitchDriver,
  { changes, signal, told }: ChangesUnderWay,
): Promise<PortResults<PortState>> {
  const results = new Map<string, SwitchResult<PortState>>();
  const last = [...new Map(changes.map((change) => [change.port, change])).values()];
  const seen = await readNamed(
    driver,
    last.map(({ port }) => port),
    signal,
  );
  const writes = last.flatMap((change) => writeOf(driver, change, { seen: resultFor(seen, change.port), results }));
  if (writes.length === 0 || signal.aborted) return results;
  for (const { port } of writes) told.add(port);
  const written = await driver.write(writes, signal);
  await readBack(driver, { writes, written, results, signal });
  return results;
}

interface Outcome {
  readonly seen: SwitchResult<PortState>;
  readonly results: Map<string, SwitchResult<PortState>>;
}

/** The write that a change needs; none when the port cannot be set or already is as wanted, which is then its result. */
function writeOf(driver: SwitchDriver, { port, wanted }: PortChange, { seen, results }: Outcome): PortWrite[] {
  if (seen.kind !== 'done') {
    results.set(port, seen);
    return [];
  }
  const why = whyNotSettable(driver, seen.value, wanted);
  // What cannot be read may differ, so it is written each time.
  const isAsWanted = seen.value.unread.length === 0 && planPort(seen.value, wanted).differences.length === 0;
  if (why === undefined && !isAsWanted) return [{ port, seen: seen.value, wanted }];
  results.set(port, why ?? seen);
  return [];
}

interface Written {
  readonly writes: readonly PortWrite[];
  readonly written: PortResults<undefined>;
  readonly results: Map<string, SwitchResult<PortState>>;
  readonly signal: AbortSignal;
}

async function readBack(driver: SwitchDriver, { writes, written, results, signal }: Written): Promise<void> {
  const taken = writes.filter(({ port }) => resultFor(written, port).kind === 'done');
  for (const { port } of writes) {
    const result = resultFor(written, port);
    // Lost on the way of something that changes the port: it may have been done, or be done yet.
    if (result.kind === 'unreachable') results.set(port, { kind: 'uncertain', message: result.message });
    else if (result.kind !== 'done') results.set(port, result);
  }
  if (taken.length === 0) return;
  const seen = await driver.read(
    taken.map(({ port }) => port),
    signal,
  );
  for (const write of taken) results.set(write.port, judge(write, resultFor(seen, write.port)));
}

/** A read that fails after a write leaves the write uncertain; one that shows something else is a mismatch. */
function judge({ port, wanted }: PortWrite, seen: SwitchResult<PortState>): SwitchResult<PortState> {
  if (seen.kind !== 'done')
    return { kind: 'uncertain', message: `port ${port} was set but not read back: ${seen.message}` };
  const plan = planPort(seen.value, wanted);
  if (plan.differences.length === 0) return done(seen.value);
  const message = `the switch took the change of port ${port}, but reads back otherwise: ${describePlan(plan)}`;
  return { kind: 'mismatch', seen: seen.value, message };
}
