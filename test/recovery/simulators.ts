import type { FleetOrder, FleetRequest, FleetServer } from './fleet.ts';
import { type Line, startLineProcess } from './line-process.ts';

/** Simulated servers in a process of their own, which outlives all others. */
export interface RecoverySimulator {
  readonly servers: readonly FleetServer[];
  ask(request: FleetRequest): Promise<void>;
  close(): Promise<void>;
}

const script = new URL('./simulator-process.ts', import.meta.url);

/** Starts it. */
export async function startRecoverySimulator(
  order: Pick<FleetOrder, 'seed' | 'servers' | 'speed' | 'personalities'>,
): Promise<RecoverySimulator> {
  const lines: Line[] = [];
  let wanted: (() => void) | undefined;
  const child = startLineProcess(script, order, (line) => {
    lines.push(line);
    wanted?.();
  });
  const next = async (): Promise<Line> => {
    while (lines.length === 0) {
      const came = new Promise<void>((resolve) => {
        wanted = resolve;
      });
      const end = await Promise.race([came, child.ended]);
      if (end !== undefined) throw new Error(`the simulator ended: ${child.tail()}`);
    }
    return lines.shift() ?? { say: '' };
  };
  const { servers } = (await next()) as unknown as { servers: FleetServer[] };
  return {
    servers,
    async ask(request) {
      child.send(request);
      await next();
    },
    async close() {
      child.signal('SIGKILL');
      await child.ended;
    },
  };
}
