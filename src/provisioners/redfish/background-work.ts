/** What was begun for a host in this process, and takes longer than a call may. */
export interface BackgroundWork {
  /** How what was begun under that name for the host is; `none` where nothing was, or its end was told already. */
  look(host: string, name: string): BackgroundState;
  /**
   * Begins it. What goes on for that host is given up: a shutdown that still waits to see the host off would cut its power
   * once it is on again.
   */
  begin(host: string, name: string, work: (signal: AbortSignal) => Promise<unknown>): void;
  /** Forgets what goes on for a host, and gives it up. */
  forget(host: string): void;
  /** Waits for all that goes on. */
  settle(): Promise<void>;
}

/** How something in the background is. */
export type BackgroundState =
  | { readonly kind: 'none' | 'going' | 'done' }
  | { readonly kind: 'failed'; readonly message: string };

interface Begun {
  readonly name: string;
  state: BackgroundState;
  readonly ended: Promise<void>;
  readonly giveUp: AbortController;
}

/** Makes a place for such work. A process that dies loses nothing by it: what came of it is asked of the BMC. */
export function createBackgroundWork(): BackgroundWork {
  const all = new Map<string, Begun>();
  return {
    look(host, name) {
      const begun = all.get(host);
      if (begun?.name !== name) return { kind: 'none' };
      if (begun.state.kind !== 'going') all.delete(host);
      return begun.state;
    },
    begin(host, name, work) {
      all.get(host)?.giveUp.abort();
      const giveUp = new AbortController();
      const ended = work(giveUp.signal).then(
        () => {
          begun.state = { kind: 'done' };
        },
        (error: unknown) => {
          begun.state = { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
        },
      );
      const begun: Begun = { name, state: { kind: 'going' }, ended, giveUp };
      all.set(host, begun);
    },
    forget(host) {
      all.get(host)?.giveUp.abort();
      all.delete(host);
    },
    async settle() {
      await Promise.all([...all.values()].map(({ ended }) => ended));
    },
  };
}
