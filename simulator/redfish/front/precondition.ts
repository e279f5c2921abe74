import { refuse } from '../resources/errors.ts';
import type { JsonObject, RedfishAnswer } from '../route.ts';
import { passesIfMatch, tagBody } from './etag.ts';
import { type Exchange, headerOf } from './exchange.ts';

/** Reads the resource a request wants to change; undefined when it cannot be read. */
export type ReadCurrent = () => Promise<JsonObject | undefined>;

/** Why a change may not happen as asked for: 412 or 428; undefined when it may. */
export async function refuseByPrecondition(exchange: Exchange, read: ReadCurrent): Promise<RedfishAnswer | undefined> {
  const { service } = exchange.machine.personality;
  const ifMatch = headerOf(exchange.request, 'if-match');
  if (exchange.method === 'POST') {
    const isRefused = ifMatch !== undefined && service.doActionsRefuseIfMatch && exchange.path.includes('/Actions/');
    return isRefused ? refuse(412, { messageId: 'PreconditionFailed' }) : undefined;
  }
  if (exchange.method !== 'PATCH') return undefined;
  if (ifMatch === undefined) {
    return service.isIfMatchRequired ? refuse(428, { messageId: 'PreconditionRequired' }) : undefined;
  }
  const current = await read();
  // What is not there is for the route to say.
  if (current === undefined || passesIfMatch(ifMatch, tagBody(current, service).etag, service)) return undefined;
  return refuse(412, { messageId: 'PreconditionFailed' });
}
