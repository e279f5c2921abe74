import type { LeaderElection } from '../leader-election.ts';

/** Something that fills caches. */
export interface RunnableInformer {
  start(): void;
  stop(): Promise<void>;
  whenSynced(signal?: AbortSignal): Promise<void>;
}

/** Something that works once the caches are full. */
export interface RunnableController {
  start(): void;
  stop(options?: { readonly deadlineMs?: number }): Promise<void>;
}

/** A controller set. */
export interface ControllerSet {
  readonly informers: readonly RunnableInformer[];
  /** Made anew every time leadership is won, since a stopped controller stays stopped. */
  readonly controllers: () => readonly RunnableController[];
  /** Undefined: this process is the only one, as with the embedded API server. */
  readonly election: LeaderElection | undefined;
  /** How long running work may take to end; 20 s unless given. */
  readonly stopMs?: number;
}

/** Runs a controller set until the signal aborts: informers always, controllers while leading. */
export async function runControllers(set: ControllerSet, signal: AbortSignal): Promise<void> {
  for (const informer of set.informers) informer.start();
  try {
    const lead = (leading: AbortSignal): Promise<void> => runWhile(set, leading);
    await (set.election === undefined ? lead(signal) : set.election.run(signal, lead));
  } finally {
    await Promise.all(set.informers.map((informer) => informer.stop()));
  }
}

async function runWhile(set: ControllerSet, leading: AbortSignal): Promise<void> {
  const synced = Promise.all(set.informers.map((informer) => informer.whenSynced(leading)));
  const isSynced = await synced.then(
    () => true,
    () => false,
  );
  if (!isSynced || leading.aborted) return;
  const controllers = set.controllers();
  for (const controller of controllers) controller.start();
  await new Promise<void>((resolve) => {
    if (leading.aborted) resolve();
    leading.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.all(controllers.map((controller) => controller.stop({ deadlineMs: set.stopMs ?? 20_000 })));
}
