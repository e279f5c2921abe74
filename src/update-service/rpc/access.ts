import { Code, ConnectError, createContextKey, type HandlerContext, type Interceptor } from '@connectrpc/connect';
import { updateRpc } from '../../api/index.ts';
import {
  type AccessNeed,
  type AuthenticatedUser,
  type Authorizer,
  enforceAccess,
  isRestError,
  noteUser,
  restResources,
} from '../../rest/index.ts';
import type { AuditExport } from '../../telemetry/index.ts';
import { protocolError } from './answers.ts';
import { auditCalls, recordCall } from './audit-calls.ts';

/** Who calls, where somebody had to say so. */
export const callerKey = createContextKey<AuthenticatedUser | undefined>(undefined, { description: 'caller' });

const { conditions } = restResources;

/** What each call needs. `proof`: the token of the job in the request is what is asked for. */
const needs: Readonly<Record<string, AccessNeed | 'proof'>> = {
  Update: { verb: 'create', resource: conditions },
  Scan: { verb: 'create', resource: conditions },
  Discover: { verb: 'create', resource: conditions },
  ListJobs: { verb: 'list', resource: conditions },
  WatchJobs: { verb: 'list', resource: conditions },
  GetJob: { verb: 'get', resource: conditions },
  CancelJob: { verb: 'update', resource: conditions },
  TakeJob: 'proof',
  ReportProgress: 'proof',
  Heartbeat: 'proof',
  CheckLease: 'proof',
  FailJob: 'proof',
  AcquireUploadSlot: 'proof',
  ReleaseUploadSlot: 'proof',
  UpdateServer: 'proof',
  UpdateDiscoveredFirmware: 'proof',
};

/** The right to report without a job. */
const unfenced: AccessNeed = { verb: 'create', resource: restResources.unfencedReports };

/**
 * Lets calls through that may be made, and notes who makes them, before anything of a request is read. What is not in the
 * table is let through for nobody.
 */
export function createAccessGate(
  authorizer: Authorizer,
  audit?: AuditExport | undefined,
): (context: HandlerContext) => Promise<void> {
  return async ({ service, method, requestHeader, values }) => {
    const need = service.typeName === updateRpc.UpdateService.typeName ? needs[method.name] : undefined;
    if (need === undefined) throw new ConnectError(`${method.name} is not served`, Code.Unimplemented);
    if (need === 'proof') return;
    const header = requestHeader.get('authorization') ?? undefined;
    const receivedAt = new Date();
    const noting = noteUser(authorizer, (user) => values.set(callerKey, user));
    try {
      await enforceAccess(noting, need, header);
    } catch (error) {
      const userAgent = requestHeader.get('user-agent') ?? undefined;
      const call = { call: method.name, need, user: values.get(callerKey), userAgent, receivedAt };
      if (audit !== undefined && isRestError(error))
        recordCall(audit, call, { code: error.status, reason: error.code });
      throw toConnectError(error);
    }
  };
}

/** Records calls that people make, with who made them; what jobs report under their proofs is no work of people. */
export function auditCallers(audit: AuditExport): Interceptor {
  return auditCalls(audit, ({ method, contextValues, header, message }) => {
    const need = needOf(method.name, message);
    if (need === undefined) return undefined;
    const userAgent = header.get('user-agent') ?? undefined;
    return {
      ...{ call: method.name, need, userAgent, receivedAt: new Date() },
      // Who reports without a job is found out while the call is answered.
      get user() {
        return contextValues.get(callerKey);
      },
    };
  });
}

/** What a call of people needs; undefined for those of jobs. */
function needOf(call: string, message: unknown): AccessNeed | undefined {
  const need = needs[call];
  if (need !== 'proof') return need;
  const isReport = call === 'UpdateServer' || call === 'UpdateDiscoveredFirmware';
  return isReport && Object(message).proof === undefined ? unfenced : undefined;
}

/** Who reports without a proof, which is noted, and whether they may. */
export async function findUnfencedReporter(
  authorizer: Authorizer,
  { requestHeader, values }: Pick<HandlerContext, 'requestHeader' | 'values'>,
): Promise<{ readonly user: string; readonly mayReportUnfenced: boolean }> {
  const given = requestHeader.get('authorization') ?? undefined;
  if (given === undefined) return { user: 'somebody without a token', mayReportUnfenced: false };
  try {
    const noting = noteUser(authorizer, (user) => values.set(callerKey, user));
    const user = await enforceAccess(noting, unfenced, given);
    return { user: user.name, mayReportUnfenced: true };
  } catch (error) {
    if (!isRestError(error, 'forbidden')) throw toConnectError(error);
    return { user: 'the holder of this token', mayReportUnfenced: false };
  }
}

function toConnectError(cause: unknown): unknown {
  if (!isRestError(cause)) return cause;
  const { message } = cause;
  if (isRestError(cause, 'unauthenticated'))
    return protocolError({ code: 'unauthenticated', message }, { code: Code.Unauthenticated, cause });
  if (isRestError(cause, 'forbidden'))
    return protocolError({ code: 'permissionDenied', message }, { code: Code.PermissionDenied, cause });
  return protocolError({ code: 'unavailable', message }, { code: Code.Unavailable, cause });
}
