import type { ServerCore } from '../core.ts';
import type { ServedResource } from '../served-resource.ts';
import { ApiError, qualifiedResource } from '../status.ts';
import type { Stored, Write, WriteConflict } from '../store/store.ts';
import { fitToStorage } from './object-size.ts';

/**
 * Thrown instead of writing by a definition that is no longer the one in use. Nothing was written: the request can be
 * made again, by the server itself or by the client, whom this error asks to.
 */
export class DefinitionChanged extends ApiError {
  constructor(served: ServedResource) {
    const message = `the definition of ${qualifiedResource(served)} changed while the request was on its way`;
    super({ code: 503, reason: 'ServiceUnavailable', message, details: { retryAfterSeconds: 1 } });
  }
}

/**
 * Every write of the generic handlers. The check and the write are one moment, so that whatever gets its revision after
 * a definition changed was made by the new one.
 */
export function writeThrough(core: ServerCore, served: ServedResource, write: Write): Promise<Stored> | WriteConflict {
  if (!core.registry.isCurrent(served)) throw new DefinitionChanged(served);
  if (write.kind !== 'delete') fitToStorage(write.object);
  return core.store.write(write);
}
