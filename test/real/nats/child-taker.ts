import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '../../../src/engine/bus/contract/until.ts';

/** Another process that takes work. */
export interface ChildTaker {
  readonly pid: number;
  /** The conditions it was told of, in order. */
  readonly taken: readonly string[];
  /** Asks it to end and says how it ended. */
  stop(): Promise<number | null>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
}

/** Starts another process that takes the work of a facility and kind, and resolves when it takes. */
export async function startChildTaker(order: {
  readonly url: string;
  readonly settings: object;
  readonly facility: string;
  readonly kind: string;
}): Promise<ChildTaker> {
  const args = [join(import.meta.dirname, 'take-work.ts'), order.url, JSON.stringify(order.settings)];
  const child = spawn(process.execPath, [...args, order.facility, order.kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const taken: string[] = [];
  let isReady = false;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line);
    if (said.ready === true) isReady = true;
    else taken.push(said.conditionId);
  });
  await until('the other process takes work', () => isReady || child.exitCode !== null);
  return {
    pid: child.pid ?? -1,
    taken,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      return child.exitCode;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
