import type { ConditionRecord } from '../../conditionorc/index.ts';
import { barOf } from '../output/progress.ts';
import type { Terminal } from '../terminal.ts';

/** What an install tells of itself, as far as it is shown. */
export interface InstallStatus {
  readonly step?: string;
  readonly percent?: number;
  readonly component?: string;
  readonly message?: string;
  /** How it ended: `installed`, `partial`, `already-installed`, `nothing-fits`, `cancelled`, `failed`. */
  readonly result?: string;
  readonly actions?: readonly {
    readonly component: string;
    readonly version: string;
    readonly installed_before: string;
    readonly state: string;
    readonly message: string;
  }[];
  readonly skipped?: readonly {
    readonly component: string;
    readonly version: string;
    readonly message: string;
  }[];
}

/** The status of an install. */
export function statusOf({ status }: ConditionRecord): InstallStatus {
  return status as InstallStatus;
}

/** Shows an install while it goes on: a bar where a person looks on, and one line for each image that is over. */
export class InstallView {
  readonly #terminal: Terminal;
  readonly #told = new Set<string>();
  #hasBar = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(condition: ConditionRecord): void {
    const status = statusOf(condition);
    for (const line of linesOf(status)) this.#once(line);
    if (condition.state === 'pending' && condition.reason?.code === 'WorkerLost')
      this.#once(`  ${condition.reason.message}`);
    if (this.#terminal.isInteractive === true && condition.finalized_at === null) this.#drawBar(condition, status);
  }

  /** Leaves the line of the bar, so that what follows begins on its own. */
  clear(): void {
    if (this.#hasBar) this.#terminal.out('\r\x1b[2K');
    this.#hasBar = false;
  }

  #once(line: string): void {
    if (this.#told.has(line)) return;
    this.#told.add(line);
    this.clear();
    this.#terminal.out(`${line}\n`);
  }

  #drawBar(condition: ConditionRecord, status: InstallStatus): void {
    this.#terminal.out(`\r\x1b[2K${barOf(status.percent ?? 0)} ${doingOf(condition, status)}`);
    this.#hasBar = true;
  }
}

function doingOf({ state, reason }: ConditionRecord, { component, step, message }: InstallStatus): string {
  const text = state === 'pending' ? (reason?.message ?? 'waits for a worker') : (message ?? step ?? '');
  return `${component === undefined ? '' : `${component}: `}${text}`.slice(0, 80);
}

/** One line for each image that is over or left out, in order. */
function linesOf({ actions = [], skipped = [] }: InstallStatus): string[] {
  return [
    ...skipped.map(({ component, version, message }) => `  ${component} ${version}: skipped, ${message}`),
    ...actions
      .filter(({ state }) => state !== 'pending' && state !== 'active')
      .map((one) => `  ${one.component} ${one.installed_before} -> ${one.version}: ${outcomeOf(one)}`),
  ];
}

function outcomeOf({ state, message }: { readonly state: string; readonly message: string }): string {
  return message === '' ? state : `${state}, ${message}`;
}
