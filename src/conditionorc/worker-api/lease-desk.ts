import type { Lease, WorkerPort } from '../../engine/index.ts';

/** A worker asks for work from afar. */
export interface RemoteLeaseRequest {
  readonly workerId: string;
  readonly max: number;
  readonly waitMs: number;
  readonly target?: string | undefined;
  /** The batch that arrived last. */
  readonly seen: string | undefined;
}

/** Leases that were given out together. */
export interface LeaseBatch {
  readonly batch: string;
  readonly leases: readonly Lease[];
}

/** Gives leases to workers whose connections may break before the answer has arrived. */
export interface LeaseDesk {
  lease(request: RemoteLeaseRequest, signal: AbortSignal): Promise<LeaseBatch>;
  /** The worker begins anew or leaves: what it did not get is given up with the rest. */
  forget(workerId: string): void;
}

/**
 * Makes the desk. An answer that was lost would leave its leases with a worker that does not know of them until they run
 * out: so the last batch of each worker is kept and sent again to one that did not see it, its leases renewed.
 */
export function createLeaseDesk(port: WorkerPort): LeaseDesk {
  const sent = new Map<string, LeaseBatch>();
  let batches = 0;

  const again = async (unseen: LeaseBatch): Promise<LeaseBatch> => {
    const kept: Lease[] = [];
    for (const lease of unseen.leases) {
      const outcome = await port.report(heldOf(lease), {});
      if (outcome.outcome === 'kept') kept.push({ ...lease, until: outcome.until });
    }
    return { ...unseen, leases: kept };
  };

  return {
    async lease({ workerId, max, waitMs, target, seen }, signal) {
      const last = sent.get(workerId);
      if (last !== undefined && last.batch !== seen) {
        const repeated = await again(last);
        if (repeated.leases.length > 0) return repeated;
      }
      sent.delete(workerId);
      // Whoever wants none would wait for nothing.
      const leases = await port.lease(workerId, { max, waitMs: max === 0 ? 0 : waitMs, signal, target });
      if (leases.length === 0) return { batch: seen ?? '', leases };
      if (signal.aborted) {
        for (const lease of leases) await port.release(heldOf(lease), 'the worker was gone before it got it');
        return { batch: seen ?? '', leases: [] };
      }
      batches += 1;
      const batch = { batch: `${batches}`, leases };
      sent.set(workerId, batch);
      return batch;
    },
    forget: (workerId) => void sent.delete(workerId),
  };
}

function heldOf(lease: Lease) {
  return { conditionId: lease.condition.id, token: lease.token };
}
