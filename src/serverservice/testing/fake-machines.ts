import { tryParseBmcAddress } from '../../bmc/index.ts';
import type { Alias, AliasConflict, MachineRecord } from '../../engine/index.ts';
import { EngineError } from '../../engine/index.ts';
import type { MachineRegistry } from '../servers/machine-registry.ts';

/** For tests: machines as the engine keeps them, in memory. */
export interface FakeMachines extends MachineRegistry {
  readonly machines: Map<string, MachineRecord>;
  readonly aliases: Map<string, string>;
  /** Machines that work goes on at. */
  readonly busy: Set<string>;
  /** The next put fails so, as if the process had died. */
  failNextPut: Error | undefined;
}

const keyOf = ({ kind, value }: Alias) =>
  `${kind} ${(kind === 'bmc-address' ? tryParseBmcAddress(value)?.system : undefined) ?? value}`;

/** For tests: an empty registry. */
export function createFakeMachines(): FakeMachines {
  const machines = new Map<string, MachineRecord>();
  const aliases = new Map<string, string>();
  const busy = new Set<string>();
  const namesOf = (id: string) => [...aliases].filter(([, holder]) => holder === id).map(([key]) => key);
  const fake: FakeMachines = {
    machines,
    aliases,
    busy,
    failNextPut: undefined,
    get: async (id) => machines.get(id),
    aliasesOf: async (id) =>
      namesOf(id).map((key) => {
        const [kind = '', ...value] = key.split(' ');
        return { kind: kind as Alias['kind'], value: value.join(' ') };
      }),
    put: async (machine, wanted) => {
      const failure = fake.failNextPut;
      fake.failNextPut = undefined;
      if (failure !== undefined) throw failure;
      const conflicts = wanted.flatMap((alias): AliasConflict[] => {
        const heldBy = aliases.get(keyOf(alias));
        return heldBy === undefined || heldBy === machine.id ? [] : [{ alias, heldBy }];
      });
      if (conflicts.length > 0) return conflicts;
      for (const key of namesOf(machine.id)) aliases.delete(key);
      for (const alias of wanted) aliases.set(keyOf(alias), machine.id);
      machines.set(machine.id, machine);
      return 'ok';
    },
    duplicatesOf: async () => new Map(),
    remove: async (id) => {
      if (busy.has(id))
        throw new EngineError('machineBusy', { machine: id, what: 'removed', conditions: 'firmwareInstall 1' });
      if (!machines.delete(id)) throw new EngineError('unknownMachine', { machine: id });
      for (const key of namesOf(id)) aliases.delete(key);
    },
  };
  return fake;
}
