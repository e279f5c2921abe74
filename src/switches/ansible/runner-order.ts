/** One task of an order: a module with its arguments, or a task of network-runner's role. */
export type RunnerTask =
  | {
      readonly name: string;
      readonly module: string;
      readonly args: Readonly<Record<string, unknown>>;
      readonly keywords?: Readonly<Record<string, unknown>> | undefined;
    }
  | { readonly name: string; readonly role: string; readonly vars: Readonly<Record<string, unknown>> }
  | { readonly name: string; readonly meta: 'reset_connection' };

/** What the runner is asked to do on one switch. Never logged: it holds the credentials. */
export interface RunnerOrder {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string | undefined;
  readonly privateKey?: string | undefined;
  /** Lines of a known_hosts file; null takes any key. */
  readonly knownHosts: string | null;
  readonly timeoutSeconds: number;
  readonly vars: Readonly<Record<string, unknown>>;
  readonly tasks: readonly RunnerTask[];
}

/** What one task came to. */
export interface TaskResult {
  readonly name: string;
  readonly status: 'ok' | 'failed' | 'unreachable';
  readonly result: {
    /** What our own module printed, command by command; others put it into stdout. */
    readonly printed?: unknown;
    readonly stdout?: unknown;
    readonly stderr?: unknown;
    readonly msg?: unknown;
    readonly rc?: number;
  };
}

/** What an order came to: results of its tasks up to the first that failed, or why nothing was run. */
export interface RunnerAnswer {
  readonly results?: readonly TaskResult[] | undefined;
  readonly error?: string | undefined;
}
