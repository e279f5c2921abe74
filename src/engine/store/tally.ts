import type { Database } from './database.ts';

/** The counters behind `Database.counts`. */
export class Tally {
  statements = 0;
  transactions = 0;
  retries = 0;

  read(): Database['counts'] {
    return { statements: this.statements, transactions: this.transactions, retries: this.retries };
  }
}
