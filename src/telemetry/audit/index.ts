export { type AuditedRequest, type AuditObject, type AuditUser, auditEvent } from './audit-event.ts';
export { type AuditExport, openAuditExport } from './audit-export.ts';
export { type LineFile, type LineFileOptions, openLineFile } from './line-file.ts';
