import { type Logger, type Metrics, noMetrics, silentLogger } from '../../telemetry/index.ts';
import type { BackoffOptions } from '../backoff.ts';
import type { Clock, Random } from '../clock.ts';
import type { EventRecorder, EventSubject } from '../event-recorder.ts';
import type { Informer } from '../informer/informer.ts';
import type { Change } from '../informer/object-cache.ts';
import type { KubeObject } from '../object.ts';
import { createWorkQueue, type WorkOutcome } from '../queue/work-queue.ts';
import { type ControllerMetrics, createControllerMetrics } from './controller-metrics.ts';
import type { Decision, Effect, Instant } from './decision.ts';
import { type Failure, joinFailures, type Result, toFailure } from './result.ts';
import { isSameJson } from './same-json.ts';
import { createStateCounts, type StateCounts } from './state-metrics.ts';

/** What wakes a controller: changes of objects, and which keys they concern. */
export interface Watch {
  /** Subscribes; calls back with the keys to look at. Returns how to leave. */
  subscribe(wake: (key: string) => void): () => void;
}

/** Looks at the keys of an informer; `keysOf` maps an object to the keys it concerns, itself unless given. */
export function watchInformer<T extends KubeObject>(
  informer: Informer<T>,
  keysOf: (key: string, change: Change<T>) => readonly string[] = (key) => [key],
): Watch {
  return {
    subscribe: (wake) =>
      informer.onChange((key, change) => {
        for (const concerned of keysOf(key, change)) wake(concerned);
      }),
  };
}

/** What an effect is given besides itself. */
export interface EffectContext<Seen> {
  readonly seen: Seen;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Does one kind of effect. May throw; expected outcomes are better returned. */
export type EffectPort<E extends Effect, Seen> = (effect: E, context: EffectContext<Seen>) => Promise<Result<unknown>>;

/** A controller: a pure function, and the ports that act for it. */
export interface ControllerDefinition<Seen, E extends Effect, S> {
  readonly name: string;
  readonly watches: readonly Watch[];
  /** The state machine that `decide` goes by: objects are counted by its states. */
  readonly table?: { readonly name: string; readonly states: readonly string[] };
  /** Reads the caches; undefined when the object is gone. */
  readonly read: (key: string) => Seen | undefined | Promise<Seen | undefined>;
  readonly decide: (seen: Seen, now: Instant) => Decision<E, S>;
  readonly effects: { readonly [K in E['kind']]: EffectPort<Extract<E, { kind: K }>, Seen> };
  /** The status as last seen, to write only what changed. */
  readonly statusOf: (seen: Seen) => S | undefined;
  readonly writeStatus: (seen: Seen, status: S, context: EffectContext<Seen>) => Promise<void>;
  /** True: an effect that failed does not keep those after it from being done. False unless given. */
  readonly areEffectsIndependent?: boolean;
  /** The status that tells about a failed effect; nothing is written unless given. Pure. */
  readonly describeFailure?: (seen: Seen, failure: Failure, now: Instant) => S | undefined;
  /** The object that events are about. */
  readonly subjectOf?: (seen: Seen) => EventSubject | undefined;
}

/** What the shell of a controller uses. */
export interface ControllerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder?: EventRecorder;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  readonly concurrency?: number;
  readonly backoff?: BackoffOptions;
  /** How often something blocked is looked at though nothing changed; 60 s unless given. */
  readonly blockedMs?: number;
}

/** The last thing a controller decided about a key, for `rackwright why`. */
export interface LastDecision<E extends Effect, S> {
  readonly at: Instant;
  readonly decision: Decision<E, S>;
  /** Set when acting on it failed. */
  readonly failure: Failure | undefined;
}

/** A running controller. */
export interface Controller<E extends Effect, S> {
  readonly name: string;
  start(): void;
  /** Takes no more work and waits for what runs. */
  stop(options?: { readonly deadlineMs?: number }): Promise<void>;
  /** Looks at a key though nothing changed. */
  wake(key: string): void;
  last(key: string): LastDecision<E, S> | undefined;
  /** What would be decided now; nothing is done. */
  plan(key: string): Promise<Decision<E, S> | undefined>;
}

/** Makes the shell around a controller's `decide`; it is the same for every kind. */
export function defineController<Seen, E extends Effect, S>(
  definition: ControllerDefinition<Seen, E, S>,
  options: ControllerOptions,
): Controller<E, S> {
  const shell = new Shell(definition, options);
  const queue = createWorkQueue({
    ...options,
    name: definition.name,
    work: (key, signal) => shell.work(key, signal),
  });
  let leave: (() => void)[] = [];
  return {
    name: definition.name,
    start() {
      leave = definition.watches.map((watch) => watch.subscribe((key) => queue.add(key)));
      queue.start();
    },
    async stop(stopping) {
      for (const end of leave.splice(0)) end();
      await queue.drain(stopping);
      shell.forget();
    },
    wake: (key) => queue.add(key),
    last: (key) => shell.lastOf(key),
    async plan(key) {
      const seen = await definition.read(key);
      return seen === undefined ? undefined : definition.decide(seen, options.clock.now());
    },
  };
}

class Shell<Seen, E extends Effect, S> {
  readonly #definition: ControllerDefinition<Seen, E, S>;
  readonly #options: ControllerOptions;
  readonly #metrics: ControllerMetrics;
  readonly #logger: Logger;
  readonly #states: StateCounts | undefined;
  readonly #last = new Map<string, LastDecision<E, S>>();

  constructor(definition: ControllerDefinition<Seen, E, S>, options: ControllerOptions) {
    this.#definition = definition;
    this.#options = options;
    this.#metrics = createControllerMetrics(options.metrics ?? noMetrics, definition.name);
    this.#logger = (options.logger ?? silentLogger).child({ controller: definition.name });
    const { table } = definition;
    this.#states = table === undefined ? undefined : createStateCounts(options.metrics ?? noMetrics, table);
  }

  /** Counts nothing any more: whoever goes on counts anew. */
  forget(): void {
    this.#states?.clear();
  }

  lastOf(key: string): LastDecision<E, S> | undefined {
    return this.#last.get(key);
  }

  /** One look at a key: read, decide, act, write. */
  async work(key: string, signal: AbortSignal): Promise<WorkOutcome> {
    let seen: Seen | undefined;
    let decision: Decision<E, S>;
    const at = this.#options.clock.now();
    try {
      seen = await this.#definition.read(key);
      if (seen === undefined) {
        this.#last.delete(key);
        this.#states?.gone(key);
        return { kind: 'done' };
      }
      decision = this.#definition.decide(seen, at);
      if (decision.state !== undefined) this.#states?.at(key, decision.state);
    } catch (error) {
      return this.#fail(key, toFailure(error));
    }
    const failure = await this.#act(seen, decision, { seen, key, signal });
    this.#last.set(key, { at, decision, failure });
    if (failure !== undefined) return this.#fail(key, failure);
    this.#metrics.decided('ok');
    return 'after' in decision.wake ? { kind: 'again', afterMs: decision.wake.after } : { kind: 'done' };
  }

  /** Effects in order, then the status, then events: a crash in between repeats effects, which is harmless. */
  async #act(seen: Seen, decision: Decision<E, S>, context: EffectContext<Seen>): Promise<Failure | undefined> {
    const failures: Failure[] = [];
    for (const effect of decision.effects) {
      const result = await this.#do(effect, context);
      if (result.ok) continue;
      failures.push(result.failure);
      if (this.#definition.areEffectsIndependent !== true) break;
    }
    const failed = joinFailures(failures);
    if (failed !== undefined) {
      await this.#tellFailure(seen, failed, context);
      return failed;
    }
    const failure = await this.#writeStatus(seen, decision.status, context);
    if (failure === undefined) this.#record(seen, decision);
    return failure;
  }

  async #do(effect: E, context: EffectContext<Seen>): Promise<Result<unknown>> {
    const ports = this.#definition.effects as unknown as Readonly<Record<string, EffectPort<E, Seen> | undefined>>;
    const port = ports[effect.kind];
    let result: Result<unknown>;
    try {
      if (port === undefined) throw new TypeError(`there is no port for the effect "${effect.kind}"`);
      result = await port(effect, context);
    } catch (error) {
      result = { ok: false, failure: toFailure(error) };
    }
    this.#metrics.effect(effect.kind, result.ok ? 'ok' : result.failure.retry);
    return result;
  }

  async #writeStatus(seen: Seen, status: S | undefined, context: EffectContext<Seen>): Promise<Failure | undefined> {
    if (status === undefined || isSameJson(status, this.#definition.statusOf(seen))) return undefined;
    try {
      await this.#definition.writeStatus(seen, status, context);
      this.#metrics.statusWritten();
      return undefined;
    } catch (error) {
      return toFailure(error);
    }
  }

  async #tellFailure(seen: Seen, failure: Failure, context: EffectContext<Seen>): Promise<void> {
    try {
      const status = this.#definition.describeFailure?.(seen, failure, this.#options.clock.now());
      const second = await this.#writeStatus(seen, status, context);
      if (second !== undefined)
        this.#logger.warn('a failure could not be told in the status', { key: context.key, failure: second });
    } catch (error) {
      this.#metrics.decided('bug');
      this.#logger.error('describing a failure threw', { key: context.key, error });
    }
  }

  #record(seen: Seen, decision: Decision<E, S>): void {
    const subject = decision.events === undefined ? undefined : this.#definition.subjectOf?.(seen);
    if (subject === undefined) return;
    for (const draft of decision.events ?? []) this.#options.recorder?.record(subject, draft);
  }

  /** Transient: again soon. Blocked: again now and then. Terminal: not before a change. Bug: counted, and again later. */
  #fail(key: string, failure: Failure): WorkOutcome {
    this.#metrics.decided(failure.retry);
    const level = failure.retry === 'bug' ? 'error' : failure.retry === 'transient' ? 'debug' : 'warn';
    this.#logger[level]('acting on a key failed', { key, code: failure.code, error: failure.cause ?? failure.message });
    switch (failure.retry) {
      case 'terminal':
        return { kind: 'done' };
      case 'blocked':
        return { kind: 'again', afterMs: failure.retryAfterMs ?? this.#blockedMs() };
      default:
        return { kind: 'retry', leastMs: failure.retryAfterMs };
    }
  }

  #blockedMs(): number {
    return (this.#options.blockedMs ?? 60_000) * (0.9 + this.#options.random() / 5);
  }
}
