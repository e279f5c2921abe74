import type { HardwareDetails } from '../../api/index.ts';
import type { HostIdentity, Serviced } from '../provisioner.ts';
import type { LinkedImage } from './ports.ts';
import type { UpdateWait } from './update-waits.ts';

/** A change of firmware that was handed to the desk. */
export interface WorkNote {
  readonly what: Serviced;
  /** The conditions that do it, in order. */
  readonly conditions: readonly string[];
  /** The ids of the images of its updates, one for each. Absent where an earlier version noted it. */
  readonly images?: readonly string[] | undefined;
  /** Undefined until it has ended. `serviced`: what was made of it, and what was not; only of one that failed. */
  readonly end?: { readonly failure?: string | undefined; readonly serviced?: Serviced | undefined } | undefined;
}

/** What is known of a host that no Ironic looks after: all that its BMC itself cannot be asked for later. */
export interface HostRecord {
  /** The id of the machine. */
  readonly id: string;
  readonly use: 'unused' | 'deployed';
  /** The live ISO that it runs. */
  readonly image?: string | undefined;
  readonly details?: HardwareDetails | undefined;
  readonly maintenance?: string | undefined;
  readonly preparation?: WorkNote | undefined;
  readonly updateWait?: UpdateWait | undefined;
  /** What was behind the links that its owner specified, by their addresses: that is installed and nothing else. */
  readonly links?: Readonly<Record<string, LinkedImage>> | undefined;
  readonly service?: (WorkNote & { readonly ticket: string }) | undefined;
}

/** Which host a record is of. */
export type RecordKey = Pick<HostIdentity, 'namespace' | 'name'>;

/** Where these records are kept. */
export interface HostRecords {
  read(key: RecordKey): Promise<HostRecord | undefined>;
  /** The host that has a machine. */
  ownerOf(id: string): Promise<RecordKey | undefined>;
  /** Writes what becomes of a record, all or nothing; where it becomes undefined nothing is written. */
  change(key: RecordKey, edit: (now: HostRecord | undefined) => HostRecord | undefined): Promise<void>;
  remove(key: RecordKey): Promise<void>;
  /** The hosts whose firmware is being changed. */
  working(): Promise<readonly RecordKey[]>;
}

/** True while a change of firmware was begun and has not ended. */
export function isWorking({ preparation, service }: HostRecord): boolean {
  return [preparation, service].some((each) => each !== undefined && each.end === undefined);
}
