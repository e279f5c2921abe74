import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Bus } from '../engine/index.ts';
import type { CertifiedKey, Random } from '../kube/index.ts';
import type { Authorizer } from '../rest/index.ts';
import type { Logger, Metrics, Tracer } from '../telemetry/index.ts';
import { createInProcessClient } from './clients/in-process-client.ts';
import type { UpdateClient } from './clients/request-outcome.ts';
import { type KeepStoreSmallOptions, keepStoreSmall } from './images/keep-store-small.ts';
import type { ReleaseParts } from './images/release-images.ts';
import type { Launcher } from './launchers/launcher.ts';
import { createInventoryReader } from './mirror/installed.ts';
import type { KubeMirror } from './mirror/result-mirror.ts';
import { runMirror } from './mirror/run-mirror.ts';
import { serveRpc } from './rpc/serve-rpc.ts';
import { startJobRunner } from './runner/job-runner.ts';
import type { JobRunner } from './runner/runner-options.ts';
import { openUpdateDesks, type UpdateDesks, type UpdateDesksOptions } from './update-desks.ts';

/** How jobs are run. */
export interface RunnerChoice {
  readonly launcher: Launcher;
  readonly facilities: readonly string[];
  readonly concurrency: number;
  /** See the runner; made up unless given. */
  readonly id?: string | undefined;
  /** Kinds of conditions that it takes; all kinds of jobs unless given. */
  readonly kinds?: readonly string[] | undefined;
  readonly bus?: Pick<Bus, 'listen'> | undefined;
}

/** What an update service is started with. Parts that are not given are not started. */
export interface UpdateServiceOptions extends UpdateDesksOptions {
  readonly authorizer: Authorizer;
  /** Where calls are taken. */
  readonly listen?: { readonly host: string; readonly port: number; readonly certificate?: CertifiedKey | undefined };
  /** How jobs are run here, from the start. */
  readonly runner?: RunnerChoice | undefined;
  /** Where results are shown. */
  readonly mirror?: KubeMirror | undefined;
  /** The store that discoveries put images into: those that nobody needs any more are let go of. */
  readonly images?:
    | (Pick<KeepStoreSmallOptions, 'store' | 'everyMs'> & {
        /** See `createKubeFirmware`; without it only finished discoveries tell what is needed. */
        readonly objects?: ReleaseParts['objects'];
      })
    | undefined;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Calls, and the jobs that they ask for, are parts of traces. */
  readonly tracer?: Tracer | undefined;
}

/** An update service that runs. */
export interface UpdateService {
  /** Undefined where no calls are taken. */
  readonly url: string | undefined;
  readonly desks: UpdateDesks;
  readonly runner: JobRunner | undefined;
  /** The service as the controllers of this process use it. */
  readonly client: UpdateClient;
  /** Runs jobs from now on, for launchers that are made once it is known where calls are taken. */
  startRunner(choice: RunnerChoice): JobRunner;
  /** Serves new connections with another certificate. */
  setCertificate(certificate: CertifiedKey): void;
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Starts an update service: takes calls, runs jobs, shows results. Every part of it can be killed at any time. */
export async function startUpdateService(options: UpdateServiceOptions): Promise<UpdateService> {
  const { engine, clock, random, logger, metrics, authorizer, tracer, listen, mirror } = options;
  const desks = await openUpdateDesks(options);
  const listener =
    listen === undefined ? undefined : await serveRpc({ ...listen, desks, authorizer, logger, metrics, tracer });
  let runner = options.runner === undefined ? undefined : startRunner(options, desks, options.runner);
  const showing =
    mirror === undefined
      ? undefined
      : await runMirror({
          ...{ engine, clock, random, logger, mirror },
          database: options.database,
          names: options.names,
          inventory: createInventoryReader(options.service),
        });
  const { images } = options;
  const keeping =
    images === undefined
      ? undefined
      : keepStoreSmall({
          ...{ engine, service: options.service, clock, logger, store: images.store, everyMs: images.everyMs },
          objects: images.objects,
        });
  return {
    url: listener?.url,
    desks,
    get runner() {
      return runner;
    },
    startRunner(choice) {
      if (runner !== undefined) throw new TypeError('an update service has one runner, and it runs');
      runner = startRunner(options, desks, choice);
      return runner;
    },
    client: createInProcessClient({ desks, client: 'controllers', logger }),
    setCertificate: (certificate) => listener?.setCertificate(certificate),
    async stop(how) {
      await listener?.close();
      await runner?.stop(how);
      await showing?.stop();
      await keeping?.stop();
    },
  };
}

function startRunner(options: UpdateServiceOptions, { tokens }: UpdateDesks, given: RunnerChoice): JobRunner {
  const { engine, clock, random, logger, metrics, tracer, strategy } = options;
  return startJobRunner({
    ...{ engine, tokens, clock, random, logger, metrics, tracer },
    launcher: given.launcher,
    facilities: given.facilities,
    concurrency: given.concurrency,
    strategy: strategy.name,
    ...(given.kinds === undefined ? {} : { kinds: given.kinds }),
    id: given.id ?? `update-service/${hostname()}/${randomUUID()}`,
    ...(given.bus === undefined ? {} : { bus: given.bus }),
  });
}
