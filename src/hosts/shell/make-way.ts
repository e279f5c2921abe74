import { type Clock, isBeingDeleted, type RunnableController, sleep } from '../../kube/index.ts';
import type { HostIdentity, Outcome, Provisioners } from '../../provisioners/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { bmcOf } from '../credentials/judge-credentials.ts';
import { secretSeen } from '../credentials/secrets.ts';
import type { HostInformers } from '../objects.ts';
import type { HostTurn, MachineClaims } from '../ports.ts';
import { blankStatus } from '../status/host-status.ts';
import { identityOf } from './ask-provisioner.ts';
import type { NewestObjects } from './perform.ts';

/** What makes way. */
export interface WayMakerParts {
  readonly claims: MachineClaims;
  readonly provisioners: Pick<Provisioners, 'of'>;
  readonly newest: Pick<NewestObjects, 'hosts' | 'secrets'>;
  readonly informers: Pick<HostInformers, 'hosts'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Looks at a host again: whose its machine is has changed. */
  readonly wake: (key: string) => void;
}

/** Why a provisioner is to leave a machine alone. */
const reason = 'the machine is worked on past its provisioner';
/** How often is looked when nobody calls. */
const lookEveryMs = 5000;
/** How often is looked whether a host that made way is still in maintenance. */
const keepEveryMs = 30_000;
/** Whoever calls seldom calls once. */
const gatherMs = 50;
const atOnce = 16;

/**
 * Has provisioners leave machines alone while others work on them: a host is in maintenance with our reason from before
 * the work begins until it has ended. Whose turn it is is stored, so that whoever leads next goes on from there.
 */
export function createWayMaker(parts: WayMakerParts): RunnableController {
  const stopped = new AbortController();
  const way = new WayMaker(parts, stopped.signal);
  let running: Promise<unknown> | undefined;
  return {
    start() {
      running = Promise.all([way.run(), way.keep(), way.endLeftOver()]);
    },
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

class WayMaker {
  readonly #parts: WayMakerParts;
  readonly #signal: AbortSignal;
  /** What is being done for a host: a late end of maintenance must not meet a new beginning. */
  readonly #chains = new Map<string, Promise<void>>();
  /** When a provisioner that could not be asked is asked again, by the clock that never jumps. */
  readonly #notBefore = new Map<string, number>();
  /** When a host that made way is looked at again. */
  readonly #keepAt = new Map<string, number>();

  constructor(parts: WayMakerParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { claims, clock, logger } = this.#parts;
    let called = new AbortController();
    const leave = claims.onChange(() => called.abort());
    while (!this.#signal.aborted) {
      called = new AbortController();
      try {
        await inParallel(await claims.turns(), (turn) => this.#answer(turn), this.#signal);
      } catch (error) {
        logger.warn('who waits for the machine of a host could not be found out', { error });
      }
      await sleep(clock, lookEveryMs, AbortSignal.any([called.signal, this.#signal]));
      if (called.signal.aborted) await sleep(clock, gatherMs, this.#signal);
    }
    leave();
  }

  /**
   * Sees that hosts stay out of the way: one may have become known only then, and an operator may end maintenance that
   * was there before ours.
   */
  async keep(): Promise<void> {
    const { claims, clock, logger } = this.#parts;
    while (!this.#signal.aborted) {
      try {
        const keys = (await claims.waiting()).map(({ namespace, name }) => `${namespace}/${name}`);
        const waiting = new Set(keys);
        for (const key of this.#keepAt.keys()) if (!waiting.has(key)) this.#keepAt.delete(key);
        const due = keys.filter((key) => (this.#keepAt.get(key) ?? 0) <= clock.monotonic());
        await inParallel(due, (key) => this.#keepAway(key), this.#signal);
      } catch (error) {
        logger.warn('which hosts have made way could not be found out', { error });
      }
      await sleep(clock, lookEveryMs, this.#signal);
    }
  }

  async #keepAway(key: string): Promise<void> {
    const { claims, provisioners, clock, logger } = this.#parts;
    const keep = async (): Promise<void> => {
      const host = this.#identity(key);
      // What was over meanwhile is not begun again.
      if (host === undefined || (await claims.isOurs(host))) return;
      const outcome = await provisioners.of(host).setMaintenance(reason);
      const isKept = outcome.kind === 'done';
      // Who is not known yet may be any moment.
      const afterMs = isKept ? keepEveryMs : outcome.kind === 'unavailable' ? outcome.afterMs : 0;
      this.#keepAt.set(key, clock.monotonic() + afterMs);
      if (!isOver(outcome)) logger.info('a host could not be kept out of the way', { key, outcome: outcome.kind });
    };
    await this.#exclusively(key, keep).catch((error: unknown) => {
      logger.warn('a host could not be kept out of the way', { key, error });
    });
  }

  /** Ends maintenance of ours that nobody works under: its record may have been lost with the store that it was in. */
  async endLeftOver(): Promise<void> {
    const { claims, informers, logger } = this.#parts;
    const hosts = informers.hosts.list().filter((host) => !isBeingDeleted(host) && host.status?.provisioning.ID);
    const end = (key: string): Promise<void> =>
      this.#exclusively(key, async () => {
        const host = this.#identity(key);
        if (host === undefined || !(await claims.isOurs(host))) return;
        const outcome = await this.#parts.provisioners.of(host).setMaintenance(undefined);
        if (!isOver(outcome)) logger.debug('whether a host was left in maintenance is not known', { key });
      }).catch((error: unknown) => {
        logger.warn('whether a host was left in maintenance could not be found out', { key, error });
      });
    const keys = hosts.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    await inParallel(keys, end, this.#signal);
  }

  async #answer(turn: HostTurn): Promise<void> {
    const { clock, logger } = this.#parts;
    const key = `${turn.host.namespace}/${turn.host.name}`;
    if ((this.#notBefore.get(key) ?? 0) > clock.monotonic()) return;
    this.#notBefore.delete(key);
    try {
      await this.#exclusively(key, () => this.#take(turn, key));
    } catch (error) {
      logger.warn('a host could not make way for work on its machine, or take it back', { key, error });
    }
  }

  async #take(turn: HostTurn, key: string): Promise<void> {
    const { claims, provisioners, clock, logger, wake } = this.#parts;
    const host = this.#identity(key);
    if (host !== undefined) {
      const outcome = await provisioners.of(host).setMaintenance(turn.kind === 'make-way' ? reason : undefined);
      if (!isOver(outcome)) {
        const { kind, afterMs = lookEveryMs } = { afterMs: undefined, ...outcome };
        this.#notBefore.set(key, clock.monotonic() + afterMs);
        logger.info('a provisioner cannot be told yet whose turn it is', { key, turn: turn.kind, outcome: kind });
        return;
      }
    }
    await claims.done(turn);
    // Also who made way says so in its status.
    wake(key);
  }

  #identity(key: string): HostIdentity | undefined {
    const { newest } = this.#parts;
    const host = newest.hosts.get(key);
    if (host === undefined) return undefined;
    const secret = newest.secrets.get(`${host.metadata.namespace ?? ''}/${bmcOf({ host }).credentialsName}`);
    return identityOf({ host, status: { ...blankStatus, ...host.status }, secret: secretSeen(host, secret) });
  }

  #exclusively(key: string, work: () => Promise<void>): Promise<void> {
    const done = (this.#chains.get(key) ?? Promise.resolve()).catch(() => {}).then(work);
    this.#chains.set(key, done);
    const forget = (): void => {
      if (this.#chains.get(key) === done) this.#chains.delete(key);
    };
    done.then(forget, forget);
    return done;
  }
}

/** A host that its provisioner does not know cannot be in its way. */
function isOver(outcome: Outcome): boolean {
  return outcome.kind === 'done' || outcome.kind === 'unregistered';
}

async function inParallel<T>(all: readonly T[], work: (one: T) => Promise<void>, signal: AbortSignal): Promise<void> {
  const left = [...all];
  const next = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined && !signal.aborted; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, left.length) }, next));
}
