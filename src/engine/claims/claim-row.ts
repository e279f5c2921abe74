import { textOf } from '../conditions/condition-row.ts';
import type { Row, Transaction } from '../store/database.ts';
import type { Claim, HeldBack, MachineHolds, Turn } from './claim.ts';

/** What holds a machine, of `machines m` and the claim `o` that fits it. */
export const holdColumns = `m.hold_code, m.hold_message, o.owner AS claim_owner, o.turn AS claim_turn,
  o.work AS claim_work, o.use_code, o.use_message, m.claim_rival`;

/** Reads `holdColumns`. */
export function readHolds(row: Row): MachineHolds {
  const isClaimed = (row.claim_owner ?? null) !== null;
  return {
    hold: heldBackIn(row, 'hold'),
    claim: isClaimed
      ? {
          owner: textOf(row, 'claim_owner'),
          turn: textOf(row, 'claim_turn') as Turn,
          work: textOrUndefined(row.claim_work),
          use: heldBackIn(row, 'use'),
        }
      : undefined,
    rival: textOrUndefined(row.claim_rival),
  };
}

/** Reads a row of `claims`. */
export function readClaim(row: Row): Claim {
  return {
    owner: textOf(row, 'owner'),
    turn: textOf(row, 'turn') as Turn,
    work: textOrUndefined(row.work),
    use: heldBackIn(row, 'use'),
  };
}

/** The claim of an owner, if there is one. */
export async function findClaim(tx: Transaction, owner: string): Promise<Claim | undefined> {
  const row = await tx.first(`SELECT * FROM claims WHERE owner = ?`, owner);
  return row === undefined ? undefined : readClaim(row);
}

function heldBackIn(row: Row, what: 'hold' | 'use'): HeldBack | undefined {
  const code = textOrUndefined(row[`${what}_code`]);
  return code === undefined ? undefined : { code, message: textOf(row, `${what}_message`) };
}

function textOrUndefined(value: Row[string] | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}
