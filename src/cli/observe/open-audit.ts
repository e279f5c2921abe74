import { dirname } from 'node:path';
import { makeDirectory } from '../../kube/index.ts';
import { type AuditExport, openAuditExport } from '../../telemetry/index.ts';
import type { Settings } from '../settings.ts';

/** The settings of the audit export. */
export type AuditSettings = Settings<'auditLog' | 'auditLogSize' | 'auditLogFiles'>;

/** Opens the file of `--audit-log`, where one was asked for. */
export function openAudit(settings: AuditSettings, onFault: (error: unknown) => void): AuditExport | undefined {
  const { auditLog: path, auditLogSize: rotateAtBytes, auditLogFiles: kept } = settings;
  if (path === undefined) return undefined;
  makeDirectory(dirname(path), { mode: 0o700 });
  return openAuditExport(path, { rotateAtBytes, kept, onFault });
}
