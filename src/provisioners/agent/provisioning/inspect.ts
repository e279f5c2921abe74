import type { HardwareDetails } from '../../../api/index.ts';
import type { Outcome } from '../../provisioner.ts';
import type { MachineRecord } from '../records/machine-record.ts';
import { notCome } from './start-agent.ts';
import { fails, goesOn, loseAgent, type Workplace, waits, withFreeMachine } from './workplace.ts';

/** How an inspection is asked for. */
export interface InspectionOrder {
  readonly isRefresh: boolean;
  readonly isRetry: boolean;
}

/**
 * What the machine told with its last introduction. Where its BMC is known, it is started from the network when it has
 * told nothing yet, and when it is to tell anew.
 */
export function inspectHost(
  place: Workplace,
  { isRefresh, isRetry }: InspectionOrder,
): Promise<Outcome<HardwareDetails>> {
  return withFreeMachine<HardwareDetails>(place, async (machine) => {
    const details = await place.parts.records.readDetails(machine.id);
    const { bootFromNetwork } = place;
    const { inspection } = machine;
    if (bootFromNetwork === undefined) {
      if (details !== undefined) return { kind: 'done', value: details.hardware };
      return waits(place, 'its agent has told nothing of it yet: boot the host from the network');
    }
    const isAnew = isRefresh || isRetry;
    if (inspection === undefined || (isAnew && inspection.isStarted === true)) {
      if (details !== undefined && !isAnew) return { kind: 'done', value: details.hardware };
      return begin(place, machine, bootFromNetwork);
    }
    if (details !== undefined && (machine.introducedAtMs ?? 0) >= inspection.sinceMs) {
      await place.parts.records.change(machine.id, ({ inspection: _, ...now }) => now);
      return { kind: 'done', value: details.hardware };
    }
    if (inspection.isStarted !== true) return start(place, machine, bootFromNetwork);
    const { clock, times } = place.parts;
    return clock.now() - (machine.startedAtMs ?? inspection.sinceMs) < times.bootMs ? goesOn(place) : fails(notCome);
  });
}

type Start = NonNullable<Workplace['bootFromNetwork']>;

async function begin(place: Workplace, machine: MachineRecord, bootFromNetwork: Start): Promise<Outcome<never>> {
  const { records, clock } = place.parts;
  // Noted before it is started: its agent may come before that call has ended.
  const inspection = { sinceMs: clock.now() };
  await loseAgent(place, machine.id);
  await records.change(machine.id, (now) => ({ ...now, inspection }));
  return start(place, { ...machine, inspection }, bootFromNetwork);
}

async function start(place: Workplace, { id }: MachineRecord, bootFromNetwork: Start): Promise<Outcome<never>> {
  const outcome = await bootFromNetwork();
  if (outcome.kind === 'continue') return goesOn(place);
  if (outcome.kind !== 'done') return outcome;
  const { records, clock } = place.parts;
  await records.change(id, ({ inspection, ...now }) =>
    inspection === undefined
      ? undefined
      : { ...now, inspection: { ...inspection, isStarted: true }, startedAtMs: clock.now() },
  );
  return goesOn(place, true);
}
