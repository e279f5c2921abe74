import { type Condition, isEngineError, type Lease } from '../../engine/index.ts';
import { backoffDelay, sleep } from '../../kube/index.ts';
import { noTracer } from '../../telemetry/index.ts';
import { handleOf, type LaunchRecord, readLaunch, withLaunch } from '../jobs/launch-record.ts';
import { jobKinds } from '../kinds.ts';
import { toLeasedWork } from './leased-work.ts';
import { type JobRunner, type JobRunnerOptions, notBegun, orderOf } from './runner-options.ts';
import { superviseJob } from './supervise-job.ts';

const retry = { baseMs: 500, maxMs: 15_000 };
const heartbeatMs = 10_000;
const waitMs = 20_000;

/** Runs jobs in processes of their own, which work and report by themselves and outlive this one. */
export function startOutsideRunner(options: JobRunnerOptions): JobRunner {
  return new OutsideRunner(options);
}

class OutsideRunner implements JobRunner {
  readonly online: Promise<void>;
  readonly #options: JobRunnerOptions;
  readonly #stopping = new AbortController();
  /** By job; what resolves when the job is not ours to look after any more. */
  readonly #jobs = new Map<string, Promise<void>>();
  readonly #done: Promise<unknown>;
  /** The handles of jobs that an earlier life launched and that this one looks after. */
  readonly #adopted = new Map<string, LaunchRecord['handle']>();
  /** Where the jobs can be seen from; what all lives that see them are called, and this one. Known once it is online. */
  #scope = '';
  #family = '';
  #id = '';

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.online = this.#comeOnline();
    this.#done = this.online.then(() => Promise.all([this.#leaseLoop(), this.#heartbeatLoop()]));
  }

  get running(): number {
    return this.#jobs.size;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
    await Promise.all(this.#jobs.values());
    const { engine, logger, launcher } = this.#options;
    await engine.worker.offline(this.#id, { areLeasesKept: true }).catch((error: unknown) => {
      logger.warn('the engine was not told that this job runner left; it will notice', { error });
    });
    await launcher.close();
  }

  get #signal(): AbortSignal {
    return this.#stopping.signal;
  }

  async #insist(what: string, work: () => Promise<void>): Promise<void> {
    const { logger, clock, random } = this.#options;
    for (let failures = 1; !this.#signal.aborted; failures++) {
      try {
        return await work();
      } catch (error) {
        logger.warn(`${what} failed; it is tried again`, { error });
        await sleep(clock, backoffDelay(retry, failures, random), this.#signal);
      }
    }
  }

  /** What an earlier life launched is found before anything new is launched. */
  async #comeOnline(): Promise<void> {
    const { engine, facilities, kinds = jobKinds, launcher, logger } = this.#options;
    await this.#insist('finding out where jobs run', () => this.#findScope());
    await this.#insist('looking for jobs that run', () => this.#adopt());
    // Nothing is launched before this is done, so that what no process does belongs to nobody.
    await launcher.sweep?.([...this.#adopted.values()]).catch((error: unknown) => {
      logger.warn('what jobs left behind could not be thrown away', { error });
    });
    await this.#insist('coming online', () => engine.worker.online({ id: this.#id, kinds, facilities }));
  }

  async #findScope(): Promise<void> {
    const { launcher, id } = this.#options;
    this.#scope = await launcher.scope();
    this.#family = `runner/${launcher.name}/${this.#scope}/`;
    this.#id = `${this.#family}${id}`;
  }

  async #adopt(): Promise<void> {
    const { engine, kinds = jobKinds } = this.#options;
    for (const kind of kinds) {
      for (let after: string | undefined, isMore = true; isMore; isMore = after !== undefined) {
        const page = await engine.list({
          kind,
          states: ['active'],
          limit: 500,
          ...(after === undefined ? {} : { after }),
        });
        for (const condition of page.conditions) await this.#adoptOne(condition);
        after = page.next;
      }
    }
  }

  /**
   * A job that was written down is looked after. One that was leased and not written down may not have acted, whether or
   * not it was launched: its work is given back at once, and a process that is still about to launch it finds that out.
   */
  async #adoptOne({ id, controller = '', fencingToken: token, progress }: Condition): Promise<void> {
    const { engine } = this.#options;
    const launch = readLaunch({ progress });
    if (launch?.token === token) {
      if (!this.#canSee(launch)) return;
      this.#adopted.set(id, launch.handle);
      this.#supervise(id, launch);
      return;
    }
    if (!controller.startsWith(this.#family)) return;
    const why = 'the process that leased it ended before it had launched a job';
    await engine.worker.release({ conditionId: id, token }, why, { areLeftoversKept: true });
  }

  #canSee({ launcher, scope }: LaunchRecord): boolean {
    return launcher === this.#options.launcher.name && scope === this.#scope;
  }

  async #heartbeatLoop(): Promise<void> {
    const { engine, clock } = this.#options;
    while (!this.#signal.aborted) {
      await sleep(clock, heartbeatMs, this.#signal);
      if (!this.#signal.aborted) await this.#insist('a sign of life', () => engine.worker.heartbeat(this.#id));
    }
  }

  async #leaseLoop(): Promise<void> {
    const { engine, concurrency, clock, lookMs = 2000 } = this.#options;
    while (!this.#signal.aborted) {
      const max = concurrency - this.#jobs.size;
      if (max <= 0) {
        await Promise.race([...this.#jobs.values(), sleep(clock, lookMs, this.#signal)]);
        continue;
      }
      await this.#insist('leasing', async () => {
        const leases = await engine.worker.lease(this.#id, { max, waitMs, signal: this.#signal });
        for (const lease of leases) this.#start(lease);
      });
    }
  }

  #start(lease: Lease): void {
    const { logger } = this.#options;
    const job = lease.condition.id;
    this.#look(
      job,
      this.#launch(lease).catch((error: unknown) => logger.error('a job was not launched', { job, error })),
    );
  }

  #look(job: string, work: Promise<void>): void {
    const done = work.finally(() => {
      if (this.#jobs.get(job) === done) this.#jobs.delete(job);
    });
    this.#jobs.set(job, done);
  }

  async #launch(lease: Lease): Promise<void> {
    const { tracer = noTracer, launcher } = this.#options;
    const { id, kind, target, leases, traceparent } = lease.condition;
    const attributes = {
      'rackwright.condition': id,
      'rackwright.kind': kind,
      'rackwright.target': target,
      'rackwright.worker': this.#id,
      'rackwright.lease': leases,
      'rackwright.launcher': launcher.name,
    };
    // The job goes on with the trace by itself: what is looked after here may take hours and is no span.
    const plan = { name: `launch ${kind}`, kind: 'consumer', attributes, parent: traceparent } as const;
    try {
      const launch = await tracer.trace(plan, () => this.#begin(lease));
      if (launch !== undefined) await this.#follow(id, launch);
    } catch (error) {
      await this.#giveBack(lease, error);
    }
  }

  async #giveBack({ condition, token }: Lease, error: unknown): Promise<void> {
    const { engine, logger } = this.#options;
    const why = error instanceof Error ? error.message : String(error);
    const how = notBegun(this.#options, condition);
    logger.warn('a job was not launched; it is tried again', { job: condition.id, afterMs: how.afterMs, error });
    const held = { conditionId: condition.id, token };
    await engine.worker.release(held, `the job was not launched: ${why}`, how);
  }

  /** Undefined when somebody else has the lease by now. */
  async #begin(lease: Lease): Promise<LaunchRecord | undefined> {
    const { engine, launcher, clock } = this.#options;
    const { condition, token, leftovers } = lease;
    await this.#endPrevious(condition);
    const work = toLeasedWork(lease, engine.worker, new AbortController().signal);
    const { handle } = await launcher.launch(await orderOf(this.#options, work));
    const launchedAt = clock.now();
    const launch = {
      launcher: launcher.name,
      scope: this.#scope,
      token,
      handle,
      launchedAt,
      leftovers,
    };
    const held = { conditionId: condition.id, token };
    const progress = withLaunch(condition.progress, launch);
    const isKept = await engine.worker.report(held, { progress }).then(
      ({ outcome }) => outcome === 'kept',
      (error: unknown) => this.#requireLaunch(condition.id, launch, error),
    );
    if (isKept) return launch;
    await launcher.interrupt(handle, { timeoutMs: 0, isForced: true });
    return undefined;
  }

  /**
   * The store may have a launch though it did not say so; then the job works, and to write it down again would undo what it
   * wrote since. One that it does not have is ended. Throws what went wrong then.
   */
  async #requireLaunch(job: string, launch: LaunchRecord, error: unknown): Promise<true> {
    const { engine, launcher } = this.#options;
    let isThere = false;
    await this.#insist('finding out whether a launch is written down', async () => {
      const condition = await engine.get(job);
      isThere = condition !== undefined && readLaunch(condition)?.token === launch.token;
    });
    if (isThere) return true;
    if (!this.#signal.aborted) await launcher.interrupt(launch.handle, { timeoutMs: 0, isForced: true });
    throw error;
  }

  #supervise(job: string, launch: LaunchRecord): void {
    this.#look(job, this.#follow(job, launch));
  }

  async #follow(job: string, launch: LaunchRecord): Promise<void> {
    const { logger } = this.#options;
    while (!this.#signal.aborted) {
      try {
        await superviseJob(this.#options, { job, launch }, this.#signal);
        return;
      } catch (error) {
        if (isEngineError(error, 'closed')) return;
        logger.warn('a job could not be looked at; it is tried again', { job, error });
        await sleep(this.#options.clock, this.#options.lookMs ?? 2000, this.#signal);
      }
    }
  }

  /** A job whose lease ended may still run: there are never two, so it ends before the next begins. */
  async #endPrevious(condition: Condition): Promise<void> {
    const { launcher } = this.#options;
    const before = readLaunch(condition);
    // One that cannot be seen from here finds out by itself that it has no lease.
    if (before === undefined || !this.#canSee(before)) return;
    const handle = handleOf(before);
    if ((await launcher.look(handle)).state === 'gone') return;
    const sight = await launcher.interrupt(handle, { timeoutMs: 10_000, isForced: true });
    if (sight.state === 'running') throw new Error('the job that ran before under an older lease does not end');
  }
}
