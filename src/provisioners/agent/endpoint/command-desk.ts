import type { JsonObject } from '../../../engine/index.ts';
import type { Clock } from '../../../kube/index.ts';

/** A command as its agent gets it. */
export interface OfferedCommand {
  readonly id: string;
  readonly name: string;
  readonly params: JsonObject;
}

/** Hands commands to the agents that ask for them. */
export interface CommandDesk {
  /** Lays a command out for a machine, in place of the one before; the same one again changes nothing. */
  offer(machine: string, command: OfferedCommand): void;
  /** Takes away what lies there, if it is that command. */
  withdraw(machine: string, command: string): void;
  /** What a machine is to do; waits for it. Only the last question of a machine is kept open. */
  next(
    machine: string,
    patience: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<OfferedCommand | undefined>;
  /** Ends the question that a machine has left open: whoever asked may not be its agent any more. */
  dismiss(machine: string): void;
  /** Ends all waiting, and keeps nothing of what was laid out. */
  close(): void;
}

/**
 * Opens a desk. It keeps commands in memory alone, since they hold what hosts are told in confidence: after a restart
 * whoever gave a command lays it out again under the same id.
 */
export function createCommandDesk(clock: Clock): CommandDesk {
  const offers = new Map<string, OfferedCommand>();
  const waiting = new Map<string, () => void>();
  let isClosed = false;
  const wake = (machine: string): void => waiting.get(machine)?.();
  return {
    offer(machine, command) {
      if (offers.get(machine)?.id === command.id) return;
      offers.set(machine, command);
      wake(machine);
    },
    withdraw(machine, command) {
      if (offers.get(machine)?.id === command) offers.delete(machine);
    },
    async next(machine, { waitMs, signal }) {
      wake(machine);
      const offer = offers.get(machine);
      if (offer !== undefined || waitMs <= 0 || isClosed || signal.aborted) return offer;
      await new Promise<void>((resolve) => {
        const done = (): void => {
          timer.cancel();
          signal.removeEventListener('abort', done);
          if (waiting.get(machine) === done) waiting.delete(machine);
          resolve();
        };
        const timer = clock.after(waitMs, done);
        signal.addEventListener('abort', done, { once: true });
        waiting.set(machine, done);
      });
      return offers.get(machine);
    },
    dismiss: wake,
    close() {
      isClosed = true;
      offers.clear();
      for (const done of [...waiting.values()]) done();
    },
  };
}
