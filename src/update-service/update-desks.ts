import type { CatalogSource } from '../catalogs/index.ts';
import { createSlotDesk } from '../conditionorc/index.ts';
import type { Condition, Database, Engine } from '../engine/index.ts';
import type { Clock } from '../kube/index.ts';
import type { Serverservice } from '../serverservice/index.ts';
import { createRequestDesk, type RequestDesk } from './desk/request-desk.ts';
import { type CancelOrder, cancelJob } from './jobs/cancel-job.ts';
import { createJobBook, type JobBook } from './jobs/job-book.ts';
import { createJobTakers } from './jobs/job-takers.ts';
import { createJobTokens, type JobTokens } from './jobs/job-tokens.ts';
import { type WatchQuery, watchJobs } from './jobs/watch-jobs.ts';
import { createInventoryReader } from './mirror/installed.ts';
import type { FleetNames } from './names/fleet-names.ts';
import { createJobDesk, type JobDesk } from './reports/job-desk.ts';
import { createResultDesk, type ResultDesk } from './reports/result-desk.ts';
import { openUpdateStore } from './store/update-store.ts';

/** What the update service is made of. */
export interface UpdateDesksOptions {
  /** Must know the kinds of jobs: those of the flasher and `firmwareDiscover`. */
  readonly engine: Engine;
  /** The engine's; the update service has tables of its own in it. */
  readonly database: Database;
  /** On the same database. */
  readonly service: Serverservice;
  readonly names: FleetNames;
  readonly strategy: { readonly name: string; readonly settings?: unknown };
  /** Catalogues that discoveries read. */
  readonly sources: readonly CatalogSource[];
  readonly clock: Clock;
}

/** All that can be asked of the update service, whatever it is asked by. They share one engine and keep nothing. */
export interface UpdateDesks {
  readonly requests: RequestDesk;
  readonly jobs: JobDesk;
  readonly results: ResultDesk;
  readonly book: JobBook;
  readonly tokens: JobTokens;
  readonly clock: Clock;
  cancel(order: CancelOrder): Promise<Condition>;
  watch(query: WatchQuery, signal: AbortSignal): AsyncGenerator<Condition, void, undefined>;
}

/** Opens the desks on a store. */
export async function openUpdateDesks(options: UpdateDesksOptions): Promise<UpdateDesks> {
  const { engine, service, names, strategy, sources, clock } = options;
  const { tokenKey } = await openUpdateStore(options.database);
  const tokens = createJobTokens(tokenKey);
  const inventory = createInventoryReader(service);
  const book = createJobBook({ engine, names, strategy: strategy.name });
  return {
    tokens,
    book,
    clock,
    requests: createRequestDesk({ engine, names, catalogue: service.firmware, inventory }),
    jobs: createJobDesk({
      ...{ engine, tokens, names, strategy, sources },
      takers: createJobTakers(options.database),
      slots: createSlotDesk(engine.worker, clock),
    }),
    results: createResultDesk({ engine, service, tokens, names }),
    cancel: (order) => cancelJob({ engine, book, clock }, order),
    watch: (query, signal) => watchJobs({ engine, book, clock }, query, signal),
  };
}
