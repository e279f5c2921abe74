import { createWorker, type WorkHandler } from '../../engine/index.ts';
import { jobKinds } from '../kinds.ts';
import { type JobRunner, type JobRunnerOptions, orderOf } from './runner-options.ts';

/** Runs jobs in this process, each under a lease that its own progress renews. */
export function startInsideRunner(options: JobRunnerOptions): JobRunner {
  const { engine, launcher, clock, random, logger, metrics, kinds = jobKinds } = options;
  const handle: WorkHandler = async (work) => {
    const { ended } = await launcher.launch(await orderOf(options, work));
    if (ended === undefined)
      throw new TypeError(`launcher ${launcher.name} runs jobs inside and does not tell their end`);
    return await ended;
  };
  const worker = createWorker({
    port: engine.worker,
    identity: {
      id: options.id,
      kinds,
      facilities: options.facilities,
      // What other strategies start, such as a vendor's command, may outlive this process.
      isFencedByHeartbeats: options.strategy === 'redfish',
    },
    handlers: Object.fromEntries(kinds.map((kind) => [kind, handle])),
    concurrency: options.concurrency,
    clock,
    random,
    logger,
    metrics,
    ...(options.tracer === undefined ? {} : { tracer: options.tracer }),
    ...(options.bus === undefined ? {} : { bus: options.bus }),
  });
  return {
    get running() {
      return worker.running;
    },
    online: worker.online,
    async stop(how) {
      await worker.stop(how);
      await launcher.close();
    },
  };
}
