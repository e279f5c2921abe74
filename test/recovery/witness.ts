import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync, existsSync, readFileSync, writeSync } from 'node:fs';
import { type GateLane, type Gates, isBmcError } from '../../src/bmc/index.ts';
import {
  isEngineError,
  type JsonObject,
  type Work,
  type WorkerPort,
  type WorkHandler,
} from '../../src/engine/index.ts';
import type { FlasherMetrics } from '../../src/flasher/flasher-metrics.ts';
import { harmlessStates, type InstallState } from '../../src/flasher/install/install-table.ts';
import type { FastClock } from './fast-time.ts';
import type { Line } from './line-process.ts';
import { hasCome, type Moment, type Place, stepAfter } from './moments.ts';

/** Says a line to whoever started this process; it is out before anything else happens. */
export function say(line: Line): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** One lease at work. */
interface Job {
  readonly target: string;
  readonly kind: string;
  /** Names this holder to BMCs, with the token of its lease: of two holders the one with the greater token came later. */
  readonly holder: string;
  step: InstallState;
  readonly counts: Map<Place, number>;
  isAnswered: boolean;
}

/** What a witness needs to know. */
export interface WitnessOptions {
  /** Of this life of the process. */
  readonly name: string;
  readonly clock: FastClock;
  /** By target, in order. */
  readonly moments: Readonly<Record<string, readonly Moment[]>>;
  /** A file that tells all processes which moments have passed. */
  readonly passedPath: string;
}

/**
 * Looks over the shoulder of a flasher: tells which step each install is at, counts what was refused to it, and ends or
 * stops the process, by its own hand, exactly at the moments that were chosen.
 */
export class Witness {
  readonly #options: WitnessOptions;
  readonly #current = new AsyncLocalStorage<Job>();
  readonly #jobs = new Set<Job>();
  readonly #passed = new Map<string, number>();
  #holders = 0;

  constructor(options: WitnessOptions) {
    this.#options = options;
  }

  /** Which moments of a target have passed, also in other processes: whoever had it before has written that down. */
  #lookUp(target: string): void {
    const { passedPath } = this.#options;
    const lines = existsSync(passedPath) ? readFileSync(passedPath, 'utf8').split('\n') : [];
    this.#passed.set(target, lines.filter((line) => line === target).length);
  }

  /** The same handler, each call of it a job of its own. */
  handler(handle: WorkHandler): WorkHandler {
    return async (work: Work) => {
      this.#holders += 1;
      const { target, kind, progress } = work.condition;
      const job: Job = {
        target,
        kind,
        holder: `${this.#options.name}.${this.#holders}/${kind}@${work.lease.token}`,
        step: stateOf(progress) ?? 'checking-host',
        counts: new Map(),
        isAnswered: false,
      };
      this.#lookUp(target);
      this.#jobs.add(job);
      say({ say: 'leased', target, kind, holder: job.holder, leases: work.condition.leases, step: job.step });
      try {
        return await this.#current.run(job, () => {
          this.#reach('begun');
          return handle(work);
        });
      } finally {
        this.#jobs.delete(job);
        say({ say: 'left', holder: job.holder });
      }
    };
  }

  /** The same port; what it refuses is told. */
  port(port: WorkerPort): WorkerPort {
    return {
      ...port,
      report: async (held, report) => {
        const outcome = await port.report(held, report);
        if (outcome.outcome === 'lost') say({ say: 'refused', by: 'store', what: 'report' });
        else if (report.progress !== undefined) this.#stored(report.progress);
        return outcome;
      },
      check: async (held, options) => {
        try {
          await port.check(held, options);
        } catch (error) {
          if (isEngineError(error, 'leaseLost')) say({ say: 'refused', by: 'store', what: 'check' });
          throw error;
        }
      },
    };
  }

  /** The same gates; BMCs are told which holder asks. */
  gates(gates: Gates): Gates {
    return {
      get states() {
        return gates.states;
      },
      close: () => gates.close(),
      open: (endpoint, caller) => {
        const checkLease = caller?.checkLease;
        const checked: typeof caller =
          checkLease === undefined
            ? caller
            : {
                ...caller,
                checkLease: async (purpose, origin, about) => {
                  try {
                    await checkLease(purpose, origin, about);
                  } catch (error) {
                    if (isBmcError(error, 'leaseLost')) say({ say: 'refused', by: 'gate', what: purpose });
                    throw error;
                  }
                  if (purpose === 'disruptive') this.#reach('checked');
                },
              };
        return this.#lane(gates.open(endpoint, checked));
      },
    };
  }

  #lane(lane: GateLane): GateLane {
    const holder = this.#current.getStore()?.holder ?? this.#options.name;
    return {
      origin: lane.origin,
      endpoint: lane.endpoint,
      get sessionUri() {
        return lane.sessionUri;
      },
      get state() {
        return lane.state;
      },
      request: async (request) => {
        if (request.isDisruptive === true) this.#reach('changing');
        this.#reach('asked');
        const reply = await lane.request({ ...request, headers: { ...request.headers, 'user-agent': holder } });
        if (request.isDisruptive === true) this.#reach('changed');
        this.#reach('answered');
        this.#tellAnswered();
        return reply;
      },
      openEventStream: (path, signal, headers) => lane.openEventStream(path, signal, headers),
      expectOutage: () => lane.expectOutage(),
      logOut: () => lane.logOut(),
    };
  }

  /** The first answer of a BMC to a holder shows that it is known there. */
  #tellAnswered(): void {
    const job = this.#current.getStore();
    if (job === undefined || job.isAnswered) return;
    job.isAnswered = true;
    say({ say: 'answered', target: job.target });
  }

  /** Metrics that tell which step ended. */
  get metrics(): FlasherMetrics {
    return {
      actionEnded: () => undefined,
      sent: () => undefined,
      resumed: () => undefined,
      stepEnded: ({ step, result }) => {
        const job = this.#current.getStore();
        if (job === undefined) return;
        this.#enter(job, step as InstallState);
        this.#reach('done');
        this.#enter(job, stepAfter(job.step, result) ?? job.step);
        // These are stored together with what follows them, or before they change something.
        if (harmlessStates.includes(job.step) || job.step === 'restoring-power') this.#reach('begun');
      },
    };
  }

  /** Called while a report of a job is written and not committed. */
  writing(): void {
    this.#reach('writing');
  }

  #stored(progress: JsonObject): void {
    const job = this.#current.getStore();
    const state = stateOf(progress);
    if (job === undefined || state === undefined) return;
    this.#enter(job, state);
    if (!job.counts.has('begun')) this.#reach('begun');
  }

  #enter(job: Job, step: InstallState): void {
    if (job.step === step) return;
    job.step = step;
    job.counts.clear();
  }

  #reach(place: Place): void {
    const job = this.#current.getStore();
    if (job === undefined || job.kind !== 'firmwareInstall') return;
    const nth = (job.counts.get(place) ?? 0) + 1;
    job.counts.set(place, nth);
    if (place === 'begun' && nth === 1) say({ say: 'step', target: job.target, step: job.step });
    const at = this.#passed.get(job.target) ?? 0;
    const moment = this.#options.moments[job.target]?.[at];
    if (moment === undefined) return;
    if (!hasCome(moment, { step: job.step, place, nth }, { isFirst: at === 0 })) return;
    this.#passed.set(job.target, at + 1);
    appendFileSync(this.#options.passedPath, `${job.target}\n`);
    this.#strike(moment, { job, place });
  }

  #strike({ blow, forMs }: Moment, { job, place }: { readonly job: Job; readonly place: Place }): void {
    const others = [...this.#jobs].filter((one) => one !== job && one.kind === 'firmwareInstall');
    say({ say: 'hit', target: job.target, step: job.step, place, blow, forMs, others: others.map(({ step }) => step) });
    const began = performance.now();
    process.kill(process.pid, blow === 'kill' ? 'SIGKILL' : 'SIGSTOP');
    const stoppedMs = performance.now() - began;
    if (blow === 'suspend') this.#options.clock.stoodStill(stoppedMs);
    say({ say: 'woken', stoppedMs: Math.round(stoppedMs) });
  }
}

function stateOf(progress: JsonObject): InstallState | undefined {
  return typeof progress.state === 'string' ? (progress.state as InstallState) : undefined;
}
