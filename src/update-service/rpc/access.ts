import { Code, ConnectError, createContextKey, type HandlerContext } from '@connectrpc/connect';
import { updateRpc } from '../../api/index.ts';
import {
  type AccessNeed,
  type AuthenticatedUser,
  type Authorizer,
  enforceAccess,
  isRestError,
  type RestErrorCode,
  restResources,
} from '../../rest/index.ts';

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
  FailJob: 'proof',
  UpdateServer: 'proof',
  UpdateDiscoveredFirmware: 'proof',
};

/** The right to report without a job. */
const unfenced: AccessNeed = { verb: 'create', resource: restResources.unfencedReports };

/**
 * Lets calls through that may be made, and notes who makes them, before anything of a request is read. What is not in the
 * table is let through for nobody.
 */
export function createAccessGate(authorizer: Authorizer): (context: HandlerContext) => Promise<void> {
  return async ({ service, method, requestHeader, values }) => {
    const need = service.typeName === updateRpc.UpdateService.typeName ? needs[method.name] : undefined;
    if (need === undefined) throw new ConnectError(`${method.name} is not served`, Code.Unimplemented);
    if (need === 'proof') return;
    const header = requestHeader.get('authorization') ?? undefined;
    values.set(callerKey, await pass(() => enforceAccess(authorizer, need, header)));
  };
}

/** Who reports without a proof, and whether they may. */
export async function findUnfencedReporter(
  authorizer: Authorizer,
  header: Headers,
): Promise<{ readonly user: string; readonly mayReportUnfenced: boolean }> {
  const given = header.get('authorization') ?? undefined;
  if (given === undefined) return { user: 'somebody without a token', mayReportUnfenced: false };
  try {
    const user = await enforceAccess(authorizer, unfenced, given);
    return { user: user.name, mayReportUnfenced: true };
  } catch (error) {
    if (!isRestError(error, 'forbidden')) throw toConnectError(error);
    return { user: 'the holder of this token', mayReportUnfenced: false };
  }
}

async function pass<T>(enforce: () => Promise<T>): Promise<T> {
  try {
    return await enforce();
  } catch (error) {
    throw toConnectError(error);
  }
}

const connectCodes: Partial<Record<RestErrorCode, Code>> = {
  unauthenticated: Code.Unauthenticated,
  forbidden: Code.PermissionDenied,
};

function toConnectError(error: unknown): unknown {
  if (!isRestError(error)) return error;
  const code = connectCodes[error.code] ?? Code.Unavailable;
  return new ConnectError(error.message, code, undefined, undefined, error);
}
