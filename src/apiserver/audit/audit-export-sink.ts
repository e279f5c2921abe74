import { randomUUID } from 'node:crypto';
import type { AuditExport, AuditObject } from '../../telemetry/index.ts';
import type { RequestInfo } from '../http/request-info.ts';
import type { AuditEntry } from './audit-line.ts';
import type { AuditSink } from './audit-log.ts';

/** A sink that hands writes on in the shape of Kubernetes' own audit log. Closing it leaves the export open for others. */
export function createAuditExportSink(target: AuditExport, now: () => Date): AuditSink {
  return {
    write(_, entry) {
      const { user, caller, info } = entry;
      target.record({
        id: randomUUID(),
        verb: info.verb,
        path: info.path,
        user: caller === undefined ? undefined : { username: caller.username, groups: caller.groups },
        ...(caller === undefined || caller === user
          ? {}
          : { impersonated: { username: user.username, groups: user.groups } }),
        sourceIp: entry.from === '' ? undefined : entry.from,
        userAgent: entry.agent === '' ? undefined : entry.agent,
        object: info.isResource ? objectOf(info, entry) : undefined,
        code: entry.code,
        reason: entry.reason,
        isDryRun: entry.isDryRun,
        receivedAt: entry.receivedAt,
        endedAt: now(),
      });
    },
    fault: () => target.fault(),
    lost: () => target.lost(),
    close: async () => undefined,
  };
}

function objectOf(info: RequestInfo, { name }: AuditEntry): AuditObject {
  const { group, version, resource, subresource, namespace } = info;
  return {
    resource,
    ...(namespace === '' ? {} : { namespace }),
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { apiGroup: group }),
    apiVersion: version,
    ...(subresource === '' ? {} : { subresource }),
  };
}
