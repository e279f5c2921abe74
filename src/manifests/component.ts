import type { Condition } from './condition.ts';
import type { MountedFile } from './mounted-files.ts';
import type { Rights, rights } from './rights.ts';
import { Optional, type Template, value } from './template.ts';

/** The namespace of the installation. */
export const home = 'rackwright-system';

/** One Deployment and all that it needs. */
export interface Component {
  readonly name: ComponentName;
  readonly about: string;
  /** The words after `rackwright`. */
  readonly words: readonly string[];
  /** When it is installed at all. */
  readonly when: Condition | undefined;
  /** The models in which every tenant has one of their own, rather than all of them one. */
  readonly perTenantIn: readonly ('limited' | 'full')[];
  readonly rights: Rights;
  /** Settings by the names of their environment variables. */
  readonly env: readonly Template[];
  readonly files: readonly MountedFile[];
  /** Where it says whether it works. */
  readonly port: ComponentPort;
  /** Where it is reached by those whom no selector knows; they show nothing but what they ask. */
  readonly openPorts: readonly OpenPort[];
  /** Who may come to its port besides who reads metrics, as a NetworkPolicy has them. */
  readonly callers: readonly Template[];
  /** What it has to reach besides API servers and DNS. */
  readonly reaches: 'anything' | 'api-servers';
}

/** The name of a component. */
export type ComponentName = keyof typeof rights;

/** A port that every pod of a component has. */
export interface ComponentPort {
  readonly name: string;
  readonly number: number;
  /** True where it serves with a certificate that is made at the start, which is enough for probes. */
  readonly isSelfCertified: boolean;
}

/** A port that is open to everybody. */
export interface OpenPort {
  readonly name: string;
  readonly number: Template;
  readonly when?: Condition;
}

/** Where most components say whether they work. */
export const statusPort: ComponentPort = { name: 'status', number: 7448, isSelfCertified: true };

/** A setting whose value is among the values, where it is given. */
export const plain = (name: string, path: string): Template => new Optional({ is: path }, { name, value: value(path) });

/** A setting that is `yes` where a value is true. */
export const yes = (name: string, path: string): Template => new Optional({ is: path }, { name, value: 'yes' });
