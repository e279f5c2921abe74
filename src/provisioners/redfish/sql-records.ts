import {
  type Database,
  type Migration,
  migrate,
  openedJson,
  type Row,
  sealedJson,
  type Transaction,
  type UrlSealer,
} from '../../engine/index.ts';
import { type HostRecord, type HostRecords, isWorking, type RecordKey } from './host-record.ts';

const schema = 'redfish-hosts';

const migrations: readonly Migration[] = [
  {
    version: 1,
    statements: {
      common: [
        `CREATE TABLE redfish_hosts (
        namespace TEXT NOT NULL, name TEXT NOT NULL, machine TEXT NOT NULL, is_working INTEGER NOT NULL,
        record TEXT NOT NULL, PRIMARY KEY (namespace, name))`,
        `CREATE INDEX redfish_hosts_machines ON redfish_hosts (machine)`,
        `CREATE INDEX redfish_hosts_working ON redfish_hosts (namespace, name) WHERE is_working = 1`,
      ],
    },
  },
];

function keyIn(row: Row): RecordKey {
  return { namespace: String(row.namespace), name: String(row.name) };
}

interface Sealing {
  readonly sealer: UrlSealer | undefined;
}

async function readRecord(
  tx: Pick<Transaction, 'first'>,
  { namespace, name, sealer }: RecordKey & Sealing,
): Promise<HostRecord | undefined> {
  const row = await tx.first('SELECT record FROM redfish_hosts WHERE namespace = ? AND name = ?', namespace, name);
  return row === undefined ? undefined : (JSON.parse(openedJson({ sealer }, String(row.record))) as HostRecord);
}

/** Seals what older versions stored in clear text, and what an older key sealed. */
async function sealRecords(database: Database, sealing: Sealing): Promise<void> {
  await database.write(async (tx) => {
    for (const row of await tx.all('SELECT namespace, name, record FROM redfish_hosts')) {
      const stored = String(row.record);
      const record = sealedJson(sealing, openedJson(sealing, stored));
      if (record === stored) continue;
      const { namespace, name } = keyIn(row);
      await tx.run('UPDATE redfish_hosts SET record = ? WHERE namespace = ? AND name = ?', record, namespace, name);
    }
  });
}

/**
 * Opens the table of hosts, which is made first where it is not there. The database stays the caller's. The sealer is for
 * URLs with log-ins; without one they are stored as they are.
 */
export async function openHostRecords(database: Database, sealer?: UrlSealer): Promise<HostRecords> {
  await migrate(database, migrations, { schema });
  if (sealer !== undefined) await sealRecords(database, { sealer });
  return {
    read: (key) => database.read((tx) => readRecord(tx, { ...key, sealer })),
    ownerOf: (id) =>
      database.read(async (tx) => {
        const row = await tx.first('SELECT namespace, name FROM redfish_hosts WHERE machine = ? LIMIT 1', id);
        return row === undefined ? undefined : keyIn(row);
      }),
    change: ({ namespace, name }, edit) =>
      database.write(async (tx) => {
        const now = await readRecord(tx, { namespace, name, sealer });
        const record = edit(now);
        if (record === undefined || record === now) return;
        const values = [record.id, isWorking(record) ? 1 : 0, sealedJson({ sealer }, JSON.stringify(record))] as const;
        await tx.run(
          `INSERT INTO redfish_hosts (machine, is_working, record, namespace, name) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (namespace, name) DO UPDATE SET
           machine = excluded.machine, is_working = excluded.is_working, record = excluded.record`,
          ...values,
          namespace,
          name,
        );
      }),
    remove: ({ namespace, name }) =>
      database.write(async (tx) => {
        await tx.run('DELETE FROM redfish_hosts WHERE namespace = ? AND name = ?', namespace, name);
      }),
    working: () =>
      database.read(async (tx) =>
        (await tx.all('SELECT namespace, name FROM redfish_hosts WHERE is_working = 1')).map(keyIn),
      ),
  };
}
