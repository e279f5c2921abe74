/** What was begun for a host in this process, and takes longer than a call may. */
export interface BackgroundWork {
  /** How what was begun under that name for the host is; `none` where nothing was, or its end was told already. */
  look(host: string, name: string): BackgroundState;
  /** Begins it. What goes on for that host under another name is let be: the machine has the last word. */
  begin(host: string, name: string, work: () => Promise<unknown>): void;
  /** Forgets what goes on for a host. */
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
      const ended = work().then(
        () => {
          begun.state = { kind: 'done' };
        },
        (error: unknown) => {
          begun.state = { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
        },
      );
      const begun: Begun = { name, state: { kind: 'going' }, ended };
      all.set(host, begun);
    },
    forget: (host) => void all.delete(host),
    async settle() {
      await Promise.all([...all.values()].map(({ ended }) => ended));
    },
  };
}
