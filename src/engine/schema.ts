import type { Migration } from './store/index.ts';

const conditionColumns = `
  id TEXT PRIMARY KEY,
  unit TEXT NOT NULL,
  unit_index INTEGER NOT NULL,
  unit_size INTEGER NOT NULL,
  target TEXT NOT NULL,
  machine_id TEXT,
  lock_key TEXT NOT NULL,
  kind TEXT NOT NULL,
  sharing TEXT NOT NULL,
  is_disruptive INTEGER NOT NULL,
  state TEXT NOT NULL,
  parameters TEXT NOT NULL,
  status TEXT NOT NULL,
  progress TEXT NOT NULL,
  controller TEXT,
  rev BIGINT NOT NULL,
  priority INTEGER NOT NULL,
  facility TEXT NOT NULL,
  model_key TEXT NOT NULL,
  client TEXT NOT NULL,
  reason_code TEXT,
  reason_message TEXT,
  reason_since BIGINT,
  fencing_token BIGINT NOT NULL,
  lease_until BIGINT,
  lease_ms BIGINT NOT NULL,
  request_deadline_ms BIGINT NOT NULL,
  leases INTEGER NOT NULL,
  strikes INTEGER NOT NULL,
  session_uri TEXT,
  previous TEXT,
  is_told_leftovers INTEGER NOT NULL,
  is_cancel_unsafe INTEGER NOT NULL,
  cancel_at BIGINT,
  cancel_is_forced INTEGER,
  cancel_by TEXT,
  deadline BIGINT,
  not_before BIGINT NOT NULL,
  is_turn INTEGER NOT NULL,
  is_ready INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  finalized_at BIGINT`;

/** The tables of the engine, in SQL that SQLite, PostgreSQL and CockroachDB read alike. */
export const engineMigrations: readonly Migration[] = [
  {
    version: 1,
    statements: {
      common: [
        `CREATE TABLE conditions (${conditionColumns})`,
        // The two promises that no code path can get around.
        `CREATE UNIQUE INDEX conditions_one_open_of_a_kind ON conditions (target, kind) WHERE finalized_at IS NULL`,
        `CREATE UNIQUE INDEX conditions_one_exclusive ON conditions (lock_key) WHERE state = 'active' AND sharing = 'exclusive'`,
        // What a leasing worker walks along: only what can be leased is in it, however much waits.
        `CREATE INDEX conditions_ready ON conditions (facility, kind, priority DESC, created_at, id) WHERE state = 'pending' AND is_ready = 1`,
        `CREATE INDEX conditions_line ON conditions (lock_key) WHERE finalized_at IS NULL`,
        // No index holds what a report writes, so that PostgreSQL changes the row in place: leases that ended are found
        // among the active ones, which are few.
        `CREATE INDEX conditions_active ON conditions (facility, model_key) WHERE state = 'active'`,
        `CREATE INDEX conditions_deadlines ON conditions (deadline) WHERE finalized_at IS NULL`,
        `CREATE INDEX conditions_pending ON conditions (created_at, id) WHERE state = 'pending'`,
        `CREATE INDEX conditions_finalized ON conditions (finalized_at) WHERE finalized_at IS NOT NULL`,
        `CREATE INDEX conditions_units ON conditions (unit, unit_index)`,
        `CREATE INDEX conditions_newest ON conditions (created_at, id)`,
        `CREATE INDEX conditions_targets ON conditions (target, created_at, id)`,
        `CREATE INDEX conditions_controllers ON conditions (controller) WHERE finalized_at IS NULL`,
        `CREATE INDEX conditions_machines ON conditions (machine_id)`,
      ],
    },
  },
  {
    version: 2,
    statements: {
      common: [
        `CREATE TABLE history (
        id TEXT PRIMARY KEY, unit TEXT NOT NULL, target TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL,
        facility TEXT NOT NULL, controller TEXT, created_at BIGINT NOT NULL, finalized_at BIGINT NOT NULL,
        record TEXT NOT NULL)`,
        `CREATE INDEX history_newest ON history (created_at, id)`,
        `CREATE INDEX history_targets ON history (target, created_at, id)`,
        `CREATE INDEX history_finalized ON history (finalized_at)`,
        `CREATE INDEX history_units ON history (unit)`,
      ],
    },
  },
  {
    version: 3,
    statements: {
      common: [
        // Tokens outlive conditions: one row for each lock key that was ever leased.
        `CREATE TABLE fences (
        lock_key TEXT PRIMARY KEY, token BIGINT NOT NULL, quiet_until BIGINT NOT NULL, leftovers TEXT NOT NULL)`,
      ],
    },
  },
  {
    version: 4,
    statements: {
      common: [
        `CREATE TABLE machines (
        id TEXT PRIMARY KEY, facility TEXT NOT NULL, bmc_id TEXT NOT NULL, manufacturer TEXT NOT NULL,
        model TEXT NOT NULL, hold_code TEXT, hold_message TEXT, updated_at BIGINT NOT NULL)`,
        `CREATE TABLE aliases (
        kind TEXT NOT NULL, value TEXT NOT NULL, machine_id TEXT NOT NULL, PRIMARY KEY (kind, value))`,
        `CREATE INDEX aliases_machines ON aliases (machine_id)`,
        `CREATE TABLE controllers (
        id TEXT PRIMARY KEY, kinds TEXT NOT NULL, facilities TEXT NOT NULL, is_online INTEGER NOT NULL,
        seen_at BIGINT NOT NULL, online_since BIGINT NOT NULL, left_at BIGINT)`,
      ],
    },
  },
  {
    version: 5,
    statements: {
      common: [
        // Written with the change it tells of; numbered afterwards, so that numbers follow the order of commits.
        `CREATE TABLE events (
        id TEXT PRIMARY KEY, seq BIGINT, happened_at BIGINT NOT NULL, rev BIGINT NOT NULL, event TEXT NOT NULL,
        condition_id TEXT, target TEXT, kind TEXT, state TEXT, detail TEXT NOT NULL)`,
        `CREATE UNIQUE INDEX events_numbered ON events (seq) WHERE seq IS NOT NULL`,
        `CREATE INDEX events_unnumbered ON events (happened_at, rev, id) WHERE seq IS NULL`,
        `CREATE INDEX events_ages ON events (happened_at)`,
      ],
    },
  },
  {
    version: 6,
    statements: {
      common: [
        `CREATE TABLE slots (
        name TEXT NOT NULL, number INTEGER NOT NULL, condition_id TEXT NOT NULL, token BIGINT NOT NULL,
        PRIMARY KEY (name, number))`,
        `CREATE INDEX slots_holders ON slots (condition_id)`,
        `CREATE TABLE engine_facts (name TEXT PRIMARY KEY, text_value TEXT, number_value BIGINT)`,
        `INSERT INTO engine_facts (name, number_value) VALUES ('event-seq', 0)`,
      ],
    },
  },
  {
    version: 7,
    statements: {
      common: [
        // Locked by whoever leases under limits, so that two processes do not use the same room.
        `INSERT INTO engine_facts (name) VALUES ('limits')`,
        // A line is locked by its fence, so that there has to be one before the first lease.
        `INSERT INTO fences (lock_key, token, quiet_until, leftovers)
         SELECT DISTINCT lock_key, 0, 0, '[]' FROM conditions WHERE finalized_at IS NULL
           AND lock_key NOT IN (SELECT lock_key FROM fences)`,
      ],
    },
  },
  {
    version: 8,
    statements: {
      common: [
        // What owners outside say of machines, by names: the engine may not know the machine yet.
        `CREATE TABLE claims (
        owner TEXT PRIMARY KEY, turn TEXT NOT NULL, work TEXT, use_code TEXT, use_message TEXT,
        updated_at BIGINT NOT NULL)`,
        `CREATE INDEX claims_turns ON claims (turn) WHERE turn <> 'theirs'`,
        `CREATE TABLE claimed_names (
        kind TEXT NOT NULL, value TEXT NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (kind, value, owner))`,
        `CREATE INDEX claimed_names_owners ON claimed_names (owner)`,
        // Whose claim fits the names of the machine.
        `ALTER TABLE machines ADD COLUMN claim_owner TEXT`,
        // Locked by whoever changes names of machines or claims, so that two that meet see each other.
        `INSERT INTO engine_facts (name) VALUES ('claims')`,
      ],
    },
  },
  {
    version: 9,
    statements: {
      common: [`CREATE INDEX machines_claims ON machines (claim_owner) WHERE claim_owner IS NOT NULL`],
    },
  },
  {
    version: 10,
    statements: {
      // Another owner whose claim fits the names of the machine, too.
      common: [`ALTER TABLE machines ADD COLUMN claim_rival TEXT`],
    },
  },
  {
    version: 11,
    statements: {
      common: [
        `UPDATE machines SET claim_rival = (SELECT MIN(n.owner) FROM aliases a
          JOIN claimed_names n ON n.kind = a.kind AND n.value = a.value
          WHERE a.machine_id = machines.id AND n.owner <> machines.claim_owner) WHERE claim_owner IS NOT NULL`,
      ],
    },
  },
  {
    version: 12,
    statements: {
      // The trace that a condition was asked for in: whoever works on it goes on with it.
      common: [`ALTER TABLE conditions ADD COLUMN traceparent TEXT`],
    },
  },
  {
    version: 13,
    statements: {
      common: [
        // The BMC that a name leads to, and the one that the machine was put with: both decide whom it shares a lock with.
        `ALTER TABLE aliases ADD COLUMN bmc TEXT`,
        `ALTER TABLE claimed_names ADD COLUMN bmc TEXT`,
        `ALTER TABLE machines ADD COLUMN declared_bmc_id TEXT`,
      ],
    },
  },
  {
    version: 14,
    statements: {
      common: [
        `UPDATE machines SET declared_bmc_id = bmc_id`,
        `CREATE INDEX aliases_bmcs ON aliases (bmc) WHERE bmc IS NOT NULL`,
        `CREATE INDEX claimed_names_bmcs ON claimed_names (bmc) WHERE bmc IS NOT NULL`,
        `CREATE INDEX machines_bmcs ON machines (bmc_id)`,
        `CREATE INDEX machines_declared_bmcs ON machines (declared_bmc_id)`,
      ],
    },
  },
  {
    version: 15,
    statements: {
      common: [
        // What the BMC of a machine says of itself, and what others with the same BMC are found by.
        `ALTER TABLE machines ADD COLUMN bmc_identity TEXT`,
        `CREATE TABLE bmc_marks (machine_id TEXT NOT NULL, mark TEXT NOT NULL, PRIMARY KEY (machine_id, mark))`,
        `CREATE INDEX bmc_marks_marks ON bmc_marks (mark)`,
      ],
    },
  },
  {
    version: 16,
    statements: {
      common: [
        // Machines of which what is known is from before work that ended: written with that end, gone once they were read.
        `CREATE TABLE outdated_machines (
        machine_id TEXT NOT NULL, kind TEXT NOT NULL, since BIGINT NOT NULL, condition_id TEXT NOT NULL,
        settles_at BIGINT NOT NULL, next_at BIGINT NOT NULL, failures INTEGER NOT NULL, PRIMARY KEY (machine_id, kind))`,
        `CREATE INDEX outdated_machines_due ON outdated_machines (next_at)`,
      ],
    },
  },
  {
    version: 17,
    statements: {
      common: [
        // How long a worker that is fenced by heartbeats may be silent; NULL for one that is not.
        `ALTER TABLE controllers ADD COLUMN lost_after_ms BIGINT`,
        // Until when what its holder has sent may still reach the device; NULL where the holder does not say.
        `ALTER TABLE conditions ADD COLUMN request_until BIGINT`,
      ],
    },
  },
  {
    version: 18,
    statements: {
      // The condition whose lease was handed over to this worker; NULL for one that leases for itself.
      common: [`ALTER TABLE controllers ADD COLUMN condition_id TEXT`],
    },
  },
  {
    version: 19,
    statements: {
      // The owner of the machine, where the work is the owner's own; empty for work of everyone else.
      common: [`ALTER TABLE conditions ADD COLUMN owner TEXT NOT NULL DEFAULT ''`],
    },
  },
  {
    version: 20,
    statements: {
      common: [
        // Work of others waits while the machine is in use; the owner's own work of the same kind does not wait for it.
        `CREATE UNIQUE INDEX conditions_one_open_of_an_owner ON conditions (target, kind, owner) WHERE finalized_at IS NULL`,
      ],
      sqlite: [`DROP INDEX conditions_one_open_of_a_kind`],
      // CockroachDB drops a unique index with CASCADE only.
      postgres: [`DROP INDEX conditions_one_open_of_a_kind CASCADE`],
    },
  },
  {
    version: 21,
    statements: {
      // What the reading that makes a machine known again has to be asked for with, as JSON.
      common: [`ALTER TABLE outdated_machines ADD COLUMN parameters TEXT NOT NULL DEFAULT '{}'`],
    },
  },
];
