import { type Logger, silentLogger } from '../../telemetry/index.ts';
import { backoffDelay } from '../backoff.ts';
import { createCertificateAuthority, issueServerCertificate, readCertificate } from '../certificates.ts';
import { type Clock, type Random, sleep } from '../clock.ts';
import { isAlreadyExists, isConflict, kubeError } from '../errors.ts';
import type { CertifiedKey } from '../pem.ts';
import {
  type AuthorityState,
  bundleOf,
  defaultRotationPolicy,
  dueStep,
  forgetRetired,
  promote,
  type RotationPolicy,
} from './authority-state.ts';
import type { AuthorityStore } from './authority-store.ts';

/** What rotating certificates need. */
export interface RotatingCertificatesOptions {
  readonly store: AuthorityStore;
  /** Tells everyone who checks what to trust: webhook configurations and conversion stanzas. Called on every look; nothing may change when nothing is new. */
  readonly publish: (caBundlePem: string) => Promise<void>;
  /** Serves with another certificate from now on. */
  readonly serve: (certificate: CertifiedKey) => void | Promise<void>;
  /** How the server is reached. */
  readonly names: { readonly dns?: readonly string[]; readonly ips?: readonly string[] };
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly policy?: RotationPolicy;
  /** How often to look; 60 s unless given. */
  readonly everyMs?: number;
}

/** Certificates of an admission server, kept valid without a moment in which they are not trusted. */
export interface RotatingCertificates {
  /** One look: makes, publishes, serves and retires what is due. */
  tick(): Promise<void>;
  /** Looks again and again until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** A rotation in three steps: publish old and new, then serve by the new, then forget the old. */
export function createRotatingCertificates(options: RotatingCertificatesOptions): RotatingCertificates {
  const rotation = new Rotation(options);
  const { clock, random } = options;
  const logger = options.logger ?? silentLogger;
  return {
    tick: () => rotation.tick(),
    async run(signal) {
      for (let failures = 0; !signal.aborted; ) {
        try {
          await rotation.tick();
          failures = 0;
        } catch (error) {
          failures++;
          logger.warn('certificates could not be looked after; trying again', { error });
        }
        const calmMs = (options.everyMs ?? 60_000) * (0.9 + random() / 5);
        await sleep(
          clock,
          failures === 0 ? calmMs : backoffDelay({ baseMs: 1000, maxMs: 60_000 }, failures, random),
          signal,
        );
      }
    },
  };
}

const maxSteps = 10;

class Rotation {
  readonly #options: RotatingCertificatesOptions;
  readonly #policy: RotationPolicy;
  #serving: { readonly authorityPem: string; readonly renewAt: number } | undefined;

  constructor(options: RotatingCertificatesOptions) {
    this.#options = options;
    this.#policy = options.policy ?? defaultRotationPolicy;
  }

  async tick(): Promise<void> {
    for (let step = 0; step < maxSteps; step++) {
      const { state, version } = await this.#load();
      // The current authority was published before it became the current one, so serving need not wait.
      await this.#serve(state);
      await this.#options.publish(bundleOf(state));
      const next = await this.#advance(state);
      if (next === undefined) return;
      await this.#save(next, version);
    }
    throw kubeError('Conflict', 'the authorities change faster than they can be followed');
  }

  #now(): number {
    return this.#options.clock.now();
  }

  async #load(): Promise<{ state: AuthorityState; version: string }> {
    const loaded = await this.#options.store.load();
    if (loaded !== undefined) return loaded;
    await this.#save({ current: await this.#newAuthority(), retired: [] }, undefined);
    const made = await this.#options.store.load();
    if (made === undefined) throw kubeError('NotFound', 'the authorities vanished right after they were made');
    return made;
  }

  /** Another replica that was faster is fine: the next look builds on what it wrote. */
  async #save(state: AuthorityState, version: string | undefined): Promise<void> {
    try {
      await this.#options.store.save(state, version);
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error)) throw error;
    }
  }

  async #serve(state: AuthorityState): Promise<void> {
    const authorityPem = state.current.certificatePem;
    if (this.#serving?.authorityPem === authorityPem && this.#now() < this.#serving.renewAt) return;
    const validForMs = this.#policy.servingMs;
    const now = new Date(this.#now());
    const certificate = await issueServerCertificate(state.current, { ...this.#options.names, now, validForMs });
    await this.#options.serve(certificate);
    const endsAt = readCertificate(certificate.certificatePem).notAfter.getTime();
    this.#serving = { authorityPem, renewAt: this.#now() + ((endsAt - this.#now()) * 2) / 3 };
  }

  /** The state that should come next; undefined when nothing is due. Called once the bundle of this state is published. */
  async #advance(state: AuthorityState): Promise<AuthorityState | undefined> {
    const now = this.#now();
    if (state.next !== undefined && state.next.publishedAt === undefined) {
      return { ...state, next: { ...state.next, publishedAt: now } };
    }
    switch (dueStep(state, now, this.#policy)) {
      case 'none':
        return undefined;
      case 'makeNext':
        return { ...state, next: { authority: await this.#newAuthority() } };
      case 'promote':
        return promote(state, now, this.#policy);
      case 'forgetRetired':
        return forgetRetired(state, now);
    }
  }

  #newAuthority(): Promise<CertifiedKey> {
    const now = new Date(this.#now());
    return createCertificateAuthority({
      commonName: 'rackwright-admission',
      now,
      validForMs: this.#policy.authorityMs,
    });
  }
}
