import type { Lease, Work, WorkerPort } from '../../engine/index.ts';
import { UpdateError } from '../errors.ts';

/**
 * A lease that this process only hands on: the job outside works under it and renews it, so that no timer of this process
 * ends it.
 */
export function toLeasedWork(lease: Lease, port: WorkerPort, signal: AbortSignal): Work {
  const { condition, token } = lease;
  const held = { conditionId: condition.id, token };
  return {
    condition,
    lease,
    isFirstLease: condition.leases <= 1,
    previous: lease.previous,
    leftovers: lease.leftovers,
    signal,
    ending: signal,
    cancel: condition.cancel,
    async report(report = {}) {
      const outcome = await port.report(held, report);
      if (outcome.outcome === 'lost') throw new UpdateError('leaseLost', { job: condition.id, detail: outcome.why });
    },
    check: (options) => port.check(held, options),
    confirm: () => port.check(held, { requestMs: 0 }),
    async pause() {
      throw new TypeError('a lease that is handed on waits for nothing');
    },
    now: () => condition.updatedAt,
    acquireSlot: (name) => port.acquireSlot(name, held, signal),
  };
}
