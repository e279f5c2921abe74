import type { HostIdentity } from '../../provisioner.ts';

/** Which host has a machine. */
export type HostKey = Pick<HostIdentity, 'namespace' | 'name'>;

/** What is kept of the token of an agent. */
export interface TokenRecord {
  readonly digest: string;
  readonly expiresAtMs: number;
  /** Of the one before, until this one was used: its answer may have been lost. */
  readonly earlier?: string | undefined;
  /** True where the machine asked for a new one, so that the one before is good until then, and not a proof only. */
  readonly isRenewal?: true | undefined;
}

/** A command of a machine. Its parameters are not kept: they may hold what a host is told in confidence. */
export interface CommandRecord {
  readonly id: string;
  readonly name: string;
  readonly givenAtMs: number;
  /** Its agent has got it. */
  readonly isTold?: true | undefined;
  /** Undefined until its agent, or time, has told. */
  readonly end?: { readonly failure?: string | undefined } | undefined;
}

/** What is being done with a machine, one command after the other. */
export interface MachineWork {
  readonly kind: 'provision' | 'deprovision';
  /** What is done, so that something else is recognised. */
  readonly mark: string;
  readonly stage: 'write' | 'restart' | 'erase';
  /** No agent was told any of it, so that the machine is as it was. */
  readonly isUnseen?: true | undefined;
  readonly command: CommandRecord;
}

/** What is known of a machine, besides what it is made of. */
export interface MachineRecord {
  readonly id: string;
  readonly bootMac: string;
  readonly macs: readonly string[];
  readonly serialNumber?: string | undefined;
  /** Undefined for one that nobody but its host has told of. */
  readonly introducedAtMs?: number | undefined;
  /** When its agent was heard of last; written now and then only. */
  readonly heardAtMs?: number | undefined;
  readonly token?: TokenRecord | undefined;
  readonly host?: HostKey | undefined;
  /** Its host is no more: it is known again when it introduces itself anew. */
  readonly isRemoved?: true | undefined;
  readonly use: 'unused' | 'deployed';
  readonly image?: string | undefined;
  readonly work?: MachineWork | undefined;
  /** The last commands whose end was told: an agent whose answer was lost tells it again. */
  readonly ended?: readonly string[] | undefined;
  /** Since when it is to be given back and its agent, which has to do that, is waited for. */
  readonly awaitedSinceMs?: number | undefined;
  /** When its BMC was last told to start it from the network, until its agent has come. */
  readonly startedAtMs?: number | undefined;
  /** Since when it is to tell anew what it is made of, and whether its BMC has started it for that. */
  readonly inspection?: { readonly sinceMs: number; readonly isStarted?: true | undefined } | undefined;
  /** The address of the BMC that was found to be its own. */
  readonly bmcAddress?: string | undefined;
  readonly maintenance?: string | undefined;
}

/** True while something is done with it. */
export function isWorking({ work }: MachineRecord): boolean {
  return work !== undefined && work.command.end?.failure === undefined;
}

/** A machine whose agent has ended: whoever comes next has to introduce itself, and what it kept proves nothing. */
export function withoutAgent({ token: _, heardAtMs: __, ...machine }: MachineRecord): MachineRecord {
  return machine;
}

/** Whether a host has this machine. */
export function isOf({ host }: MachineRecord, { namespace, name }: HostKey): boolean {
  return host !== undefined && host.namespace === namespace && host.name === name;
}
