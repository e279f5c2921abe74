import { explainError, RefusedError } from './refused.ts';

/** What is known of a list that was asked for. */
export interface Asked {
  readonly data: readonly unknown[] | undefined;
  readonly error: Error | null;
}

/** What to say where a list has nothing to show: what may not be read is not said to be empty. Undefined where it has something. */
export function whyEmpty({ data, error }: Asked, empty: string): string | undefined {
  if (data !== undefined && data.length > 0) return undefined;
  if (error instanceof RefusedError && error.status === 403) return `You may not see this: ${error.message}`;
  if (error !== null) return explainError(error);
  return data === undefined ? 'Reading …' : empty;
}
