import { numberOf, textOf } from '../conditions/condition-row.ts';
import { forUpdate } from '../conditions/lock-lines.ts';
import { readInLine } from '../conditions/settle-line.ts';
import type { EngineContext } from '../context.ts';
import { externalWork } from '../external-work/external-work-kind.ts';
import type { ReadyWork } from '../hints.ts';
import { lockLinesOf, settleMachine } from '../machines/settle-machine.ts';
import type { Row, Transaction } from '../store/database.ts';
import type { Claim, DueTurn, Turn } from './claim.ts';
import { findClaim, holdColumns } from './claim-row.ts';
import { decideTurn, type InTurn } from './decide-turn.ts';

/**
 * Claims whose turn may have to be passed on. What only waits for hosts in use is left out, and so is what is being worked
 * on: either may be much.
 */
const candidates = `SELECT owner FROM claims WHERE turn <> 'theirs' AND NOT (turn = 'ours' AND EXISTS (
    SELECT 1 FROM machines m JOIN conditions c ON c.machine_id = m.id WHERE m.claim_owner = claims.owner
      AND c.state = 'active' AND c.sharing = 'exclusive' AND c.kind <> '${externalWork.kind}'))
  UNION ALL ${waitingIn('pending')} UNION ALL ${waitingIn('active')}`;

/** Open work is little beside all claims: written so that it is looked through first. */
function waitingIn(state: 'pending' | 'active'): string {
  return `SELECT o.owner FROM conditions c CROSS JOIN machines m CROSS JOIN claims o
    WHERE m.id = c.machine_id AND o.owner = m.claim_owner AND c.state = '${state}' AND c.sharing = 'exclusive'
      AND c.kind <> '${externalWork.kind}' AND o.turn = 'theirs'
      AND (c.fencing_token > 0 OR (m.claim_rival IS NULL
        AND (c.is_disruptive = 0 OR (m.hold_code IS NULL AND (o.use_code IS NULL OR c.owner = o.owner)))))`;
}

/** Passes turns on where work waits for that, and gives those that owners have to do something about. */
export async function passTurns(context: EngineContext): Promise<readonly DueTurn[]> {
  const rows = await context.database.read((tx) => tx.all(candidates));
  const owners = [...new Set(rows.map((row) => textOf(row, 'owner')))].sort();
  const due: DueTurn[] = [];
  for (const owner of owners) {
    const seen = await context.database.read((tx) => seeTurn(tx, owner));
    const turn = seen !== undefined && seen.next !== seen.claim.turn ? await pass(context, owner) : seen?.claim.turn;
    if (turn === 'asked' || turn === 'over') due.push({ owner, turn });
  }
  return due;
}

/** The owner has made way, or taken the machine back. */
export async function endTurn(context: EngineContext, { owner, turn }: DueTurn): Promise<void> {
  const next: Turn = turn === 'asked' ? 'ours' : 'theirs';
  const ready = await context.write(async (tx) => {
    const machines = await lockMachines(context, tx, owner);
    const claim = await findClaim(tx, owner);
    if (claim?.turn !== turn) return [];
    await writeTurn(tx, { owner, turn: next });
    return await settle(context, tx, machines);
  });
  context.hints.work(ready);
}

/** Decided again while nobody can come to or leave the line. */
async function pass(context: EngineContext, owner: string): Promise<Turn | undefined> {
  return await context.write(async (tx) => {
    const machines = await lockMachines(context, tx, owner);
    for (const id of machines) await lockLinesOf(context, tx, { ids: [id] });
    const seen = await seeTurn(tx, owner);
    if (seen === undefined || seen.next === seen.claim.turn) return seen?.claim.turn;
    await writeTurn(tx, { owner, turn: seen.next });
    // Nobody gets ready by that: on the way neither side begins anything.
    await settle(context, tx, machines);
    return seen.next;
  });
}

async function seeTurn(
  tx: Transaction,
  owner: string,
): Promise<{ readonly claim: Claim; readonly next: Turn } | undefined> {
  const claim = await findClaim(tx, owner);
  if (claim === undefined) return undefined;
  const rows = await tx.all(
    `SELECT c.*, ${holdColumns} FROM conditions c JOIN machines m ON m.id = c.machine_id
       JOIN claims o ON o.owner = m.claim_owner WHERE m.claim_owner = ? AND c.finalized_at IS NULL`,
    owner,
  );
  const { turn, work } = claim;
  return { claim, next: decideTurn({ turn, isMarked: work !== undefined, line: rows.map(readInTurn) }) };
}

function readInTurn(row: Row): InTurn {
  const isUseInTheWay = row.use_code !== null && row.owner !== row.claim_owner;
  const isInUse = numberOf(row, 'is_disruptive') === 1 && (row.hold_code !== null || isUseInTheWay);
  const isOutside = row.kind === externalWork.kind;
  return { ...readInLine(row), isOutside, isHeld: isInUse || (!isOutside && row.claim_rival !== null) };
}

async function lockMachines(context: EngineContext, tx: Transaction, owner: string): Promise<readonly string[]> {
  const query = `SELECT id FROM machines WHERE claim_owner = ? ORDER BY id${forUpdate(context)}`;
  return (await tx.all(query, owner)).map((row) => textOf(row, 'id'));
}

async function writeTurn(
  tx: Transaction,
  { owner, turn }: { readonly owner: string; readonly turn: Turn },
): Promise<void> {
  await tx.run(`UPDATE claims SET turn = ?, updated_at = ? WHERE owner = ?`, turn, tx.now, owner);
}

async function settle(context: EngineContext, tx: Transaction, machines: readonly string[]): Promise<ReadyWork[]> {
  const ready: ReadyWork[] = [];
  for (const id of machines) ready.push(...(await settleMachine(context, tx, id)));
  return ready;
}
