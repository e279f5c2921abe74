import { randomUUID } from 'node:crypto';
import { Code, type Interceptor } from '@connectrpc/connect';
import { updateRpc } from '../../api/index.ts';
import { type AccessNeed, type AuthenticatedUser, accessGroup } from '../../rest/index.ts';
import type { AuditExport } from '../../telemetry/index.ts';
import type { RefusalCode } from '../refusal.ts';
import { refusalCodeOf } from './answers.ts';

/** A call that is recorded: what it needs says what it does. */
export interface AuditedCall {
  readonly call: string;
  readonly need: AccessNeed;
  readonly user: AuthenticatedUser | undefined;
  readonly userAgent: string | undefined;
  readonly receivedAt: Date;
}

/** Records a call and what came of it; calls that only read are not recorded, but those that were sent away are. */
export function recordCall(
  audit: AuditExport,
  { call, need, user, userAgent, receivedAt }: AuditedCall,
  verdict: { readonly code: number; readonly reason?: string | undefined },
): void {
  const isReading = need.verb === 'get' || need.verb === 'list';
  if (isReading && verdict.code !== 401 && verdict.code !== 403) return;
  audit.record({
    ...{ id: randomUUID(), userAgent, receivedAt, endedAt: new Date(), ...verdict },
    verb: need.verb,
    path: `/${updateRpc.UpdateService.typeName}/${call}`,
    user: user === undefined ? undefined : { username: user.name, groups: user.groups },
    object: { apiGroup: accessGroup, resource: need.resource.kube },
  });
}

const statuses: Partial<Record<RefusalCode, number>> = {
  invalidRequest: 400,
  serverNotFound: 404,
  discoveredFirmwareNotFound: 404,
  firmwareNotFound: 404,
  jobNotFound: 404,
  permissionDenied: 403,
  conflict: 409,
  leaseLost: 409,
  unsafeToCancel: 409,
  resourceExhausted: 429,
  unavailable: 503,
};

/** Records calls that were let through. */
export function auditCalls(
  audit: AuditExport,
  of: (request: Parameters<ReturnType<Interceptor>>[0]) => AuditedCall | undefined,
): Interceptor {
  return (next) => async (request) => {
    const audited = of(request);
    if (audited === undefined) return await next(request);
    try {
      const answer = await next(request);
      recordCall(audit, audited, answer.stream ? { code: 200 } : verdictOf(answer.message));
      return answer;
    } catch (error) {
      const code = Object(error).code as Code;
      recordCall(audit, audited, { code: code === Code.Unauthenticated ? 401 : 500, reason: Code[code] });
      throw error;
    }
  };
}

/** Every answer carries its error, where nothing came of the call. */
function verdictOf(message: unknown): { readonly code: number; readonly reason?: string } {
  const error = (message as { readonly error?: { readonly code: updateRpc.ErrorCode } }).error;
  const reason = error === undefined ? undefined : refusalCodeOf(error.code);
  return reason === undefined ? { code: 200 } : { code: statuses[reason] ?? 500, reason };
}
