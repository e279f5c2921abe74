import type { KnownMachine, MachineDetails } from '../../discovery-source.ts';
import type { HostKey, MachineRecord } from './machine-record.ts';

/** What is to become of a few machines, all at once. */
export interface MachineChange {
  readonly put?: MachineRecord | undefined;
  /** What `put` has told of itself. */
  readonly details?: MachineDetails | undefined;
  readonly forget?: readonly string[] | undefined;
}

/** What machines are recognised by. A MAC that neither boots from says nothing: whole makes have the same one inside. */
export type MachineMacs = Pick<MachineRecord, 'macs' | 'bootMac'>;

/** Where machines are kept. */
export interface MachineRecords {
  read(id: string): Promise<MachineRecord | undefined>;
  /** Nothing of one that was removed: whoever goes by an old list must not make a host of it again. */
  readDetails(id: string): Promise<MachineDetails | undefined>;
  /** The machine of a host. */
  ofHost(host: HostKey): Promise<MachineRecord | undefined>;
  /** Machines that may be that one: one of the two boots from a MAC that the other has too. */
  alike(machine: MachineMacs): Promise<readonly MachineRecord[]>;
  /** All that were not removed. */
  list(): Promise<readonly KnownMachine[]>;
  /** Writes what becomes of a machine; where it becomes undefined nothing is written. Gives what is there then. */
  change(id: string, edit: (now: MachineRecord) => MachineRecord | undefined): Promise<MachineRecord | undefined>;
  /** The same for machines that may be that one; says what `decide` said, and how many were forgotten to make room. */
  settle<T extends MachineChange>(
    machine: MachineMacs,
    decide: (known: readonly MachineRecord[]) => T,
  ): Promise<{ readonly decided: T; readonly crowdedOut: number }>;
  forget(id: string): Promise<void>;
  /** How many are worked on. */
  countWorking(): Promise<number>;
}
