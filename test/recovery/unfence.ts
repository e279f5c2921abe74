import type { WorkerPort } from '../../src/engine/index.ts';

/** A worker's way to the engine that hides from it that a lease is lost, and whose sessions are to be ended: to see that the checks can fail. */
export function unfence(port: WorkerPort): WorkerPort {
  return {
    ...port,
    async report(held, report) {
      const outcome = await port.report(held, report);
      return outcome.outcome === 'kept' ? outcome : { outcome: 'kept', until: 0, cancel: undefined };
    },
    async check(held) {
      await port.check(held).catch(() => undefined);
    },
    async lease(workerId, options) {
      const leases = await port.lease(workerId, options);
      return leases.map((lease) => ({ ...lease, leftovers: [], previous: undefined }));
    },
  };
}
