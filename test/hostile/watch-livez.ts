import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Times of answers of /livez, in milliseconds. */
export interface LivezTimes {
  readonly times: readonly number[];
  /** Answers that were none, or not ok. */
  readonly failures: number;
}

/** Somebody who asks for /livez all the time. */
export interface LivezWatch {
  /** What was measured since the last time that it was asked for. */
  take(): Promise<LivezTimes>;
  stop(): Promise<void>;
}

const everyMs = 10;

/** Measures /livez from a thread of its own: the load that is made here does not count as time of the server. */
export function watchLivez(port: number): LivezWatch {
  const thread = new Worker(join(import.meta.dirname, 'livez-thread.ts'), { workerData: { port, everyMs } });
  return {
    async take() {
      const answer = once(thread, 'message');
      thread.postMessage('take');
      return (await answer)[0] as LivezTimes;
    },
    async stop() {
      await thread.terminate();
    },
  };
}
