import {
  createTurns,
  type Database,
  type Migration,
  migrate,
  type Row,
  type Transaction,
} from '../../../engine/index.ts';
import type { MachineDetails } from '../../discovery-source.ts';
import { isWorking, type MachineRecord } from './machine-record.ts';
import type { MachineMacs, MachineRecords } from './machine-records.ts';

/** Whose tables these are. */
export const machineSchema = 'agent-machines';

/** The steps that lead to the tables of machines. */
export const machineMigrations: readonly Migration[] = [
  {
    version: 1,
    statements: {
      common: [
        `CREATE TABLE agent_machines (
        id TEXT NOT NULL PRIMARY KEY, boot_mac TEXT NOT NULL, macs TEXT NOT NULL, namespace TEXT, name TEXT,
        is_own INTEGER NOT NULL, is_removed INTEGER NOT NULL, is_working INTEGER NOT NULL,
        introduced_ms BIGINT NOT NULL, details TEXT, record TEXT NOT NULL)`,
        `CREATE UNIQUE INDEX agent_machines_hosts ON agent_machines (namespace, name)`,
        `CREATE INDEX agent_machines_unclaimed ON agent_machines (introduced_ms, id) WHERE namespace IS NULL`,
        `CREATE INDEX agent_machines_working ON agent_machines (id) WHERE is_working = 1`,
        `CREATE TABLE agent_macs (mac TEXT NOT NULL PRIMARY KEY, machine TEXT NOT NULL)`,
        `CREATE INDEX agent_macs_machines ON agent_macs (machine)`,
      ],
    },
  },
  {
    version: 2,
    statements: {
      common: [
        // Some vendors give all their machines the same MAC inside: several may have one.
        `CREATE TABLE agent_machine_macs (mac TEXT NOT NULL, machine TEXT NOT NULL, PRIMARY KEY (mac, machine))`,
        `CREATE INDEX agent_machine_macs_machines ON agent_machine_macs (machine)`,
        `INSERT INTO agent_machine_macs (mac, machine) SELECT mac, machine FROM agent_macs`,
        `DROP TABLE agent_macs`,
        `CREATE INDEX agent_machines_boot_macs ON agent_machines (boot_mac)`,
      ],
    },
  },
  {
    version: 3,
    statements: { common: [`CREATE TABLE agent_keys (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)`] },
  },
];

/** More than so many alike are not looked at; those that hosts have come first. */
const mostAlike = 256;

function recordIn(row: Row): MachineRecord {
  return JSON.parse(String(row.record)) as MachineRecord;
}

async function readRecord(tx: Pick<Transaction, 'first'>, id: string): Promise<MachineRecord | undefined> {
  const row = await tx.first('SELECT record FROM agent_machines WHERE id = ?', id);
  return row === undefined ? undefined : recordIn(row);
}

/** Machines that boot from one of its MACs, or have the one that it boots from. */
async function readAlike(tx: Pick<Transaction, 'all'>, { macs, bootMac }: MachineMacs): Promise<MachineRecord[]> {
  const places = macs.map(() => '?').join(', ');
  const rows = await tx.all(
    `SELECT record FROM agent_machines WHERE boot_mac IN (${places === '' ? 'NULL' : places})
     OR id IN (SELECT machine FROM agent_machine_macs WHERE mac = ?)
     ORDER BY CASE WHEN namespace IS NULL THEN 1 ELSE 0 END, id LIMIT ${mostAlike}`,
    ...macs,
    bootMac,
  );
  return rows.map(recordIn);
}

async function write(tx: Transaction, record: MachineRecord, details: MachineDetails | undefined): Promise<void> {
  const { id, bootMac, macs, host, introducedAtMs } = record;
  await tx.run(
    `INSERT INTO agent_machines
     (id, boot_mac, macs, namespace, name, is_own, is_removed, is_working, introduced_ms, details, record)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET boot_mac = excluded.boot_mac, macs = excluded.macs,
     namespace = excluded.namespace, name = excluded.name, is_own = excluded.is_own, is_removed = excluded.is_removed,
     is_working = excluded.is_working, introduced_ms = excluded.introduced_ms,
     details = COALESCE(excluded.details, agent_machines.details), record = excluded.record`,
    ...[id, bootMac, JSON.stringify(macs), host?.namespace ?? null, host?.name ?? null],
    ...[introducedAtMs === undefined ? 0 : 1, record.isRemoved === true ? 1 : 0, isWorking(record) ? 1 : 0],
    ...[introducedAtMs ?? 0, details === undefined ? null : JSON.stringify(details), JSON.stringify(record)],
  );
}

async function writeMacs(tx: Transaction, { id, macs }: MachineRecord): Promise<void> {
  await tx.run('DELETE FROM agent_machine_macs WHERE machine = ?', id);
  for (const mac of macs) await tx.run('INSERT INTO agent_machine_macs (mac, machine) VALUES (?, ?)', mac, id);
}

async function erase(tx: Transaction, id: string): Promise<void> {
  await tx.run('DELETE FROM agent_machine_macs WHERE machine = ?', id);
  await tx.run('DELETE FROM agent_machines WHERE id = ?', id);
}

/**
 * Forgets those that came first of the machines that no host has; says how many. Removed ones go last: their agents were
 * told to be quiet, and would be new otherwise.
 */
async function makeRoom(tx: Transaction, most: number): Promise<number> {
  const row = await tx.first('SELECT COUNT(*) AS count FROM agent_machines WHERE namespace IS NULL');
  const surplus = Number(row?.count ?? 0) - most;
  if (surplus <= 0) return 0;
  const oldest = await tx.all(
    'SELECT id FROM agent_machines WHERE namespace IS NULL ORDER BY is_removed, introduced_ms, id LIMIT ?',
    surplus,
  );
  for (const { id } of oldest) await erase(tx, String(id));
  return oldest.length;
}

/** Opens the tables of machines, which are made first where they are not there. The database stays the caller's. */
export async function openMachineRecords(
  database: Database,
  { unclaimed }: { readonly unclaimed: number },
): Promise<MachineRecords> {
  await migrate(database, machineMigrations, { schema: machineSchema });
  // Introductions look at all machines that no host has: side by side they would only be in each other's way.
  const inTurn = createTurns();
  return {
    read: (id) => database.read((tx) => readRecord(tx, id)),
    readDetails: (id) =>
      database.read(async (tx) => {
        const row = await tx.first('SELECT details FROM agent_machines WHERE id = ? AND is_removed = 0', id);
        const text = row?.details ?? null;
        return text === null ? undefined : (JSON.parse(String(text)) as MachineDetails);
      }),
    ofHost: ({ namespace, name }) =>
      database.read(async (tx) => {
        const sql = 'SELECT record FROM agent_machines WHERE namespace = ? AND name = ?';
        const row = await tx.first(sql, namespace, name);
        return row === undefined ? undefined : recordIn(row);
      }),
    alike: (machine) => database.read((tx) => readAlike(tx, machine)),
    list: () =>
      database.read(async (tx) => {
        const rows = await tx.all(
          'SELECT id, boot_mac, macs, is_own, introduced_ms FROM agent_machines WHERE is_removed = 0',
        );
        return rows.map((row) => ({
          id: String(row.id),
          bootMac: String(row.boot_mac),
          macs: JSON.parse(String(row.macs)) as string[],
          isAutoDiscovered: row.is_own === 1,
          ...(Number(row.introduced_ms) === 0 ? {} : { sinceMs: Number(row.introduced_ms) }),
        }));
      }),
    change: (id, edit) =>
      database.write(async (tx) => {
        const now = await readRecord(tx, id);
        const record = now === undefined ? undefined : edit(now);
        if (record === undefined || record === now) return now;
        await write(tx, record, undefined);
        return record;
      }),
    settle: (machine, decide) =>
      inTurn(() =>
        database.write(async (tx) => {
          const decided = decide(await readAlike(tx, machine));
          const { put, details, forget = [] } = decided;
          for (const id of forget) await erase(tx, id);
          if (put === undefined) return { decided, crowdedOut: 0 };
          await write(tx, put, details);
          await writeMacs(tx, put);
          return { decided, crowdedOut: put.host === undefined ? await makeRoom(tx, unclaimed) : 0 };
        }),
      ),
    forget: (id) => database.write((tx) => erase(tx, id)),
    countWorking: () =>
      database.read(async (tx) => {
        const row = await tx.first('SELECT COUNT(*) AS count FROM agent_machines WHERE is_working = 1');
        return Number(row?.count ?? 0);
      }),
  };
}
