import type { StoreError, StoreErrorCode } from '../apiserver/index.ts';
import { KubeError } from '../kube/index.ts';

/** Every way the command can end, with its exit code. The CLI reference prints this table. */
export const exitCodes = {
  ok: { code: 0, about: 'Done. A server that was asked to stop and did also ends with 0.' },
  failed: { code: 1, about: 'The request was refused or failed; the message says by whom and why.' },
  usage: { code: 2, about: 'The command line is wrong, or names a part that this version does not have.' },
  'in-use': { code: 3, about: 'The data directory is in use by another process.' },
  'bad-data': { code: 4, about: 'Data is damaged, of a newer version, or there already where none may be.' },
  'port-in-use': { code: 5, about: 'Another process listens on the port.' },
  unreachable: {
    code: 6,
    about: 'The API server or the simulator cannot be reached, or the kubeconfig cannot be used.',
  },
  'timed-out': { code: 7, about: 'What was waited for did not happen in time.' },
  'work-failed': { code: 8, about: 'The work on the server failed; the message says why.' },
  'work-cancelled': { code: 9, about: 'The work on the server was cancelled.' },
  'still-running': { code: 10, about: 'The command was stopped; the work on the server goes on without it.' },
  'work-partial': {
    code: 11,
    about:
      'Part of the firmware was installed or was there already; the rest does not fit. The output says what was skipped and why.',
  },
  interrupted: {
    code: 130,
    about: 'The command was interrupted (Ctrl-C, SIGTERM) before it was done; nothing goes on because of it.',
  },
} as const satisfies Record<string, { code: number; about: string }>;

/** The name of an outcome in the table above. */
export type Outcome = keyof typeof exitCodes;

/** A failure whose message is meant for the person at the terminal as it is. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly outcome: Outcome;
  constructor(outcome: Outcome, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.outcome = outcome;
  }
}

/** A command line that cannot be meant. */
export function usageError(message: string): CliError {
  return new CliError('usage', message);
}

/** What went wrong, in words for the terminal, and how the process ends. */
export interface Explanation {
  readonly outcome: Outcome;
  readonly text: string;
}

const storeOutcomes: Partial<Record<StoreErrorCode, Outcome>> = {
  'in-use': 'in-use',
  'newer-format': 'bad-data',
  exists: 'bad-data',
  directory: 'bad-data',
  corrupt: 'bad-data',
  'key-file': 'bad-data',
  'key-missing': 'bad-data',
};

/** Explains anything that was thrown. */
export function explainError(error: unknown): Explanation {
  if (error instanceof CliError) return { outcome: error.outcome, text: error.message };
  if (isStoreError(error)) return { outcome: storeOutcomes[error.code] ?? 'failed', text: error.message };
  if (error instanceof KubeError) return explainKubeError(error);
  if (isAbort(error)) return { outcome: 'interrupted', text: interruptedText };
  if (error instanceof Error && 'syscall' in error) return { outcome: 'failed', text: error.message };
  // Nobody foresaw it, so where it happened is worth more than brevity.
  return { outcome: 'failed', text: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

const interruptedText = 'interrupted before it was done';

/** What signals that are aborted throw. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** By name, so that commands that never open a store need not load it. */
function isStoreError(error: unknown): error is StoreError {
  return error instanceof Error && error.name === 'StoreError';
}

function explainKubeError(error: KubeError): Explanation {
  switch (error.reason) {
    case 'ConnectionFailed':
    case 'RequestTimeout':
      return {
        outcome: 'unreachable',
        text: `${error.message}\nIs the server running ("rackwright up" starts one), and is it the right kubeconfig?`,
      };
    case 'Aborted':
      return { outcome: 'interrupted', text: interruptedText };
    case 'BadConnectionSettings':
      return { outcome: 'unreachable', text: error.message };
    case 'Unauthorized':
      return {
        outcome: 'failed',
        text: `the server does not accept the credentials of the kubeconfig: ${error.message}`,
      };
    default:
      return { outcome: 'failed', text: `${error.message} (${error.reason})` };
  }
}
