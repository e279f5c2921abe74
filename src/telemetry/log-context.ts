import { AsyncLocalStorage } from 'node:async_hooks';
import type { LogFields } from './logger.ts';

// Holds nothing by itself: each chain of calls sees only what was put around it.
const around = new AsyncLocalStorage<LogFields>();

/** Runs work whose log lines, however deep inside, all carry these fields besides those that are around already. */
export function withLogFields<T>(fields: LogFields, work: () => T): T {
  return around.run({ ...around.getStore(), ...fields }, work);
}

/** The fields that lines carry here. */
export function logFieldsHere(): LogFields | undefined {
  return around.getStore();
}
