import type { WorkOutcome } from '../../engine/index.ts';
import { FlasherError } from '../errors.ts';
import { readAtMember } from './install-outcome.ts';
import type { InstallRun } from './run.ts';

/** A reading takes seconds to a minute; a BMC that does not end it in this time is read later. */
const limitMs = 5 * 60_000;

/**
 * Reads the inventory after an install that succeeded, in the same session and under the same lease. The install ends as
 * it would have anyway: where the reading fails, the status does not say that it was read, and the engine requests another.
 */
export async function readAfterwards(run: InstallRun, outcome: WorkOutcome): Promise<WorkOutcome> {
  const { work, context, parameters } = run;
  const { readInventory } = context;
  if (outcome.outcome !== 'succeeded' || parameters.isDryRun || readInventory === undefined) return outcome;
  const overdue = Promise.withResolvers<never>();
  const timeout = new AbortController();
  run.held.limit(AbortSignal.any([work.signal, timeout.signal]));
  const timer = context.clock.after(limitMs, () => {
    timeout.abort();
    const detail = 'the BMC answers slowly';
    overdue.reject(new FlasherError('overdue', { step: 'reading the inventory', minutes: limitMs / 60_000, detail }));
  });
  try {
    await Promise.race([readInventory(work, run.held), overdue.promise]);
  } catch (error) {
    if (work.signal.aborted) throw work.signal.reason;
    context.logger.warn('the inventory could not be read after an install; the engine requests a reading', {
      condition: work.condition.id,
      error,
    });
    return outcome;
  } finally {
    timer.cancel();
  }
  return { ...outcome, status: { ...outcome.status, [readAtMember]: run.now } };
}
