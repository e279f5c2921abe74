import type { Egress } from '../../egress/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { isStoreError, StoreError } from '../errors.ts';
import { shownSource } from './source.ts';

/** Errors that tell what a source answered. */
const tellingCodes = ['digestMismatch', 'sizeMismatch', 'tooLarge', 'sourceRefused', 'sourceFailed'] as const;
const withheldDetail =
  'its host is internal, so what it answered is in the log of this process only; name the host in --egress-hosts to have it told';

/** What an internal host answers is for operators alone: whoever may name an image must not read it from errors. */
export async function withheld(
  error: unknown,
  { url, egress, logger }: { readonly url: URL; readonly egress: Egress; readonly logger?: Logger | undefined },
): Promise<unknown> {
  if (!isStoreError(error, ...tellingCodes) || url.protocol === 'file:') return error;
  if ((error.cause as { code?: unknown } | undefined)?.code === 'EGRESS_REFUSED') return error;
  if (await egress.mayDescribe(url)) return error;
  const source = shownSource(url);
  logger?.warn('an image cannot be had from an internal host', { source, error });
  return new StoreError('sourceFailed', { source, detail: withheldDetail });
}
