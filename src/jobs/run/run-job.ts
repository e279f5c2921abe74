import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transport } from '@connectrpc/connect';
import { type CatalogSource, catalogLogins, createCatalogReader } from '../../catalogs/index.ts';
import { createEgress, type Egress } from '../../egress/index.ts';
import { type BusHint, createWorker, type Work, type Worker, type WorkOutcome } from '../../engine/index.ts';
import { type FirmwareStore, openStoreAt } from '../../firmware-store/index.ts';
import type { InstallSettings } from '../../flasher/index.ts';
import { type Clock, type Random, systemClock, type Timer } from '../../kube/index.ts';
import { type Logger, type Metrics, noTracer, openTracer, silentLogger, type Tracer } from '../../telemetry/index.ts';
import { startTaskServer, type Task } from '../api/task-server.ts';
import { chooseImplementation, type JobImplementation } from '../implementations.ts';
import { type JobFile, readJobFile } from '../job-file.ts';
import { jobKinds } from '../job-type.ts';
import { loadStrategy } from '../strategies/load-strategy.ts';
import type { Strategy } from '../strategies/strategy.ts';
import { builtInImplementations } from './built-in.ts';
import { openDiscoveryTools } from './discovery-tools.ts';
import { Harvest } from './harvest.ts';
import { beginning, type JobEnd, JobPort, type TaskState } from './job-port.ts';
import { type OpenedTools, openJobTools } from './job-tools.ts';
import { createJobClient } from './update-client.ts';

/** How a job application is run. */
export interface RunJobOptions {
  /** The path of the job file, or what it holds. */
  readonly jobFile: string | JobFile;
  /** The file is in a mounted Secret, whose mode is the cluster's to choose. */
  readonly isMounted?: boolean;
  /** Where the update service is, if not where the job file says. */
  readonly updateServiceUrl?: string | undefined;
  /** Where the job's own interface listens: loopback, or the address of the pod. 127.0.0.1 unless given. */
  readonly host?: string;
  readonly port?: number;
  /** Called with the address of the interface before the job is taken. */
  readonly onListening?: (url: string) => void | Promise<void>;
  /** Loads what does jobs besides what is built in; the last of those that fit equally well is taken. */
  readonly loadImplementations?: (() => Promise<readonly JobImplementation[]>) | undefined;
  /** Makes the strategy; by name among the built-in ones and the packages unless given. */
  readonly loadStrategy?: (choice: { readonly name: string; readonly settings: unknown }) => Promise<Strategy>;
  /** Where discoveries keep images; the one of the job file unless given. */
  readonly store?: FirmwareStore | undefined;
  /** Where images and catalogues are kept; a folder that goes with the job unless given. */
  readonly folder?: string | undefined;
  readonly maxImageBytes?: number;
  readonly fileFolders?: readonly string[] | undefined;
  readonly settings?: Partial<InstallSettings> | undefined;
  /** How long a graceful stop may take that names no time; 30 s unless given. */
  readonly graceMs?: number;
  /** Aborted when the process is told to stop: the job lets go at its next safe point, to be done again later. */
  readonly stopping?: AbortSignal;
  readonly transport?: Transport;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics | undefined;
  /** Opens the way to a collector of traces, of which the job file may name one; to the one of the file unless given. */
  readonly openTraces?: (endpoint: string | undefined) => Promise<Tracer>;
}

/** How long the update service may be away when a job begins. */
const patienceMs = 5 * 60_000;
const defaultMaxImageBytes = 20 * 1024 ** 3;
/** How long work that was cut off may take to notice. */
const lastMs = 5000;

/** Runs one job to its end, and says how it ended. Throws JobErrors for what is wrong before it begins. */
export async function runJob(options: RunJobOptions): Promise<JobEnd> {
  const given = typeof options.jobFile === 'string' ? await readJobFile(options.jobFile, options) : options.jobFile;
  const url = options.updateServiceUrl ?? given.updateService.url;
  const file: JobFile = { ...given, updateService: { ...given.updateService, url } };
  const isOwnFolder = options.folder === undefined;
  const tracer = await (options.openTraces ?? openByFile)(file.traces?.endpoint);
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'rackwright-job-')));
  try {
    return await new JobRun(file, { folder, tracer }, options).run();
  } finally {
    // A collector that is away is no failure of the job.
    await tracer.close().catch((error: unknown) => options.logger?.warn('traces were not sent', { error }));
    if (isOwnFolder) await rm(folder, { recursive: true, force: true });
  }
}

async function openByFile(endpoint: string | undefined): Promise<Tracer> {
  return endpoint === undefined ? noTracer : await openTracer({ endpoint, service: 'rackwright-job' });
}

class JobRun implements Task {
  readonly #file: JobFile;
  readonly #folder: string;
  readonly #tracer: Tracer;
  readonly #options: RunJobOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #logger: Logger;
  readonly #harvest = new Harvest();
  readonly #stopped = Promise.withResolvers<JobEnd>();
  #hear: (hint: BusHint) => void = () => {};
  #running: { readonly port: JobPort; readonly worker: Worker } | undefined;
  #opened: OpenedTools | undefined;
  #isOver = false;
  /** How it was asked to stop before it began. */
  #asked: Parameters<Task['cancel']>[0] | undefined;

  constructor(file: JobFile, own: { readonly folder: string; readonly tracer: Tracer }, options: RunJobOptions) {
    this.#file = file;
    this.#folder = own.folder;
    this.#tracer = own.tracer;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#logger = (options.logger ?? silentLogger).child({ job: file.jobId });
  }

  get jobId(): string {
    return this.#file.jobId;
  }

  get state(): TaskState {
    return this.#running?.port.state ?? beginning;
  }

  get #graceMs(): number {
    return this.#options.graceMs ?? 30_000;
  }

  cancel(how: Parameters<Task['cancel']>[0]): boolean {
    if (this.#isOver) return false;
    if (this.#running === undefined) {
      this.#asked = { ...how, isForced: how.isForced || this.#asked?.isForced === true };
      return true;
    }
    const { timeoutMs = this.#graceMs, isForced } = how;
    this.#logger.info('the job is asked to stop', { timeoutMs, isForced });
    this.#running.port.askToCancel({ isForced });
    this.#hear({ about: 'cancel', conditionId: this.jobId });
    if (isForced) this.#timers.push(this.#clock.after(timeoutMs, () => this.#stop(0)));
    return true;
  }

  async run(): Promise<JobEnd> {
    const { host = '127.0.0.1', port = 0, onListening } = this.#options;
    const { token, tls } = this.#file;
    const server = await startTaskServer({ task: this, token, host, port, ...(tls === undefined ? {} : { tls }) });
    try {
      await onListening?.(server.url);
      return await this.#untilEnded(this.#start(server.url));
    } finally {
      await server.close();
      await this.#opened?.close();
    }
  }

  #start(address: string): JobPort {
    const { transport } = this.#options;
    const client = createJobClient({ file: this.#file, ...(transport === undefined ? {} : { transport }) });
    const [clock, random, logger, harvest] = [this.#clock, this.#random, this.#logger, this.#harvest];
    const traceparent = this.#file.traces?.parent;
    const port = new JobPort({
      ...{ jobId: this.jobId, client, harvest, clock, random, address, patienceMs, traceparent },
      // What jobs of packages start is not known here.
      isFencedByHeartbeats: this.#options.loadImplementations === undefined,
    });
    const handle = (work: Work) => this.#work(work, port);
    const worker = createWorker({
      port,
      identity: { id: `job/${this.jobId}`, kinds: jobKinds, facilities: [] },
      handlers: Object.fromEntries(jobKinds.map((kind) => [kind, handle])),
      concurrency: 1,
      clock,
      random,
      logger,
      tracer: this.#tracer,
      bus: {
        listen: async (listener) => {
          this.#hear = listener;
          return async () => {};
        },
      },
    });
    this.#running = { port, worker };
    if (this.#asked !== undefined) this.cancel(this.#asked);
    return port;
  }

  async #untilEnded(port: JobPort): Promise<JobEnd> {
    const { stopping } = this.#options;
    const stop = (): void => {
      this.#logger.info('the process is told to stop; the job lets go at its next safe point');
      this.#stop(this.#graceMs);
    };
    if (stopping?.aborted === true) stop();
    stopping?.addEventListener('abort', stop, { once: true });
    const end = await Promise.race([port.ended, this.#stopped.promise]);
    this.#isOver = true;
    stopping?.removeEventListener('abort', stop);
    for (const timer of this.#timers) timer.cancel();
    void this.#running?.worker.stop({ graceMs: 0 });
    return end;
  }

  readonly #timers: Timer[] = [];

  /** Work that does not notice that it was cut off is not waited for: whoever runs the job ends the process. */
  #stop(graceMs: number): void {
    if (this.#running === undefined || this.#isOver) return;
    const { worker, port } = this.#running;
    const silent: JobEnd = { outcome: 'lost', message: 'the job was stopped, and nobody could be told' };
    void worker.stop({ graceMs }).then(() => this.#stopped.resolve(port.end ?? silent));
    this.#timers.push(this.#clock.after(graceMs + lastMs, () => this.#stopped.resolve(port.end ?? silent)));
  }

  async #work(work: Work, port: JobPort): Promise<WorkOutcome> {
    const options = this.#options;
    const { job } = port;
    // Throws at a safe point, which this is unless an earlier life left it in the middle of a flash.
    if (work.cancel !== undefined) await work.report();
    const store = options.store ?? (await this.#openStore(job.work.discovery?.sources ?? []));
    const added = (await options.loadImplementations?.()) ?? [];
    const found = chooseImplementation([...builtInImplementations, ...added], job);
    this.#opened = await openJobTools({
      bmc: this.#file.bmc,
      sink: this.#harvest,
      images: {
        folder: join(this.#folder, 'images'),
        maxBytes: this.#mostBytes,
        fileFolders: options.fileFolders,
        areUnverifiedAllowed: this.#file.areUnverifiedAllowed,
        egress: this.#egress,
      },
      settings: { ...this.#file.patience, ...options.settings },
      clock: this.#clock,
      random: this.#random,
      logger: this.#logger,
      metrics: options.metrics,
    });
    const catalogs = createCatalogReader({
      clock: this.#clock,
      cacheFolder: join(this.#folder, 'catalogs'),
      egress: this.#egress,
    });
    const load = options.loadStrategy ?? loadByName;
    try {
      return await found.run(work, {
        ...openDiscoveryTools({
          job: { ...job, discovery: job.work.discovery },
          harvest: this.#harvest,
          ...{ store, catalogs, clock: this.#clock, logger: this.#logger },
        }),
        tools: this.#opened.tools,
        strategy: () => load({ name: job.strategy, settings: job.work.strategy?.settings }),
      });
    } finally {
      await catalogs.close();
      if (options.store === undefined) await store?.close();
    }
  }

  get #egress(): Egress {
    return createEgress(this.#file.egress);
  }

  get #mostBytes(): number {
    return this.#options.maxImageBytes ?? defaultMaxImageBytes;
  }

  async #openStore(sources: readonly CatalogSource[]): Promise<FirmwareStore | undefined> {
    const { store, areUnverifiedAllowed } = this.#file;
    if (store === undefined) return undefined;
    return await openStoreAt(store, {
      staging: { folder: join(this.#folder, 'staging'), maxBytes: this.#mostBytes },
      isThere: true,
      areUnverifiedAllowed,
      fileFolders: this.#options.fileFolders,
      credentialsFor: catalogLogins(sources),
      egress: this.#egress,
      clock: this.#clock,
      logger: this.#logger,
    });
  }
}

function loadByName({ name, settings }: { readonly name: string; readonly settings: unknown }): Promise<Strategy> {
  return loadStrategy({ enabled: [name], settings });
}
