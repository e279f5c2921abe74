/** Who did something, as Kubernetes names people. */
export interface AuditUser {
  readonly username: string;
  readonly groups: readonly string[];
  readonly uid?: string;
}

/** What was done to, where it is a thing with a name. */
export interface AuditObject {
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A request and what came of it; never what was in it. */
export interface AuditedRequest {
  readonly id: string;
  readonly verb: string;
  /** The path without its query, which may hold anything. */
  readonly path: string;
  /** Undefined where nobody proved who they are. */
  readonly user: AuditUser | undefined;
  readonly impersonated?: AuditUser | undefined;
  readonly sourceIp?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly object?: AuditObject | undefined;
  readonly code: number;
  /** One word for why it was refused. */
  readonly reason?: string | undefined;
  readonly isDryRun?: boolean;
  readonly receivedAt: Date;
  readonly endedAt: Date;
}

const longestAgent = 256;

/** An Event of audit.k8s.io/v1 at the level Metadata: who, what, when and the verdict, without any body. */
export function auditEvent(request: AuditedRequest): object {
  const { user, impersonated, object, code, reason } = request;
  const agent = request.userAgent?.slice(0, longestAgent);
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: request.id,
    stage: 'ResponseComplete',
    requestURI: request.path,
    verb: request.verb,
    user: user ?? {},
    ...(impersonated === undefined ? {} : { impersonatedUser: impersonated }),
    ...(request.sourceIp === undefined ? {} : { sourceIPs: [request.sourceIp] }),
    ...(agent === undefined ? {} : { userAgent: agent }),
    ...(object === undefined ? {} : { objectRef: object }),
    responseStatus: { metadata: {}, ...(code < 400 ? {} : { status: 'Failure' }), ...reasonOf(reason), code },
    requestReceivedTimestamp: microTime(request.receivedAt),
    stageTimestamp: microTime(request.endedAt),
    annotations: {
      'authorization.k8s.io/decision': code === 401 || code === 403 ? 'forbid' : 'allow',
      ...(request.isDryRun === true ? { 'rackwright.dev/dry-run': 'true' } : {}),
    },
  };
}

function reasonOf(reason: string | undefined): object {
  return reason === undefined || reason === '' ? {} : { reason };
}

/** Kubernetes writes these times with microseconds. */
function microTime(time: Date): string {
  return time.toISOString().replace('Z', '000Z');
}
