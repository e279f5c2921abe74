import { existsSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** Processor time of processes that come and go, in seconds; on systems without /proc it stays 0. */
export class CpuTime {
  readonly #last = new Map<number, number>();

  /** Looks at processes; what a process had used when it was last looked at counts also when it is gone. */
  look(pids: readonly number[]): void {
    for (const pid of pids) {
      const seconds = secondsOf(pid);
      if (seconds !== undefined) this.#last.set(pid, seconds);
    }
  }

  get seconds(): number {
    return [...this.#last.values()].reduce((sum, each) => sum + each, 0);
  }
}

function secondsOf(pid: number): number | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  // The name in brackets may hold spaces.
  const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
