import { isFinal } from '../../engine/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { TakenRequest } from '../desk/request-desk.ts';
import { isUpdateError } from '../errors.ts';
import { toRefusal } from '../refusal.ts';
import type { UpdateDesks } from '../update-desks.ts';
import { type RequestOutcome, toOutcome, type UpdateClient, waitOf } from './request-outcome.ts';

/** What the client of this process is made of. */
export interface InProcessClientOptions {
  readonly desks: Pick<UpdateDesks, 'requests' | 'cancel' | 'book'>;
  /** Who asks, for the history. */
  readonly client: string;
  readonly logger: Logger;
}

/** The update service in this process, as the firmware controllers use it. */
export function createInProcessClient({ desks, client, logger }: InProcessClientOptions): UpdateClient {
  const { requests } = desks;
  const ask = async (work: () => Promise<TakenRequest>): Promise<RequestOutcome> => {
    try {
      const { job, isNew, resolved } = await work();
      const kind = isNew ? 'accepted' : 'already-scheduled';
      // Whether a worker for it is online is found when it is read.
      const { reason } = await desks.book.require(job.id);
      return { kind, jobId: job.id, ...waitOf(reason), ...(resolved === undefined ? {} : { resolved }) };
    } catch (error) {
      return toOutcome(toRefusal(error, logger));
    }
  };
  return {
    update: ({ server, firmwares }) => ask(() => requests.update({ server: server.systemUUID, firmwares, client })),
    scan: ({ server }) => ask(() => requests.scan({ server: server.systemUUID, client })),
    discover: ({ name, manufacturer, model, versionsToStore }) =>
      ask(() => requests.discover({ name, manufacturer, model, versionsToStore, client })),
    async withdraw({ jobId }, signal) {
      try {
        const how = { timeoutMs: 0, isForced: false, doesInsist: false };
        const job = await desks.cancel({ jobId, client, signal, ...how });
        return isFinal(job.state) && job.reason?.code === 'Cancelled' ? 'withdrawn' : 'too-late';
      } catch (error) {
        if (isUpdateError(error, 'jobNotFound')) return 'unknown-job';
        throw error;
      }
    },
  };
}
