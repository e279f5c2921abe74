import type { Migration } from '../../engine/index.ts';

/** Whose versions these are in a database that several rooms share. */
export const orcSchema = 'conditionorc';

/** The tables of conditionOrc, in SQL that SQLite, PostgreSQL and CockroachDB read alike. */
export const orcMigrations: readonly Migration[] = [
  {
    version: 1,
    statements: {
      common: [
        // How far the engine's events were followed, for what.
        `CREATE TABLE orc_cursors (name TEXT PRIMARY KEY, seq BIGINT NOT NULL)`,
        // One for each event that operators are told of, under the event's number: never two.
        `CREATE TABLE orc_notices (
        seq BIGINT PRIMARY KEY, happened_at BIGINT NOT NULL, type TEXT NOT NULL, controller TEXT NOT NULL,
        record TEXT NOT NULL, delivery TEXT NOT NULL, attempts INTEGER NOT NULL, next_at BIGINT NOT NULL)`,
        `CREATE INDEX orc_notices_due ON orc_notices (next_at) WHERE delivery = 'waiting'`,
        `CREATE INDEX orc_notices_ages ON orc_notices (happened_at)`,
        `CREATE TABLE orc_follow_ups (condition_id TEXT PRIMARY KEY, created_at BIGINT NOT NULL)`,
      ],
    },
  },
  {
    version: 2,
    // The engine has servers read after installs.
    statements: { common: [`DROP TABLE orc_follow_ups`] },
  },
];
