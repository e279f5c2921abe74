import type { JsonObject } from '../json.ts';
import type { Caller } from './caller.ts';
import type { GateRequest, StreamBody } from './gate.ts';
import type { JudgeContext } from './judge.ts';
import { pathOnBmc } from './path-on-bmc.ts';
import type { GateSettings } from './settings.ts';

/** A request with everything that does not change from try to try. */
export interface Plan {
  readonly request: GateRequest;
  readonly caller: Caller;
  readonly context: JudgeContext;
  readonly json: string | undefined;
  readonly stream: StreamBody | undefined;
}

/** Prepares a request. Throws when its path is not on this BMC. */
export function planRequest(
  request: GateRequest,
  caller: Caller,
  about: { readonly origin: string; readonly settings: GateSettings },
): Plan {
  const { origin, settings } = about;
  const { method, body, accept } = request;
  const path = pathOnBmc(request.path, origin);
  const stream = body !== undefined && isStreamBody(body) ? body : undefined;
  const object = stream === undefined ? (body as JsonObject | undefined) : undefined;
  const context: JudgeContext = {
    origin,
    method,
    path,
    deadlineMs: request.deadlineMs ?? settings.deadlineMs,
    accept,
    isRepeatable: method === 'GET' || (method === 'DELETE' && isSessionPath(path)),
    isDisruptive: request.isDisruptive === true,
    isOutage: false,
    bounds: settings,
    body: object,
    secrets: [],
  };
  return { request, caller, context, stream, json: object === undefined ? undefined : JSON.stringify(object) };
}

/** True for the path of a session: ending one twice does no harm. */
export function isSessionPath(path: string): boolean {
  return /\/Sessions\/[^/]+\/?$/.test(path);
}

function isStreamBody(body: JsonObject | StreamBody): body is StreamBody {
  return typeof body.open === 'function';
}
