import type { ServerFirmwareStatus } from '../api/index.ts';
import { type Clock, type EffectContext, failed, ok, type Result } from '../kube/index.ts';
import { failureOf, firmwareFailure } from './errors.ts';
import type { JobWait, RequestOutcome } from './ports.ts';
import { textOfMoment } from './times.ts';

/** Sends requests and remembers, for the status that is written right after, which job took them. */
export interface RequestSender {
  send(context: EffectContext<unknown>, ask: () => Promise<RequestOutcome>): Promise<Result<unknown>>;
  /** The job that took the request of this look. */
  jobOf(context: EffectContext<unknown>): string | undefined;
  /** What the update service found for entries that do not apply to all parts they select. */
  resolvedOf(context: EffectContext<unknown>): ServerFirmwareStatus['resolved'];
  /** What that job waits for. */
  waitOf(context: EffectContext<unknown>): JobWait | undefined;
}

/** A sender; what it remembers goes with the look. */
export function createRequestSender(clock: Pick<Clock, 'now'>): RequestSender {
  const jobs = new WeakMap<object, string>();
  const waits = new WeakMap<object, JobWait>();
  const resolved = new WeakMap<object, NonNullable<ServerFirmwareStatus['resolved']>>();
  return {
    async send(context, ask) {
      const outcome = await askSafely(ask);
      if ('resolved' in outcome && outcome.resolved !== undefined && outcome.resolved.length > 0) {
        resolved.set(context, { time: textOfMoment(clock.now()), entries: [...outcome.resolved] });
        // Known to be unavailable: that is a state of the server and no failure of the request.
        if (outcome.kind === 'firmware-not-found') return ok();
      }
      const failure = failureOf(outcome);
      if (failure !== undefined) return failed(failure);
      if ('jobId' in outcome && outcome.jobId !== undefined) jobs.set(context, outcome.jobId);
      if ('waits' in outcome && outcome.waits !== undefined) waits.set(context, outcome.waits);
      return ok();
    },
    jobOf: (context) => jobs.get(context),
    resolvedOf: (context) => resolved.get(context),
    waitOf: (context) => waits.get(context),
  };
}

async function askSafely(ask: () => Promise<RequestOutcome>): Promise<RequestOutcome> {
  try {
    return await ask();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'unavailable', message: firmwareFailure('UpdateServiceUnavailable', message).message };
  }
}
