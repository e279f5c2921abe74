import type { DiscoverySource, KnownMachine, MachineDetails, Outcome } from '../../provisioners/index.ts';

/** For tests: a machine as a source knows it. */
export interface ScriptedMachine extends Partial<KnownMachine> {
  readonly id: string;
  readonly bootMac: string;
  /** Null: it has told nothing yet. */
  readonly details?: Partial<MachineDetails> | null;
}

/** For tests: a source that knows what it is told. */
export interface ScriptedSource extends DiscoverySource {
  put(...machines: readonly ScriptedMachine[]): void;
  drop(id: string): void;
  /** Answers everything with this until it is undefined again. */
  fail(outcome: Outcome<never> | undefined): void;
  /** How often it was asked for all machines. */
  readonly lists: number;
  readonly reads: readonly string[];
  /** Resolves at the end of the next listing that begins after this call, and of that many more. */
  polled(times?: number): Promise<void>;
}

/** For tests: makes one. */
export function createScriptedSource(): ScriptedSource {
  const machines = new Map<string, ScriptedMachine>();
  const waiting = new Set<{ left: number; go: () => void }>();
  const reads: string[] = [];
  let lists = 0;
  let failure: Outcome<never> | undefined;
  return {
    put(...given) {
      for (const machine of given) machines.set(machine.id, machine);
    },
    drop: (id) => void machines.delete(id),
    fail(outcome) {
      failure = outcome;
    },
    get lists() {
      return lists;
    },
    reads,
    polled: (times = 1) => new Promise((go) => waiting.add({ left: times, go })),
    async list() {
      lists += 1;
      for (const each of waiting) {
        each.left -= 1;
        if (each.left > 0) continue;
        waiting.delete(each);
        each.go();
      }
      if (failure !== undefined) return failure;
      return { kind: 'done', value: [...machines.values()].map(knownOf) };
    },
    async read(id) {
      reads.push(id);
      if (failure !== undefined) return failure;
      const machine = machines.get(id);
      if (machine === undefined) return { kind: 'unregistered' };
      if (machine.details === null) return { kind: 'done', value: undefined };
      return { kind: 'done', value: { hardware: {}, ...machine.details } };
    },
  };
}

function knownOf({ id, bootMac, macs, isAutoDiscovered }: ScriptedMachine): KnownMachine {
  return { id, bootMac, macs: macs ?? [bootMac], isAutoDiscovered: isAutoDiscovered ?? true };
}

/** For tests: the MAC with a number. */
export function macOf(number: number): string {
  const text = number.toString(16).padStart(6, '0');
  return `52:54:00:${text.slice(0, 2)}:${text.slice(2, 4)}:${text.slice(4)}`;
}
