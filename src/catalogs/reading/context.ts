import { CatalogError, type CatalogErrorCode } from '../errors.ts';
import type { CatalogLimits } from '../limits.ts';

/** What is known of a catalogue while it is read. */
export interface ReadContext {
  /** How it is called in messages: without user, password and query. */
  readonly shown: string;
  readonly format: string;
  readonly limits: CatalogLimits;
}

/** An error of the catalogue that is being read. */
export function refusal(
  context: ReadContext,
  code: CatalogErrorCode,
  fields: Readonly<Record<string, string | number>>,
  cause?: unknown,
): CatalogError {
  return new CatalogError(
    code,
    { source: context.shown, format: context.format, ...fields },
    cause === undefined ? {} : { cause },
  );
}

/** Refuses an entry that names more models, devices and ids than one may. */
export function checkNames(count: number, context: ReadContext): void {
  const { maxNames } = context.limits;
  if (count > maxNames) throw refusal(context, 'tooLarge', { limit: `${maxNames} names in one entry` });
}
