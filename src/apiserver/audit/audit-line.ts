import type { RequestInfo } from '../http/request-info.ts';
import type { UserInfo } from '../resource.ts';

/** A write and its verdict. */
export interface AuditEntry {
  readonly info: RequestInfo;
  /** Who acted. */
  readonly user: UserInfo;
  /** Who proved who they are; another than `user` when they impersonate; undefined when the proof failed. */
  readonly caller: UserInfo | undefined;
  /** The program they used, as it calls itself. */
  readonly agent: string;
  /** The address at the other end of the connection; empty when it is gone. */
  readonly from: string;
  readonly receivedAt: Date;
  /** The object's name; a create knows it only afterwards. */
  readonly name: string;
  /** Nothing was to be stored, whatever the verdict. */
  readonly isDryRun: boolean;
  readonly code: number;
  readonly reason: string;
}

/** What is kept of a write: who, what and the verdict. Bodies and selectors, which may hold secrets, are never in it. */
export interface AuditLine {
  /** When the verdict was known; RFC 3339. */
  readonly time: string;
  /** Empty when nobody proved who they are. */
  readonly user: string;
  readonly groups: readonly string[];
  readonly agent?: string;
  readonly impersonatedUser?: { readonly username: string; readonly groups: readonly string[] };
  readonly verb: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  /** Of what is no resource. */
  readonly path?: string;
  readonly name?: string;
  readonly dryRun?: true;
  readonly code: number;
  readonly verdict: 'done' | 'refused';
  readonly reason?: string;
}

/** Programs call themselves what they like; so much of it is kept. */
const maxAgentLength = 120;

/** One line of the log. */
export function auditLine(entry: AuditEntry, now: Date): AuditLine {
  const { info, user, caller, agent, name, isDryRun, code, reason } = entry;
  return {
    time: now.toISOString(),
    ...(caller === undefined ? { user: '', groups: [] } : { user: caller.username, groups: caller.groups }),
    ...(agent === '' ? {} : { agent: agent.slice(0, maxAgentLength) }),
    ...(caller === undefined || caller === user
      ? {}
      : { impersonatedUser: { username: user.username, groups: user.groups } }),
    verb: info.verb,
    ...(info.isResource ? resourceOf(info) : { path: info.path }),
    ...(name === '' ? {} : { name }),
    ...(isDryRun ? { dryRun: true as const } : {}),
    code,
    verdict: code < 300 ? 'done' : 'refused',
    ...(reason === '' ? {} : { reason }),
  };
}

function resourceOf(info: RequestInfo): Partial<AuditLine> {
  return {
    group: info.group,
    version: info.version,
    resource: info.resource,
    ...(info.subresource === '' ? {} : { subresource: info.subresource }),
    ...(info.namespace === '' ? {} : { namespace: info.namespace }),
  };
}

const nameFirst =
  /^\{(?:"(?:apiVersion|kind)":"[^"\\]*",)*"metadata":\{(?:"(?!name")[A-Za-z]+":(?:"[^"\\]*"|\d+|null),)*"name":"([^"\\]*)"/;

/** The name of the object in an answer's text. Whole objects are parsed only when the name is not where it usually is. */
export function nameIn(json: string): string {
  const quick = nameFirst.exec(json.slice(0, 2048))?.[1];
  if (quick !== undefined) return quick;
  const { metadata } = JSON.parse(json) as { metadata?: { name?: string } };
  return metadata?.name ?? '';
}
