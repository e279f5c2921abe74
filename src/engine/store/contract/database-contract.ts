import { describe } from 'node:test';
import type { ContractTarget } from './fixture.ts';
import { tryConstraints } from './try-constraints.ts';
import { tryFailures } from './try-failures.ts';
import { tryIsolation } from './try-isolation.ts';
import { tryMigrations } from './try-migrations.ts';
import { tryValues } from './try-values.ts';

/** What every database of the engine has to do alike. */
export function databaseContract(target: ContractTarget): void {
  describe(`${target.name}: isolation`, () => tryIsolation(target));
  describe(`${target.name}: failures`, () => tryFailures(target));
  describe(`${target.name}: constraints`, () => tryConstraints(target));
  describe(`${target.name}: values`, () => tryValues(target));
  describe(`${target.name}: migrations`, () => tryMigrations(target));
}
