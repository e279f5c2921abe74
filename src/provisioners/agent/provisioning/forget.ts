import type { Outcome } from '../../provisioner.ts';
import type { MachineRecord } from '../records/machine-record.ts';
import { done, partWithAgent, settle, type Workplace, waits } from './workplace.ts';

/** Forgets a host and leaves its machine as it is, in the middle of work only when forced. */
export async function detachHost(place: Workplace, { isForced }: { readonly isForced: boolean }): Promise<Outcome> {
  const machine = await place.parts.records.ofHost(place.host);
  if (machine === undefined) return done;
  if (machine.work !== undefined && !isForced) return waits(place, `${machine.work.command.name} is under way`);
  if (machine.use === 'unused' && machine.introducedAtMs !== undefined) {
    // A machine whose agent runs can be taken in again.
    await settle(place, machine, ({ host: _, ...now }) => now);
    return done;
  }
  // What runs there is nobody's business any more. All at once: half of it would be a machine that nobody has, in use.
  return forget(place, machine);
}

async function forget(place: Workplace, { id, work }: MachineRecord): Promise<Outcome> {
  if (work !== undefined) place.parts.desk.withdraw(id, work.command.id);
  partWithAgent(place, id);
  await place.parts.records.forget(id);
  return done;
}

/** Forgets a host that is to be no more. Its agent is told to be quiet: the machine is known again once it starts anew. */
export async function removeHost(place: Workplace): Promise<Outcome> {
  const machine = await place.parts.records.ofHost(place.host);
  if (machine === undefined) return done;
  if (machine.introducedAtMs === undefined) return forget(place, machine);
  await settle(place, machine, ({ host: _, image: __, heardAtMs: ___, ...now }) => ({
    ...now,
    use: 'unused',
    isRemoved: true,
  }));
  partWithAgent(place, machine.id);
  return done;
}
