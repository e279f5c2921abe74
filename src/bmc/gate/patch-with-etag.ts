import { BmcError, isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Gate, GateReply, GateRequest } from './gate.ts';

/** How a PATCH is sent, beside its path and body. */
export type PatchOptions = Pick<GateRequest, 'isDisruptive' | 'deadlineMs' | 'signal' | 'accept'>;

/**
 * Changes a resource under the condition that it is still as it was read. BMCs differ in what they make of that: some
 * refuse the weak tag that they gave, some any tag, and some refuse to go without one.
 */
export async function patchWithEtag(
  gate: Gate,
  path: string,
  body: JsonObject,
  options: PatchOptions = {},
): Promise<GateReply> {
  const etag = await readEtag(gate, path, options);
  const first = await tryConditions(gate, { ...options, method: 'PATCH', path, body }, conditionsFor(etag));
  if (!isBmcError(first)) return first;
  if (first.status !== 428) throw first;
  // A condition is mandatory, and the one we had was refused: the resource changed since it was read.
  const fresh = await readEtag(gate, path, options);
  if (fresh === undefined || fresh === etag) throw first;
  const second = await tryConditions(gate, { ...options, method: 'PATCH', path, body }, [fresh]);
  if (isBmcError(second)) throw second;
  return second;
}

/** Sends it under one condition after the other until one is not objected to; the last objection if all are. */
async function tryConditions(
  gate: Gate,
  request: GateRequest,
  conditions: readonly (string | undefined)[],
): Promise<GateReply | BmcError> {
  let objection: BmcError | undefined;
  for (const condition of conditions) {
    try {
      return await gate.request(condition === undefined ? request : { ...request, headers: { 'If-Match': condition } });
    } catch (error) {
      // The BMC did nothing in these two cases; in all others it is not for us to send it again.
      if (!isBmcError(error) || (error.status !== 412 && error.status !== 428)) throw error;
      objection = error;
    }
  }
  const fields = {
    origin: gate.origin,
    method: 'PATCH',
    path: request.path,
    status: 412,
    detail: 'no condition was tried',
  };
  return objection ?? new BmcError('refused', fields, { status: 412 });
}

/** As given, in its strong form, then without: the last is refused with 428 where a condition is mandatory. */
function conditionsFor(etag: string | undefined): readonly (string | undefined)[] {
  if (etag === undefined) return [undefined, '*'];
  return etag.startsWith('W/') ? [etag, etag.slice(2), undefined] : [etag, undefined];
}

async function readEtag(gate: Gate, path: string, options: PatchOptions): Promise<string | undefined> {
  const { deadlineMs, signal } = options;
  const more = { ...(deadlineMs === undefined ? {} : { deadlineMs }), ...(signal === undefined ? {} : { signal }) };
  const { etag, body } = await gate.request({ method: 'GET', path, ...more });
  const inBody = body['@odata.etag'];
  return etag ?? (typeof inBody === 'string' && inBody !== '' ? inBody : undefined);
}
