import { textOf } from '../conditions/condition-row.ts';
import { forUpdate } from '../conditions/lock-lines.ts';
import type { EngineContext } from '../context.ts';
import type { ReadyWork } from '../hints.ts';
import type { Alias } from '../machine.ts';
import { bmcOf, nameOf } from '../machines/machine-row.ts';
import { isNamed } from '../machines/match-names.ts';
import { settleMachine } from '../machines/settle-machine.ts';
import type { Transaction } from '../store/database.ts';
import type { ClaimOrder, Claims } from './claim.ts';
import { findClaim } from './claim-row.ts';
import { fitClaim, isSameBmc, lockClaims, readClaimedNames } from './fit-claim.ts';
import { endTurn, passTurns } from './pass-turns.ts';

/** Claims, kept in the engine's store: they outlive whoever made them. */
export function createClaims(context: EngineContext): Claims {
  const { database } = context;
  const change = async (owner: string, work: (tx: Transaction) => Promise<void>): Promise<void> => {
    context.hints.work(await context.write((tx) => changeClaim(context, tx, { owner, work })));
  };
  return {
    async put(order) {
      if (await database.read((tx) => isAsOrdered(tx, order))) return;
      await change(order.owner, (tx) => writeClaim(tx, order));
    },
    get: (owner) => database.read((tx) => findClaim(tx, owner)),
    async owners({ isAtWork = false, turn } = {}) {
      // Said so that the index of turns is seen to fit.
      const ofTurn = turn === undefined ? [] : [`turn <> 'theirs' AND turn = ?`];
      const where = ['1 = 1', ...(isAtWork ? ['work IS NOT NULL'] : []), ...ofTurn].join(' AND ');
      const values = turn === undefined ? [] : [turn];
      const rows = await database.read((tx) =>
        tx.all(`SELECT owner FROM claims WHERE ${where} ORDER BY owner`, ...values),
      );
      return rows.map((row) => textOf(row, 'owner'));
    },
    async markWork({ owner, names, what }) {
      const claim = await database.read((tx) => findClaim(tx, owner));
      // The note was there before the machine could become known.
      if (claim?.work === what) return 'marked';
      return await context.write((tx) => markIn(context, tx, { owner, names, what }));
    },
    async clearWork(owner) {
      const claim = await database.read((tx) => findClaim(tx, owner));
      if (claim?.work === undefined) return;
      await change(owner, async (tx) => {
        await tx.run(`UPDATE claims SET work = NULL, updated_at = ? WHERE owner = ?`, tx.now, owner);
      });
    },
    async remove(owner) {
      if ((await database.read((tx) => findClaim(tx, owner))) === undefined) return;
      await change(owner, async (tx) => {
        await tx.run(`DELETE FROM claimed_names WHERE owner = ?`, owner);
        await tx.run(`DELETE FROM claims WHERE owner = ?`, owner);
      });
    },
    due: () => passTurns(context),
    done: (turn) => endTurn(context, turn),
  };
}

/** Changes a claim, fits the machines that it was or is about, and settles their lines. */
async function changeClaim(
  context: EngineContext,
  tx: Transaction,
  { owner, work }: { readonly owner: string; readonly work: (tx: Transaction) => Promise<void> },
): Promise<readonly ReadyWork[]> {
  await lockClaims(context, tx);
  const before = await findMachines(tx, owner);
  await work(tx);
  const ids = [...new Set([...before, ...(await findMachines(tx, owner))])].sort();
  for (const id of ids) {
    await tx.first(`SELECT id FROM machines WHERE id = ?${forUpdate(context)}`, id);
    await fitClaim(tx, id);
  }
  const ready: ReadyWork[] = [];
  for (const id of ids) ready.push(...(await settleMachine(context, tx, id)));
  return ready;
}

/** Machines that have the claim, or a name of it. */
async function findMachines(tx: Transaction, owner: string): Promise<readonly string[]> {
  const rows = await tx.all(
    `SELECT id FROM machines WHERE claim_owner = ? UNION SELECT a.machine_id AS id FROM claimed_names n
       JOIN aliases a ON a.kind = n.kind AND a.value = n.value WHERE n.owner = ?
     UNION SELECT a.machine_id AS id FROM claimed_names n JOIN aliases a ON ${isSameBmc} WHERE n.owner = ?
     UNION SELECT m.id AS id FROM claimed_names n JOIN machines m ON m.id = n.value
       WHERE n.kind = 'machine-id' AND n.owner = ?`,
    owner,
    owner,
    owner,
    owner,
  );
  return rows.map((row) => textOf(row, 'id'));
}

async function isAsOrdered(tx: Transaction, { owner, names, use }: ClaimOrder): Promise<boolean> {
  const claim = await findClaim(tx, owner);
  if (claim === undefined || claim.use?.code !== use?.code || claim.use?.message !== use?.message) return false;
  const rows = await tx.all(`SELECT kind, value FROM claimed_names WHERE owner = ?`, owner);
  const known = new Set(rows.map((row) => `${row.kind} ${row.value}`));
  const wanted = new Set(names.map((alias) => nameOf(alias).join(' ')));
  return known.symmetricDifference(wanted).size === 0;
}

async function writeClaim(tx: Transaction, { owner, names, use }: ClaimOrder): Promise<void> {
  await tx.run(
    `INSERT INTO claims (owner, turn, use_code, use_message, updated_at) VALUES (?, 'theirs', ?, ?, ?)
     ON CONFLICT (owner) DO UPDATE SET use_code = excluded.use_code, use_message = excluded.use_message,
       updated_at = excluded.updated_at`,
    ...[owner, use?.code ?? null, use?.message ?? null, tx.now],
  );
  await tx.run(`DELETE FROM claimed_names WHERE owner = ?`, owner);
  await addNames(tx, owner, names);
}

async function addNames(tx: Transaction, owner: string, names: readonly Alias[]): Promise<void> {
  for (const alias of names) {
    await tx.run(
      `INSERT INTO claimed_names (kind, value, bmc, owner) VALUES (?, ?, ?, ?)
       ON CONFLICT (kind, value, owner) DO NOTHING`,
      ...nameOf(alias),
      bmcOf(alias) ?? null,
      owner,
    );
  }
}

async function markIn(
  context: EngineContext,
  tx: Transaction,
  { owner, names, what }: { readonly owner: string; readonly names: readonly Alias[]; readonly what: string },
): Promise<'marked' | 'known'> {
  await lockClaims(context, tx);
  await tx.run(
    `INSERT INTO claims (owner, turn, work, updated_at) VALUES (?, 'theirs', ?, ?)
     ON CONFLICT (owner) DO UPDATE SET work = excluded.work, updated_at = excluded.updated_at`,
    ...[owner, what, tx.now],
  );
  await addNames(tx, owner, names);
  const claimed = await readClaimedNames(tx, owner);
  let isKnown = false;
  for (const id of await findMachines(tx, owner)) isKnown ||= await isNamed(tx, claimed, id);
  if (!isKnown) return 'marked';
  await tx.run(`UPDATE claims SET work = NULL WHERE owner = ?`, owner);
  return 'known';
}
