import type { Database, Row, Transaction } from '../../engine/index.ts';
import type { Notice } from '../loop/notice.ts';

/** What became of telling a webhook. `none`: there was no webhook. */
export type Delivery = 'none' | 'waiting' | 'delivered' | 'given-up';

/** A notice, and whether it arrived. */
export interface StoredNotice {
  readonly notice: Notice;
  readonly delivery: Delivery;
  readonly attempts: number;
}

/** A notice that this process may deliver now; nobody else does for a while. */
export interface ClaimedNotice extends StoredNotice {
  readonly claimedUntil: number;
}

function readNotice(row: Row): StoredNotice {
  return {
    notice: JSON.parse(String(row.record)) as Notice,
    delivery: String(row.delivery) as Delivery,
    attempts: Number(row.attempts),
  };
}

/** Writes notices with the mark of how far events were followed. */
export async function insertNotices(
  tx: Transaction,
  notices: readonly Notice[],
  delivery: 'none' | 'waiting',
): Promise<void> {
  for (const notice of notices) {
    await tx.run(
      `INSERT INTO orc_notices (seq, happened_at, type, controller, record, delivery, attempts, next_at)
       VALUES (?, ?, ?, ?, ?, ?, 0, ?) ON CONFLICT (seq) DO NOTHING`,
      notice.seq,
      notice.at,
      notice.type,
      notice.controller,
      JSON.stringify(notice),
      delivery,
      tx.now,
    );
  }
}

/** Takes the next notice that is due to be delivered; another process that wants it too gets another one. */
export async function claimNotice(database: Database, claimMs: number): Promise<ClaimedNotice | undefined> {
  const find = (tx: Transaction) =>
    tx.first(
      `SELECT * FROM orc_notices WHERE delivery = 'waiting' AND next_at <= ? ORDER BY next_at, seq LIMIT 1`,
      tx.now,
    );
  if ((await database.read(find)) === undefined) return undefined;
  return await database.write(async (tx) => {
    const row = await find(tx);
    if (row === undefined) return undefined;
    const claimedUntil = tx.now + claimMs;
    const taken = await tx.run(
      `UPDATE orc_notices SET attempts = attempts + 1, next_at = ? WHERE seq = ? AND attempts = ? AND delivery = 'waiting'`,
      claimedUntil,
      Number(row.seq),
      Number(row.attempts),
    );
    if (taken === 0) return undefined;
    return { ...readNotice(row), attempts: Number(row.attempts) + 1, claimedUntil };
  });
}

/** Writes what became of an attempt: delivered, given up, or to be tried again after a while. */
export async function settleNotice(
  database: Database,
  seq: number,
  outcome: { readonly delivery: Delivery; readonly afterMs: number },
): Promise<void> {
  await database.write((tx) =>
    tx.run(
      `UPDATE orc_notices SET delivery = ?, next_at = ? WHERE seq = ? AND delivery = 'waiting'`,
      outcome.delivery,
      tx.now + Math.trunc(outcome.afterMs),
      seq,
    ),
  );
}

/** Where notices are read. */
export interface NoticeBook {
  /** Newest first, those before `before`. */
  list(query: { readonly limit: number; readonly before: number | undefined }): Promise<readonly StoredNotice[]>;
}

/** The book of notices in a store. */
export function createNoticeBook(database: Database): NoticeBook {
  return { list: (query) => listNotices(database, query) };
}

async function listNotices(
  database: Database,
  query: { readonly limit: number; readonly before: number | undefined },
): Promise<readonly StoredNotice[]> {
  const before = query.before ?? Number.MAX_SAFE_INTEGER;
  const rows = await database.read((tx) =>
    tx.all(`SELECT * FROM orc_notices WHERE seq < ? ORDER BY seq DESC LIMIT ?`, before, query.limit),
  );
  return rows.map(readNotice);
}

/** Forgets notices that are older. */
export async function forgetNotices(database: Database, olderThanMs: number): Promise<void> {
  await database.write((tx) => tx.run(`DELETE FROM orc_notices WHERE happened_at <= ?`, tx.now - olderThanMs));
}
