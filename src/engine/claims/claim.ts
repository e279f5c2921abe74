import { externalWork } from '../external-work/external-work-kind.ts';
import type { Sharing } from '../kinds.ts';
import type { Alias } from '../machine.ts';

/**
 * Whose turn it is on a machine that somebody outside owns. `theirs`: work of the engine that needs it alone waits.
 * `asked`: the owner is to make way. `ours`: the engine may work, the owner waits. `over`: the owner may take it back. In
 * `asked` and `over` neither begins anything.
 */
export const turns = ['theirs', 'asked', 'ours', 'over'] as const;

/** Whose turn it is. */
export type Turn = (typeof turns)[number];

/** Why work has to wait, in a word and in a sentence. */
export interface HeldBack {
  readonly code: string;
  readonly message: string;
}

/** What an owner outside says of a machine, known to the engine or not yet. */
export interface Claim {
  /** `BareMetalHost metal3/host-7`. */
  readonly owner: string;
  readonly turn: Turn;
  /** What is done to a machine that the engine did not know when it began. */
  readonly work: string | undefined;
  /** Set while disruptive work of others has to wait. */
  readonly use: HeldBack | undefined;
}

/** A claim as it is made. */
export interface ClaimOrder extends Pick<Claim, 'owner' | 'use'> {
  /** Names that the engine may know the machine by. */
  readonly names: readonly Alias[];
}

/** A turn that its owner has to do something about. */
export interface DueTurn {
  readonly owner: string;
  /** `asked`: make way, then it is `ours`. `over`: take it back, then it is `theirs`. */
  readonly turn: 'asked' | 'over';
}

/** Machines that somebody outside owns. */
export interface Claims {
  /** Makes or changes a claim; whose turn it is and what is being done stay. */
  put(order: ClaimOrder): Promise<void>;
  get(owner: string): Promise<Claim | undefined>;
  /**
   * Everybody who claims something; with `isAtWork`, who has noted work on what the engine does not know, and with
   * `turn`, whose turn is that.
   */
  owners(which?: { readonly isAtWork?: boolean; readonly turn?: Exclude<Turn, 'theirs'> }): Promise<readonly string[]>;
  /**
   * Notes work on a machine that the engine does not know, so that nothing is begun when it gets to know it.
   * `known`: it knows it by now, and its lock is to be taken instead.
   */
  markWork(work: Pick<ClaimOrder, 'owner' | 'names'> & { readonly what: string }): Promise<'marked' | 'known'>;
  /** That work is over, or has its lock. */
  clearWork(owner: string): Promise<void>;
  /** The owner is gone. */
  remove(owner: string): Promise<void>;
  /** Passes turns on where work waits for that, and gives those that owners have to do something about. */
  due(): Promise<readonly DueTurn[]>;
  /** The owner has made way, or taken the machine back. */
  done(turn: DueTurn): Promise<void>;
}

/** What can keep work on a machine waiting. */
export interface MachineHolds {
  /** By an operator. */
  readonly hold: HeldBack | undefined;
  readonly claim: Claim | undefined;
  /** Somebody else whose claim fits it, too. */
  readonly rival: string | undefined;
}

/** What is to be done to a machine, as far as that decides what holds it back. */
export interface WorkOnMachine {
  readonly kind: string;
  readonly sharing: Sharing;
  readonly isDisruptive: boolean;
  /** Whose own work it is: what keeps others off a machine in use does not keep off its owner. */
  readonly owner: string | undefined;
}

/** What holds work back besides the lock. */
export function heldBackBy(work: WorkOnMachine, { hold, claim, rival }: MachineHolds): HeldBack | undefined {
  const use = claim !== undefined && claim.owner === work.owner ? undefined : claim?.use;
  const inUse = work.isDisruptive ? (hold ?? use) : undefined;
  if (inUse !== undefined || claim === undefined || work.sharing === 'passive') return inUse;
  const { owner, turn } = claim;
  if (work.kind === externalWork.kind) {
    if (turn === 'theirs') return undefined;
    return { code: 'WaitsForTurn', message: `others work on the machine of ${owner}, or have just ended` };
  }
  // Only one of them would be asked to make way, and only that one's use is looked at.
  if (rival !== undefined && (work.isDisruptive || work.sharing === 'exclusive')) return claimedByTwo(owner, rival);
  if (claim.work !== undefined) return { code: 'WaitsForLock', message: `${owner} has work done on the machine` };
  if (work.sharing === 'shared' || turn === 'ours') return undefined;
  return { code: 'WaitsForTurn', message: `${owner} has to make way first` };
}

function claimedByTwo(...[one, other]: readonly [owner: string, rival: string]): HeldBack {
  const advice = 'name the system in the address that the inventory has of the machine, or delete one of them';
  return { code: 'ClaimedTwice', message: `${one} and ${other} both claim the machine; ${advice}` };
}
